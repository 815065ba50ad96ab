// A loaded program with its inputs: what `run`, `bench` and `kv-check` drive.
#pragma once

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/arguments.h"
#include "common/array.h"
#include "common/caller_stream.h"
#include "common/device_buffer.h"
#include "common/phases.h"
#include "common/planned_memory.h"
#include "common/runtime_libraries.h"
#include "common/value_info.h"

namespace trtet {

enum class Residence { kHost, kDevice };

// An output after a run; scalars become 0-d arrays.
struct OutputValue {
  std::string name;
  Array array;
};

class Session {
 public:
  // Loads the program and its method. Loads the delegate's libraries when the program needs a GPU.
  // `tracer` is borrowed and may be null. Throws Failure (after ExecuTorch's log went to stderr).
  explicit Session(const ProgramArguments& arguments, PhaseTracer* tracer = nullptr);

  const std::vector<ValueInfo>& inputs() const { return values_.inputs; }
  const std::vector<ValueInfo>& outputs() const { return values_.outputs; }
  const std::string& method() const { return method_; }
  bool uses_tensorrt() const { return uses_tensorrt_; }
  // Null when the program needs none.
  const RuntimeLibraries* libraries() const { return libraries_; }

  // Binds arrays as the method's inputs; the session keeps them. Throws Failure.
  void bind_inputs(std::vector<Array> arrays, Residence residence = Residence::kHost);

  // Runs once. Throws Failure.
  void execute();

  // Outputs of the last run, copied to the host. Throws Failure.
  std::vector<OutputValue> read_outputs() const;

  // Replaces the contents of a bound input of the same dtype and shape; other inputs keep theirs.
  void rebind_input(std::size_t index, Array array);

 private:
  struct Binding {
    Array array;                         // host copy; the storage itself for host residence
    std::optional<DeviceBuffer> device;  // the storage for device residence
    executorch::extension::TensorPtr tensor;
    executorch::runtime::EValue value;
  };

  // A planned input's own memory, and what a run has to find there. Host memory only.
  struct PlannedInput {
    void* memory;
    const std::uint8_t* bytes;
    std::size_t count;
  };

  void load(const ProgramArguments& arguments, PhaseTracer* tracer);
  void choose_stream(const ProgramArguments& arguments);
  void set_inputs();
  void restore_planned_inputs();
  void bind_outputs(Residence residence);
  Binding bind(Array array, const ValueInfo& info, Residence residence) const;

  std::string path_;
  std::string method_;
  bool uses_tensorrt_ = false;
  const RuntimeLibraries* libraries_ = nullptr;
  std::unique_ptr<CallerStream> stream_;  // both declared before the module, whose method uses them to its end
  std::unique_ptr<PlannedMemory> planned_memory_;
  std::unique_ptr<executorch::extension::Module> module_;
  executorch::runtime::Method* loaded_method_ = nullptr;  // owned by module_
  MethodValues values_;
  std::vector<Binding> bound_inputs_;
  std::vector<PlannedInput> planned_inputs_;
  std::vector<std::size_t> reset_inputs_;  // set anew before every run
  std::vector<Binding> bound_outputs_;
};

}  // namespace trtet
