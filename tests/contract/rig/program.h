// One delegated subgraph, loaded and run through ExecuTorch's backend registry only.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/error.h>

#include "tensor.h"

namespace contract {

using executorch::runtime::BackendInterface;
using executorch::runtime::BackendOption;
using executorch::runtime::Error;
using executorch::runtime::EventTracer;

// The delegate as the registry knows it; null when it is not registered.
BackendInterface* backend();

BackendOption option(const std::string& key, bool value);
BackendOption option(const std::string& key, int value);
BackendOption option(const std::string& key, const std::string& value);
BackendOption option(const std::string& key, const char* value);

struct LoadRequest {
  LoadRequest(std::string blob_bytes) : blob(std::move(blob_bytes)) {}  // NOLINT: reads as a blob
  std::string blob;
  std::vector<std::pair<std::string, std::string>> compile_specs = {};
  std::vector<BackendOption> options = {};
};

// Arguments of one execute call, kept so that repeated calls allocate nothing here.
class Call {
 public:
  Call(std::initializer_list<TensorArg*> tensors);
  explicit Call(const std::vector<TensorArg*>& tensors);
  executorch::runtime::Span<EValue*> span() { return {values_.data(), values_.size()}; }
  std::vector<EValue*>& values() { return values_; }

 private:
  std::vector<EValue*> values_;
};

// A loaded subgraph; destroyed with the object.
class Program {
 public:
  explicit Program(executorch::runtime::DelegateHandle* handle) : handle_(handle) {}
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Error execute(Call& call, EventTracer* tracer = nullptr);
  Error execute(std::initializer_list<TensorArg*> tensors);
  void* handle() const { return handle_; }

 private:
  executorch::runtime::DelegateHandle* handle_;
};

struct Loaded {
  Error error;
  std::unique_ptr<Program> program;  // null unless error is Ok
  bool blob_was_freed;               // processed->Free() was called before init returned
  Program* operator->() const { return program.get(); }
};

// Calls init with a heap block of exactly the blob's size, gone when init frees it.
Loaded load(const LoadRequest& request);

}  // namespace contract
