// trtet doctor: would a program with a TensorRT engine run here, and if not, what is missing?
// The verdict and the names are those of `python -m torch_tensorrt_executorch_runtime`, without Python.
#include <NvInferRuntime.h>
#include <dlfcn.h>
#include <executorch/runtime/backend/interface.h>
#include <link.h>

#include <memory>

#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/json.h"
#include "common/runtime_libraries.h"
#include "common/terminal.h"
#include "executorch_backend_tensorrt/options.h"

namespace trtet {
namespace {

using executorch_backend_tensorrt::kBackendName;

constexpr char kExecutorchLibrary[] = "libexecutorch.so";

void add_problem(Json& report, const char* part, const std::string& message, const char* command) {
  report["problems"].push_back({{"part", part}, {"message", message}, {"command", command}});
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Path of a library that is in the process, empty when it is not.
std::string mapped_path(const char* soname) {
  void* handle = dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  link_map* map = nullptr;
  const std::string path = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
  dlclose(handle);
  return path;
}

Json describe_library(const LoadedLibrary& library) {
  if (library.handle == nullptr) return nullptr;
  return {{"path", library.path}};
}

Json check_cuda_runtime(const RuntimeLibraries& libraries, Json& report) {
  Json part = describe_library(libraries.cuda_runtime);
  if (!libraries.cuda_runtime.error.empty()) {
    add_problem(report, "cuda_runtime", libraries.cuda_runtime.error, kInstallCudaRuntime);
    return part;
  }
  int version = 0;
  libraries.cuda.runtime_get_version(&version);
  part["version"] = cuda_version_text(version);
  part["stand_in"] = libraries.has_cuda_standin;
  return part;
}

Json check_tensorrt(const RuntimeLibraries& libraries, Json& report) {
  Json part = describe_library(libraries.tensorrt);
  if (libraries.tensorrt.handle == nullptr) {
    add_problem(report, "tensorrt", libraries.tensorrt.error, kInstallTensorRt);
    return part;
  }
  part["stand_in"] = libraries.has_tensorrt_standin;
  int numbers[4] = {};
  const char* symbols[4] = {"getInferLibMajorVersion", "getInferLibMinorVersion", "getInferLibPatchVersion",
                            "getInferLibBuildVersion"};
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto ask = reinterpret_cast<std::int32_t (*)()>(dlsym(libraries.tensorrt.handle, symbols[i]));
    numbers[i] = ask == nullptr ? 0 : ask();
    text += (i == 0 ? "" : ".") + std::to_string(numbers[i]);
  }
  part["version"] = text;
  if (numbers[0] != NV_TENSORRT_MAJOR)
    add_problem(report, "tensorrt",
                "TensorRT " + text + " is loaded from " + libraries.tensorrt.path + ", the delegate is built for " +
                    std::to_string(NV_TENSORRT_MAJOR),
                kInstallTensorRt);
  return part;
}

Json check_delegate(const RuntimeLibraries& libraries, Json& report) {
  if (libraries.delegate.handle == nullptr) add_problem(report, "delegate", libraries.delegate.error, kInstallDelegate);
  const auto* backend = executorch::runtime::get_backend_class(kBackendName);
  report["registered"] = backend != nullptr;
  if (libraries.delegate.handle != nullptr && backend == nullptr)
    add_problem(report, "delegate",
                libraries.delegate.path + " is loaded and registered nothing: it belongs to another ExecuTorch than " +
                    mapped_path(kExecutorchLibrary),
                kInstallDelegate);
  return describe_library(libraries.delegate);
}

Json check_gpu(const RuntimeLibraries& libraries, Json& report) {
  if (!libraries.cuda_runtime.error.empty()) return {{"count", 0}, {"driver", nullptr}};
  int count = 0, driver = 0;
  libraries.cuda.driver_get_version(&driver);
  const cudaError_t status = libraries.cuda.get_device_count(&count);
  if (status != cudaSuccess) {
    libraries.cuda.get_last_error();
    count = 0;
  }
  if (count == 0)
    add_problem(report, "gpu",
                std::string("no usable GPU: ") +
                    (status == cudaSuccess ? "the driver reports none" : libraries.cuda.get_error_string(status)) +
                    ". Install NVIDIA's driver for CUDA 13 and make a GPU visible",
                "nvidia-smi");
  return {{"count", count}, {"driver", driver == 0 ? Json(nullptr) : Json(cuda_version_text(driver))}};
}

Json collect() {
  const RuntimeLibraries& libraries = open_runtime_libraries();
  Json report = {{"usable", false}, {"version", TRTET_VERSION}, {"built_for_executorch", TRTET_EXECUTORCH_VERSION}};
  report["problems"] = Json::array();
  report["libraries"] = Json::object();
  report["libraries"]["delegate"] = check_delegate(libraries, report);
  report["libraries"]["executorch"] = {{"path", mapped_path(kExecutorchLibrary)}};
  report["libraries"]["tensorrt"] = check_tensorrt(libraries, report);
  report["libraries"]["cuda_runtime"] = check_cuda_runtime(libraries, report);
  report["gpu"] = check_gpu(libraries, report);
  report["stand_ins"] = Json::array();
  if (libraries.has_tensorrt_standin) report["stand_ins"].push_back("tensorrt");
  if (libraries.has_cuda_standin) report["stand_ins"].push_back("cuda_runtime");
  report["usable"] = report["problems"].empty();
  return report;
}

std::string as_text(const Json& report) {
  std::string text = "trtet " + report["version"].get<std::string>() + ", built for ExecuTorch " +
                     report["built_for_executorch"].get<std::string>() + "\n\nlibraries in this process\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, part] : report["libraries"].items()) {
    if (part.is_null())
      rows.push_back({name, "not loaded"});
    else
      rows.push_back({name, part.value("version", ""), part["path"].get<std::string>()});
  }
  text += aligned(rows);
  const Json& driver = report["gpu"]["driver"];
  text += "\nGPUs: " + report["gpu"]["count"].dump() + "; driver for CUDA " +
          (driver.is_null() ? "none" : driver.get<std::string>()) + "\n";
  text += std::string(kBackendName) + " registered: " + (report["registered"] == true ? "yes" : "no") + "\n";
  if (!report["stand_ins"].empty()) {
    std::string names;
    for (const Json& name : report["stand_ins"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    text += "note: stand-ins are in use for: " + names + "; no GPU does the work\n";
  }
  for (const Json& problem : report["problems"])
    text += "problem (" + problem["part"].get<std::string>() + "): " + problem["message"].get<std::string>() +
            "\n  try: " + problem["command"].get<std::string>() + "\n";
  const bool is_usable = report["usable"];
  return text +
         "\nverdict: " + (is_usable ? coloured("usable", Colour::kGreen) : coloured("not usable", Colour::kRed)) + "\n";
}

int doctor(bool wants_json) {
  const Json report = collect();
  print(wants_json ? json_text(report) : as_text(report));
  return report["usable"] == true ? kExitOk : kExitFailure;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto wants_json = std::make_shared<bool>(false);
  CLI::App& command = *app.add_subcommand("doctor", "Say whether programs would run here, and what is missing");
  command.footer(
      "The verdict of python -m torch_tensorrt_executorch_runtime, without Python. Exit code 0 only when usable.\n"
      "Examples:\n"
      "  trtet doctor\n"
      "  trtet doctor --json");
  add_single_flag(command, "--json", *wants_json, "Print one JSON object instead of text");
  command.callback([wants_json, &action] { action = [wants_json] { return doctor(*wants_json); }; });
}

}  // namespace trtet
