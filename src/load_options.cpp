#include "load_options.h"

#include <strings.h>

#include <charconv>
#include <cstring>
#include <string_view>
#include <variant>

#include "base/message.h"
#include "executorch_backend_tensorrt/options.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::ArrayRef;
using executorch::runtime::BackendOption;
using executorch::runtime::CompileSpec;
using executorch::runtime::Error;
using executorch::runtime::kMaxOptionKeyLength;
using executorch::runtime::kMaxOptionValueLength;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace {

constexpr char kTargetDevice[] = "target_device";
constexpr int kLeastAlignment = 16;
constexpr int kMostAlignment = 256;

// Digits only: no sign, no space, no hex, nothing that overflows.
template <typename T>
std::optional<T> read_decimal(std::string_view text) {
  T value = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional<T>(value) : std::nullopt;
}

Error set_flag(bool LoadOptions::* member, const BackendOption& option, LoadOptions& loaded) {
  const bool* value = std::get_if<bool>(&option.value);
  if (value == nullptr) {
    return message::option_type("true or false", option.key);
  }
  loaded.*member = *value;
  return Error::Ok;
}

Error set_budget(const BackendOption& option, LoadOptions& loaded) {
  if (const int* number = std::get_if<int>(&option.value)) {
    if (*number < 0) {
      return message::option_budget(option.key);
    }
    loaded.weight_streaming_budget = *number;
    return Error::Ok;
  }
  const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&option.value);
  if (text == nullptr) {
    return message::option_budget(option.key);
  }
  const std::string_view digits(text->data(), strnlen(text->data(), text->size()));
  if (digits.empty()) {
    (void)message::option_budget_empty(option.key);
    return Error::Ok;
  }
  const auto bytes = read_decimal<std::int64_t>(digits);
  if (!bytes) {
    return message::option_budget(option.key);
  }
  loaded.weight_streaming_budget = bytes;
  return Error::Ok;
}

Error set_device(const BackendOption& option, LoadOptions& loaded) {
  const int* index = std::get_if<int>(&option.value);
  if (index == nullptr || *index < 0) {
    return message::option_type("an int from 0", option.key);
  }
  loaded.device = static_cast<DeviceId>(*index);
  loaded.is_device_chosen = true;
  return Error::Ok;
}

Error set_shared_activation(const BackendOption& option, LoadOptions& loaded) {
  return set_flag(&LoadOptions::shares_activation_memory, option, loaded);
}

Error set_cuda_graph(const BackendOption& option, LoadOptions& loaded) {
  return set_flag(&LoadOptions::uses_cuda_graph, option, loaded);
}

Error set_alignment(const BackendOption& option, LoadOptions& loaded) {
  const int* bytes = std::get_if<int>(&option.value);
  if (bytes == nullptr || *bytes < kLeastAlignment || *bytes > kMostAlignment ||
      (*bytes & (*bytes - 1)) != 0) {
    return message::option_type("an int, a power of two from 16 to 256", option.key);
  }
  loaded.alignment = static_cast<std::uint32_t>(*bytes);
  return Error::Ok;
}

struct OptionRule {
  const char* key;
  Error (*set)(const BackendOption&, LoadOptions&);
};

constexpr OptionRule kOptionRules[] = {
    {kWeightStreamingBudget, set_budget},
    {kDeviceId, set_device},
    {kSharedActivationMemory, set_shared_activation},
    {kAssumeAlignment, set_alignment},
    {kCudaGraph, set_cuda_graph},
};

Error set_option(const BackendOption& option, LoadOptions& loaded) {
  for (const OptionRule& rule : kOptionRules) {
    if (std::strncmp(rule.key, option.key, kMaxOptionKeyLength) == 0) {
      return rule.set(option, loaded);
    }
  }
  return message::option_unknown(option.key);
}

std::string_view text_of(const CompileSpec& spec) {
  return {static_cast<const char*>(spec.value.buffer), spec.value.nbytes};
}

Error set_budget_spec(const CompileSpec& spec, LoadOptions& loaded) {
  if (loaded.weight_streaming_budget) {
    return message::spec_twice(kWeightStreamingBudget);
  }
  loaded.weight_streaming_budget = read_decimal<std::int64_t>(text_of(spec));
  return loaded.weight_streaming_budget ? Error::Ok : message::spec_budget();
}

bool is_type(std::string_view text, std::string_view type) {
  return text.size() == type.size() && strncasecmp(text.data(), type.data(), type.size()) == 0;
}

// The exporter's mark that inputs and outputs live in the memory of one GPU. ExecuTorch takes it in
// any case and without an index too.
Error read_target(const CompileSpec& spec, std::optional<int>& target) {
  if (target) {
    return message::spec_twice(kTargetDevice);
  }
  const std::string_view text = text_of(spec);
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  const auto index =
      colon == text.npos ? std::optional<int>(0) : read_decimal<int>(text.substr(colon + 1));
  if (is_type(type, "cpu") && index) {
    return Error::Ok;
  }
  target = is_type(type, "cuda") ? index : std::nullopt;
  return target ? Error::Ok : message::spec_target();
}

} // namespace

Result<LoadOptions> read_load_options(
    Span<const BackendOption> options, ArrayRef<CompileSpec> specs, const Metadata& metadata) {
  LoadOptions loaded;
  loaded.device = static_cast<DeviceId>(metadata.device_id);
  std::optional<int> target;
  Error error = Error::Ok;
  for (const CompileSpec& spec : specs) {
    if (std::strcmp(spec.key, kWeightStreamingBudget) == 0) {
      error = set_budget_spec(spec, loaded);
    } else if (std::strcmp(spec.key, kTargetDevice) == 0) {
      error = read_target(spec, target);
    }
    if (error != Error::Ok) {
      return error;
    }
  }
  for (const BackendOption& option : options) {
    error = set_option(option, loaded);
    if (error != Error::Ok) {
      return error;
    }
  }
  loaded.is_device_tagged = target.has_value();
  if (target && !loaded.is_device_chosen && *target != metadata.device_id) {
    return message::spec_target_disagrees(*target, metadata.device_id);
  }
  return loaded;
}

} // namespace executorch_backend_tensorrt
