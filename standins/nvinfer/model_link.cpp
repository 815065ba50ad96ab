#include "model_link.h"

#include <dlfcn.h>

namespace standins {
namespace {

constexpr const char* kLibrary = "libstandin_openvino.so";
constexpr std::size_t kErrorBytes = 512;

// Beside this library, else by the loader's search path.
const StandinModelApi* load_api() {
  Dl_info info{};
  std::string path = kLibrary;
  if (dladdr(reinterpret_cast<void*>(&load_api), &info) != 0 && info.dli_fname != nullptr) {
    const std::string own = info.dli_fname;
    if (const auto slash = own.rfind('/'); slash != std::string::npos) {
      path = own.substr(0, slash + 1) + kLibrary;
    }
  }
  // Never closed: OpenVINO's threads would outlive it.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw PlanError("plan: holds an OpenVINO model and its runner cannot be loaded: " +
                    std::string(dlerror()));
  }
  using Get = const StandinModelApi* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(library, "standin_model_api"));
  if (get == nullptr) throw PlanError("plan: " + path + " lacks standin_model_api");
  return get();
}

StandinModelTensor describe(const PlanTensor& tensor) {
  StandinModelTensor out{};
  out.name = tensor.name.c_str();
  out.dtype = static_cast<int32_t>(tensor.dtype);
  out.is_input = tensor.is_input;
  out.rank = static_cast<int32_t>(tensor.shape.size());
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) out.extents[i] = tensor.shape[i];
  return out;
}

void set_shape(StandinModelTensor& tensor, const Dims& dims) {
  tensor.rank = dims.nbDims;
  for (int i = 0; i < dims.nbDims; ++i) tensor.extents[i] = dims.d[i];
}

}  // namespace

std::unique_ptr<Model> Model::load(const Plan& plan, const void* blob) {
  static const StandinModelApi* const api = load_api();
  std::vector<StandinModelTensor> tensors;
  for (const auto& tensor : plan.tensors) tensors.push_back(describe(tensor));
  char error[kErrorBytes] = "";
  const auto* const bytes = static_cast<const char*>(blob);
  void* const handle = api->load(bytes + plan.openvino.xml_offset, plan.openvino.xml_bytes,
                                 bytes + plan.openvino.weights_offset, plan.openvino.weights_bytes,
                                 tensors.data(), tensors.size(), error, sizeof error);
  if (handle == nullptr) throw PlanError("plan: OpenVINO model: " + std::string(error));
  return std::unique_ptr<Model>(new Model(api, handle, tensors.size()));
}

Model::~Model() { api_->unload(handle_); }

bool Model::infer(std::vector<Dims>& shapes, std::string& problem) const {
  std::vector<StandinModelTensor> tensors(tensors_);
  for (std::size_t i = 0; i < tensors_; ++i) set_shape(tensors[i], shapes[i]);
  char error[kErrorBytes] = "";
  if (api_->infer(handle_, tensors.data(), tensors.size(), error, sizeof error) == 0) {
    problem = error;
    return false;
  }
  for (std::size_t i = 0; i < tensors_; ++i) {
    shapes[i].nbDims = tensors[i].rank;
    for (int axis = 0; axis < tensors[i].rank; ++axis) shapes[i].d[axis] = tensors[i].extents[axis];
  }
  return true;
}

Model::Request::Request(const Model& model) : model_(model) {
  char error[kErrorBytes] = "";
  handle_ = model.api_->make_request(model.handle_, error, sizeof error);
  if (handle_ == nullptr) throw PlanError("OpenVINO model: " + std::string(error));
}

Model::Request::~Request() { model_.api_->drop_request(handle_); }

std::string Model::Request::run(const std::vector<void*>& host, const std::vector<Dims>& shapes) {
  std::vector<StandinModelTensor> tensors(model_.tensors_);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    set_shape(tensors[i], shapes[i]);
    tensors[i].data = host[i];
  }
  char error[kErrorBytes] = "";
  const int ran = model_.api_->run(handle_, tensors.data(), tensors.size(), error, sizeof error);
  return ran != 0 ? "" : std::string(error[0] != '\0' ? error : "failed");
}

}  // namespace standins
