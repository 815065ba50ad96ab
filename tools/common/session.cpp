#include "common/session.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "common/failure.h"
#include "common/input_arrays.h"
#include "common/terminal.h"

namespace trtet {
namespace {

using executorch::extension::Module;
using executorch::runtime::BackendOption;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::LoadBackendOptionsMap;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Span;
using executorch::runtime::Tag;

constexpr char kBackendName[] = "TensorRTBackend";

void check(Error error, const std::string& doing) {
  if (error != Error::Ok)
    throw Failure(doing + " failed: " + executorch::runtime::to_string(error) + " (the lines above say why)");
}

// ExecuTorch's rule for a text value: bool, int or string, by how it is spelt.
executorch::runtime::OptionValue parse_option_value(const std::string& key, const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  std::array<char, executorch::runtime::kMaxOptionValueLength> value{};
  if (text.size() >= value.size())
    throw UsageError("--option " + key + ": the value is longer than " + std::to_string(value.size() - 1) + " bytes");
  std::copy(text.begin(), text.end(), value.begin());
  return value;
}

std::vector<BackendOption> make_backend_options(const ProgramArguments& arguments) {
  std::vector<BackendOption> options;
  auto add = [&](const std::string& key, const std::string& value) {
    BackendOption option;
    if (key.size() >= sizeof option.key)
      throw UsageError("--option " + key + ": the key is longer than " + std::to_string(sizeof option.key - 1) +
                       " bytes");
    std::memcpy(option.key, key.data(), key.size());
    option.value = parse_option_value(key, value);
    options.push_back(option);
  };
  for (const auto& [key, value] : arguments.options) add(key, value);
  if (arguments.device) add("device_id", std::to_string(*arguments.device));
  return options;
}

std::string choose_method(Module& module, const std::string& wanted, const std::string& path) {
  auto names = module.method_names();
  if (!names.ok()) check(names.error(), "reading the methods of " + path);
  if (!wanted.empty() && names->count(wanted) != 0) return wanted;
  if (wanted.empty() && names->count("forward") != 0) return "forward";
  if (wanted.empty() && names->size() == 1) return *names->begin();
  std::vector<std::string> sorted(names->begin(), names->end());
  std::sort(sorted.begin(), sorted.end());
  std::string list;
  for (const auto& name : sorted) list += (list.empty() ? "" : ", ") + printable(name);
  throw UsageError(wanted.empty() ? "--method is needed, the program has several: " + list
                                  : "--method: the program has no method '" + wanted + "'; it has: " + list);
}

bool needs_gpu(const MethodMeta& meta) {
  if (meta.uses_backend(kBackendName)) return true;
  for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    auto device = meta.memory_planned_buffer_device(i);
    if (device.ok() && device->type() != executorch::runtime::etensor::DeviceType::CPU) return true;
  }
  return false;
}

// Once in a process, however many programs it loads.
void announce_standins(const RuntimeLibraries& libraries) {
  static bool is_done = false;
  const std::string notice = standin_notice(libraries);
  if (!is_done && !notice.empty()) print_error("trtet: " + notice);
  is_done = true;
}

// Deprecated for applications; here they are the one way to run without look-ups, checks and copies at every run.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
executorch::runtime::Method* method_of(executorch::extension::Module& module, const std::string& name) {
  auto method = module.method(name);
  if (!method.ok()) check(method.error(), "finding method " + name);
  return method.get();
}

void* memory_of_input(const executorch::runtime::Method& method, std::size_t index) {
  return method.get_input(index).toTensor().mutable_data_ptr();
}
#pragma GCC diagnostic pop

}  // namespace

Session::Session(const ProgramArguments& arguments, PhaseTracer* tracer)
    : path_(arguments.model), module_(std::make_unique<Module>(arguments.model, Module::LoadMode::Mmap)) {
  load(arguments, tracer);
}

void Session::load(const ProgramArguments& arguments, PhaseTracer* tracer) {
  std::vector<BackendOption> options = make_backend_options(arguments);
  LoadBackendOptionsMap map;
  if (!options.empty())
    check(map.set_options(kBackendName, Span<BackendOption>(options.data(), options.size())), "setting options");
  check(module_->load(map, Program::Verification::InternalConsistency), "loading " + path_);
  method_ = choose_method(*module_, arguments.method, path_);
  auto meta = module_->method_meta(method_);
  if (!meta.ok()) check(meta.error(), "reading method " + method_ + " of " + path_);
  uses_tensorrt_ = meta->uses_backend(kBackendName);
  if (needs_gpu(*meta)) {
    libraries_ = &require_runtime_libraries();
    announce_standins(*libraries_);
  } else if (arguments.device || arguments.wants_caller_stream || arguments.green_context_sms) {
    throw UsageError("--device, --caller-stream and --green-context-sms need a program that uses a GPU; " + path_ +
                     " does not");
  }
  choose_stream(arguments);
  values_ = read_method_values(*meta, path_);
  planned_memory_ = std::make_unique<PlannedMemory>(*meta, libraries_ == nullptr ? nullptr : &libraries_->cuda);
  check(module_->load_method(method_, planned_memory_->allocator(), tracer),
        "loading method " + method_ + " of " + path_);
  loaded_method_ = method_of(*module_, method_);
}

void Session::choose_stream(const ProgramArguments& arguments) {
  if (libraries_ == nullptr) return;
  const int device = arguments.device.value_or(0);
  if (arguments.device) libraries_->cuda.check(libraries_->cuda.set_device(device), "choosing the GPU of --device");
  if (arguments.wants_caller_stream || arguments.green_context_sms == 0)
    stream_ = make_caller_stream(*libraries_);
  else if (arguments.green_context_sms)
    stream_ = make_green_context_stream(*libraries_, device, *arguments.green_context_sms);
}

Session::Binding Session::bind(Array array, const ValueInfo& info, Residence residence) const {
  Binding binding;
  binding.array = std::move(array);
  if (info.tag != Tag::Tensor) {
    binding.value = scalar_value(info.tag, binding.array);
    return binding;
  }
  void* data = binding.array.bytes.data();
  auto device = executorch::aten::Device(executorch::aten::DeviceType::CPU);
  if (residence == Residence::kDevice) {
    binding.device.emplace(libraries_->cuda, binding.array.bytes.size());
    copy_anywhere(libraries_->cuda, binding.device->data(), data, binding.array.bytes.size());
    data = binding.device->data();
    device = executorch::aten::Device(executorch::aten::DeviceType::CUDA);
  }
  binding.tensor = executorch::extension::make_tensor_ptr(binding.array.sizes, data, binding.array.dtype, device);
  binding.value = EValue(*binding.tensor);
  return binding;
}

void Session::bind_inputs(std::vector<Array> arrays, Residence residence) {
  bound_inputs_.clear();
  bound_inputs_.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool on_device = residence == Residence::kDevice || values_.inputs[i].is_on_device;
    bound_inputs_.push_back(
        bind(std::move(arrays[i]), values_.inputs[i], on_device ? Residence::kDevice : Residence::kHost));
  }
  set_inputs();
  bind_outputs(residence);
}

// A planned input's memory may be used again for something else during a run, so each run finds it filled anew; the
// others stay as they are bound.
void Session::set_inputs() {
  planned_inputs_.clear();
  reset_inputs_.clear();
  for (std::size_t i = 0; i < bound_inputs_.size(); ++i) {
    const ValueInfo& info = values_.inputs[i];
    check(loaded_method_->set_input(bound_inputs_[i].value, i), "setting input " + info.name);
    const bool is_tensor = info.tag == Tag::Tensor;
    if (is_tensor && info.is_memory_planned && !info.is_on_device && !bound_inputs_[i].device) {
      const Array& array = bound_inputs_[i].array;
      planned_inputs_.push_back({memory_of_input(*loaded_method_, i), array.bytes.data(), array.bytes.size()});
    } else if (!is_tensor || info.is_memory_planned) {
      reset_inputs_.push_back(i);
    }
  }
}

void Session::restore_planned_inputs() {
  for (const PlannedInput& input : planned_inputs_) std::memcpy(input.memory, input.bytes, input.count);
  for (const std::size_t i : reset_inputs_) {
    const Error error = loaded_method_->set_input(bound_inputs_[i].value, i);
    if (error != Error::Ok) check(error, "setting input " + values_.inputs[i].name);
  }
}

void Session::bind_outputs(Residence residence) {
  bound_outputs_.clear();
  for (std::size_t i = 0; i < values_.outputs.size(); ++i) {
    const ValueInfo& info = values_.outputs[i];
    if (info.tag != Tag::Tensor || info.is_memory_planned || info.is_given) continue;
    const bool on_device = residence == Residence::kDevice || info.is_on_device;
    bound_outputs_.push_back(
        bind(make_array(info.dtype, info.sizes), info, on_device ? Residence::kDevice : Residence::kHost));
    check(module_->set_output(method_, bound_outputs_.back().value, i), "setting output " + info.name);
  }
}

void Session::execute() {
  restore_planned_inputs();
  const Error error = loaded_method_->execute();
  if (error != Error::Ok) check(error, "running method " + method_ + " of " + path_);
}

std::vector<OutputValue> Session::read_outputs() const {
  auto values = module_->get_outputs(method_);
  if (!values.ok()) check(values.error(), "reading the outputs of " + path_);
  std::vector<OutputValue> outputs;
  for (std::size_t i = 0; i < values->size(); ++i) {
    const EValue& value = (*values)[i];
    const std::string name = i < values_.outputs.size() ? values_.outputs[i].name : "output" + std::to_string(i);
    if (!value.isTensor()) {
      outputs.push_back({name, scalar_array(value)});
      continue;
    }
    const auto& tensor = value.toTensor();
    Array array = make_array(tensor.scalar_type(), {tensor.sizes().begin(), tensor.sizes().end()});
    const void* data = tensor.const_data_ptr();
    if (!array.bytes.empty() && data == nullptr) throw Failure("output " + name + " has no memory");
    if (libraries_ != nullptr)
      copy_anywhere(libraries_->cuda, array.bytes.data(), data, array.bytes.size());
    else if (!array.bytes.empty())
      std::memcpy(array.bytes.data(), data, array.bytes.size());
    outputs.push_back({name, std::move(array)});
  }
  return outputs;
}

void Session::rebind_input(std::size_t index, Array array) {
  Binding& binding = bound_inputs_.at(index);
  if (array.dtype != binding.array.dtype || array.sizes != binding.array.sizes)
    throw Failure("input " + values_.inputs[index].name + " is bound as " +
                  describe(binding.array.dtype, binding.array.sizes) + ", got " + describe(array.dtype, array.sizes));
  if (values_.inputs[index].tag != Tag::Tensor) {
    binding.value = scalar_value(values_.inputs[index].tag, array);
  } else if (binding.device) {
    copy_anywhere(libraries_->cuda, binding.device->data(), array.bytes.data(), array.bytes.size());
  } else {
    std::copy(array.bytes.begin(), array.bytes.end(), binding.array.bytes.begin());
  }
}

}  // namespace trtet
