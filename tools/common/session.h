// A loaded program with its inputs: what `run`, `bench` and `kv-check` drive.
#pragma once

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/arguments.h"
#include "common/array.h"
#include "common/caller_stream.h"
#include "common/device_buffer.h"
#include "common/phases.h"
#include "common/planned_memory.h"
#include "common/runtime_libraries.h"

namespace trtet {

enum class Residence { kHost, kDevice };

// One input or output of a method, as the program declares it. Sizes are upper bounds.
struct ValueInfo {
  std::string name;  // the program's, else "input0" / "output0"
  executorch::runtime::Tag tag = executorch::runtime::Tag::None;
  ScalarType dtype = ScalarType::Float;  // tensors only, like what follows
  std::vector<std::int32_t> sizes;
  bool is_memory_planned = false;
  bool is_on_device = false;  // the program takes or gives it in GPU memory, without a copy
  bool is_cache = false;      // inputs: the delegate updates it in place (an aliased output)
};

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

  const std::vector<ValueInfo>& inputs() const { return inputs_; }
  // Index of the input with this name or number. Throws UsageError naming `flag` and the inputs there are.
  std::size_t find_input(const std::string& name, const char* flag) const;
  const std::vector<ValueInfo>& outputs() const { return outputs_; }
  const std::string& method() const { return method_; }
  bool uses_tensorrt() const { return uses_tensorrt_; }
  // Null when the program needs none.
  const RuntimeLibraries* libraries() const { return libraries_; }

  // One array per input from the arguments: .npy files, random values, or ones. Throws UsageError for an input
  // that the program does not have, Failure for a file that does not fit it. Caches are zeroed.
  std::vector<Array> make_inputs(const ProgramArguments& arguments) const;

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

  void load(const ProgramArguments& arguments, PhaseTracer* tracer);
  void read_method(const executorch::runtime::MethodMeta& meta);
  void read_placement();
  void choose_stream(const ProgramArguments& arguments);
  void set_inputs();
  void bind_outputs(Residence residence);
  Binding bind(Array array, const ValueInfo& info, Residence residence) const;

  std::string path_;
  std::string method_;
  bool uses_tensorrt_ = false;
  const RuntimeLibraries* libraries_ = nullptr;
  std::unique_ptr<CallerStream> stream_;  // both declared before the module, whose method uses them to its end
  std::unique_ptr<PlannedMemory> planned_memory_;
  std::unique_ptr<executorch::extension::Module> module_;
  std::vector<ValueInfo> inputs_;
  std::vector<ValueInfo> outputs_;
  std::vector<Binding> bound_inputs_;
  std::vector<Binding> bound_outputs_;
};

}  // namespace trtet
