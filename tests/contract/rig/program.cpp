#include "program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace contract {
namespace {

using executorch::runtime::ArrayRef;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::CompileSpec;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Span;

// ExecuTorch maps segments at least this much aligned.
constexpr size_t kBlobAlignment = 16;

void free_blob(void* freed, void* data, size_t) {
  *static_cast<bool*>(freed) = true;
  std::free(data);
}

FreeableBuffer owned_copy(const std::string& blob, bool* freed) {
  void* bytes = nullptr;
  if (posix_memalign(&bytes, kBlobAlignment, blob.size() + (blob.empty() ? 1 : 0)) != 0) {
    throw std::bad_alloc();
  }
  std::memcpy(bytes, blob.data(), blob.size());
  return FreeableBuffer(bytes, blob.size(), &free_blob, freed);
}

BackendOption named_option(const std::string& key) {
  BackendOption made{};
  if (key.size() >= sizeof(made.key)) {
    throw std::length_error("rig: option key too long");
  }
  std::memcpy(made.key, key.c_str(), key.size() + 1);
  return made;
}

}  // namespace

BackendInterface* backend() { return executorch::runtime::get_backend_class("TensorRTBackend"); }

BackendOption option(const std::string& key, bool value) {
  BackendOption made = named_option(key);
  made.value = value;
  return made;
}

BackendOption option(const std::string& key, int value) {
  BackendOption made = named_option(key);
  made.value = value;
  return made;
}

BackendOption option(const std::string& key, const std::string& value) {
  BackendOption made = named_option(key);
  std::array<char, executorch::runtime::kMaxOptionValueLength> text{};
  std::memcpy(text.data(), value.c_str(), std::min(value.size(), text.size() - 1));
  made.value = text;
  return made;
}

BackendOption option(const std::string& key, const char* value) { return option(key, std::string(value)); }

Call::Call(std::initializer_list<TensorArg*> tensors) : Call(std::vector<TensorArg*>(tensors)) {}

Call::Call(const std::vector<TensorArg*>& tensors) {
  values_.reserve(tensors.size());
  for (TensorArg* tensor : tensors) {
    values_.push_back(tensor->value());
  }
}

Program::~Program() { backend()->destroy(handle_); }

Error Program::execute(Call& call, EventTracer* tracer) {
  BackendExecutionContext context(tracer, nullptr, "forward");
  return backend()->execute(context, handle_, call.span());
}

Error Program::execute(std::initializer_list<TensorArg*> tensors) {
  Call call(tensors);
  return execute(call);
}

Loaded load(const LoadRequest& request) {
  bool freed = false;
  FreeableBuffer processed = owned_copy(request.blob, &freed);
  std::vector<CompileSpec> specs;
  for (const auto& [key, value] : request.compile_specs) {
    // ExecuTorch's type is not const; the delegate only reads.
    specs.push_back({key.c_str(), {const_cast<char*>(value.data()), value.size()}});
  }
  BackendInitContext context(nullptr, nullptr, "forward", nullptr,
                             Span<const BackendOption>(request.options.data(), request.options.size()));
  const auto result = backend()->init(context, &processed, ArrayRef<CompileSpec>(specs.data(), specs.size()));
  const bool was_freed = freed;
  if (!result.ok()) {
    return {result.error(), nullptr, was_freed};
  }
  return {Error::Ok, std::make_unique<Program>(result.get()), was_freed};
}

}  // namespace contract
