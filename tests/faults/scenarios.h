// The programs and buffers that the sweep runs, each reaching other calls to CUDA and TensorRT.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rig/buffer.h"
#include "rig/program.h"

namespace faults {

using contract::Error;
using contract::Program;

// Buffers and tensors of one loaded program.
class Session {
 public:
  virtual ~Session() = default;
  // Call number `call` (from 0): fills the inputs, spoils the outputs; then executes; then compares.
  virtual void prepare(int call) = 0;
  virtual Error execute(Program& program, int call) = 0;
  virtual bool is_right(int call) = 0;
};

struct Scenario {
  std::string name;
  std::function<contract::LoadRequest()> request;
  std::function<std::unique_ptr<Session>()> session;
  int calls = 1;  // that are swept, each on a fresh load after the calls before it went well
  std::vector<std::pair<std::string, std::string>> cuda_settings = {};
};

std::vector<Scenario> scenarios();

}  // namespace faults
