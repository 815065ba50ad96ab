// Runs OpenVINO models for the TensorRT stand-in, as a library of its own: libstandin_openvino.so.
#include <cstring>
#include <map>
#include <mutex>
#include <openvino/openvino.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "model_api.h"

namespace {

// In the order of TensorRT's DataType; what OpenVINO does not run is dynamic.
const ov::element::Type kTypes[] = {ov::element::f32,     ov::element::f16,     ov::element::i8,
                                    ov::element::i32,     ov::element::boolean, ov::element::u8,
                                    ov::element::dynamic, ov::element::bf16,    ov::element::i64};

ov::element::Type type_of(const StandinModelTensor& tensor) {
  const auto index = static_cast<std::size_t>(tensor.dtype);
  return index < std::size(kTypes) ? kTypes[index] : ov::element::Type(ov::element::dynamic);
}

ov::Shape shape_of(const StandinModelTensor& tensor) {
  return {tensor.extents, tensor.extents + tensor.rank};
}

ov::Core& core() {
  // Never destroyed: its threads may outlive static objects.
  static ov::Core* const instance = new ov::Core;
  return *instance;
}

// The same bits on every run and machine: one thread, and no lower precision than the model's.
ov::AnyMap repeatable() {
  return {ov::inference_num_threads(1), ov::num_streams(1),
          ov::hint::inference_precision(ov::element::f32), ov::hint::enable_cpu_pinning(false)};
}

struct Model {
  std::shared_ptr<ov::Model> graph;
  ov::Tensor weights;  // the graph's constants point into it
  ov::CompiledModel compiled;
  std::vector<ov::element::Type> types;  // of the plan's tensors
  std::vector<int> is_input;

  std::mutex mutex;
  std::map<std::vector<ov::PartialShape>, std::vector<ov::PartialShape>,
           bool (*)(const std::vector<ov::PartialShape>&, const std::vector<ov::PartialShape>&)>
      known{[](const auto& a, const auto& b) { return text_of(a) < text_of(b); }};

  static std::string text_of(const std::vector<ov::PartialShape>& shapes) {
    std::string text;
    for (const auto& shape : shapes) text += shape.to_string() + ";";
    return text;
  }
};

void check_port(const ov::Output<const ov::Node>& port, const StandinModelTensor& tensor) {
  const ov::element::Type wanted = type_of(tensor);
  if (port.get_element_type() != wanted) {
    throw std::runtime_error(std::string(tensor.name) + ": the model has " +
                             port.get_element_type().get_type_name() + ", the plan " +
                             wanted.get_type_name());
  }
  const auto rank = port.get_partial_shape().rank();
  if (rank.is_static() && rank.get_length() != tensor.rank) {
    throw std::runtime_error(std::string(tensor.name) + ": the model has rank " +
                             std::to_string(rank.get_length()) + ", the plan " +
                             std::to_string(tensor.rank));
  }
}

void check_ports(const Model& model, const StandinModelTensor* tensors, std::size_t count) {
  const std::shared_ptr<const ov::Model> graph = model.graph;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t& index = tensors[i].is_input != 0 ? inputs : outputs;
    const auto ports = tensors[i].is_input != 0 ? graph->inputs() : graph->outputs();
    if (index < ports.size()) check_port(ports[index], tensors[i]);
    ++index;
  }
  if (inputs != graph->inputs().size() || outputs != graph->outputs().size()) {
    throw std::runtime_error("the model has " + std::to_string(graph->inputs().size()) +
                             " inputs and " + std::to_string(graph->outputs().size()) +
                             " outputs, the plan " + std::to_string(inputs) + " and " +
                             std::to_string(outputs));
  }
}

// Every exception becomes text: the caller is built apart.
template <class Body>
auto guarded(char* error, std::size_t error_bytes, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& failure) {
    std::snprintf(error, error_bytes, "%s", failure.what());
    return {};
  }
}

void* load(const char* xml, std::size_t xml_bytes, const void* weights, std::size_t weights_bytes,
           const StandinModelTensor* tensors, std::size_t count, char* error,
           std::size_t error_bytes) {
  return guarded(error, error_bytes, [&]() -> void* {
    auto model = std::make_unique<Model>();
    model->weights = ov::Tensor(ov::element::u8, {weights_bytes});
    if (weights_bytes != 0) std::memcpy(model->weights.data(), weights, weights_bytes);
    model->graph = core().read_model(std::string(xml, xml_bytes), model->weights);
    check_ports(*model, tensors, count);
    for (std::size_t i = 0; i < count; ++i) {
      model->types.push_back(type_of(tensors[i]));
      model->is_input.push_back(tensors[i].is_input);
    }
    model->compiled = core().compile_model(model->graph, "CPU", repeatable());
    return model.release();
  });
}

void unload(void* model) { delete static_cast<Model*>(model); }

std::vector<ov::PartialShape> infer_outputs(Model& model,
                                            const std::vector<ov::PartialShape>& inputs) {
  const std::lock_guard<std::mutex> lock(model.mutex);
  const auto found = model.known.find(inputs);
  if (found != model.known.end()) return found->second;
  const auto graph = model.graph->clone();
  std::map<ov::Output<ov::Node>, ov::PartialShape> wanted;
  const auto ports = graph->inputs();
  for (std::size_t i = 0; i < ports.size(); ++i) wanted[ports[i]] = inputs[i];
  graph->reshape(wanted);
  std::vector<ov::PartialShape> outputs;
  for (const auto& port : graph->outputs()) outputs.push_back(port.get_partial_shape());
  return model.known[inputs] = outputs;
}

int infer(void* handle, StandinModelTensor* tensors, std::size_t count, char* error,
          std::size_t error_bytes) {
  return guarded(error, error_bytes, [&] {
    Model& model = *static_cast<Model*>(handle);
    std::vector<ov::PartialShape> inputs;
    for (std::size_t i = 0; i < count; ++i) {
      if (model.is_input[i] != 0) inputs.emplace_back(shape_of(tensors[i]));
    }
    const auto outputs = infer_outputs(model, inputs);
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (model.is_input[i] != 0) continue;
      const ov::PartialShape& shape = outputs[next++];
      tensors[i].rank = static_cast<int32_t>(shape.rank().get_length());
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        tensors[i].extents[axis] = shape[axis].is_static() ? shape[axis].get_length() : -1;
      }
    }
    return 1;
  });
}

struct Request {
  Model* model;
  ov::InferRequest request;
};

void* make_request(void* handle, char* error, std::size_t error_bytes) {
  return guarded(error, error_bytes, [&]() -> void* {
    auto* const model = static_cast<Model*>(handle);
    return new Request{model, model->compiled.create_infer_request()};
  });
}

void drop_request(void* request) { delete static_cast<Request*>(request); }

// An output in an input's memory must not be written while inputs are read: it is copied at the
// end.
bool shares_an_input(const Request& request, const StandinModelTensor* tensors, std::size_t count,
                     const void* data) {
  for (std::size_t i = 0; i < count; ++i) {
    if (request.model->is_input[i] != 0 && tensors[i].data == data) return true;
  }
  return false;
}

int run(void* handle, const StandinModelTensor* tensors, std::size_t count, char* error,
        std::size_t error_bytes) {
  return guarded(error, error_bytes, [&] {
    Request& request = *static_cast<Request*>(handle);
    std::vector<std::pair<std::size_t, const StandinModelTensor*>> copied;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const StandinModelTensor& tensor = tensors[i];
      const auto wrap = [&] {
        return ov::Tensor(request.model->types[i], shape_of(tensor), tensor.data);
      };
      if (request.model->is_input[i] != 0) {
        request.request.set_input_tensor(inputs++, wrap());
      } else if (shares_an_input(request, tensors, count, tensor.data)) {
        copied.emplace_back(outputs++, &tensor);
      } else {
        request.request.set_output_tensor(outputs++, wrap());
      }
    }
    request.request.infer();
    for (const auto& [index, tensor] : copied) {
      const ov::Tensor result = request.request.get_output_tensor(index);
      std::memcpy(tensor->data, result.data(), result.get_byte_size());
    }
    return 1;
  });
}

const StandinModelApi kApi = {load, unload, infer, make_request, drop_request, run};

}  // namespace

extern "C" __attribute__((visibility("default"))) const StandinModelApi* standin_model_api(void) {
  return &kApi;
}
