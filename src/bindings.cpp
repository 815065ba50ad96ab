#include "bindings.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::aten::ScalarType;
using executorch::runtime::Error;
using executorch::runtime::Span;
using nvinfer1::DataType;
using nvinfer1::ICudaEngine;
using nvinfer1::TensorIOMode;

namespace {

struct DtypeRule {
  DataType engine;
  ScalarType scalar;
  std::uint32_t bytes;
};

// A type of TensorRT that is not here has no counterpart in ExecuTorch.
constexpr DtypeRule kDtypeRules[] = {
    {DataType::kFLOAT, ScalarType::Float, 4},
    {DataType::kHALF, ScalarType::Half, 2},
    {DataType::kBF16, ScalarType::BFloat16, 2},
    {DataType::kINT8, ScalarType::Char, 1},
    {DataType::kUINT8, ScalarType::Byte, 1},
    {DataType::kINT32, ScalarType::Int, 4},
    {DataType::kINT64, ScalarType::Long, 8},
    {DataType::kBOOL, ScalarType::Bool, 1},
};

// Engine names with their direction, sorted so that 10,000 bindings stay cheap.
struct EngineName {
  const char* name;
  bool is_input;
};
using EngineNames = List<EngineName>;

bool is_before(const EngineName& a, const EngineName& b) {
  return std::strcmp(a.name, b.name) < 0;
}

Error list_names(const ICudaEngine& engine, EngineNames& names) {
  const std::int32_t count = engine.getNbIOTensors();
  if (count < 0) {
    return message::engine_query_failed("getNbIOTensors");
  }
  names.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    const char* name = engine.getIOTensorName(i);
    const TensorIOMode mode = name != nullptr ? engine.getTensorIOMode(name) : TensorIOMode::kNONE;
    if (mode == TensorIOMode::kNONE) {
      return message::engine_query_failed(name == nullptr ? "getIOTensorName" : "getTensorIOMode");
    }
    names.push({name, mode == TensorIOMode::kINPUT});
  }
  return Error::Ok;
}

Error check_dtype(const ICudaEngine& engine, Binding& binding) {
  const DataType dtype = engine.getTensorDataType(binding.name);
  for (const DtypeRule& rule : kDtypeRules) {
    if (rule.engine == dtype) {
      binding.dtype = rule.scalar;
      binding.element_bytes = rule.bytes;
      return Error::Ok;
    }
  }
  return message::binding_dtype(static_cast<int>(dtype), binding.name);
}

// Everything about one tensor that the delegate cannot serve is refused here, by name.
Error check_tensor(const ICudaEngine& engine, int profile_count, Binding& binding) {
  if (binding.is_input && engine.isShapeInferenceIO(binding.name)) {
    return message::binding_shape_tensor(binding.name);
  }
  if (engine.getTensorLocation(binding.name) != nvinfer1::TensorLocation::kDEVICE) {
    return message::binding_on_host(binding.name);
  }
  for (int profile = 0; profile < profile_count; ++profile) {
    const auto format = engine.getTensorFormat(binding.name, profile);
    if (format != nvinfer1::TensorFormat::kLINEAR) {
      return message::binding_format(static_cast<int>(format), binding.name);
    }
  }
  const std::int32_t rank = engine.getTensorShape(binding.name).nbDims;
  if (rank < 0 || rank > kMaxRank) {
    return message::binding_rank(rank, kMaxRank, binding.name);
  }
  binding.shape.rank = rank;
  return check_dtype(engine, binding);
}

Error add_binding(Engine& engine, const EngineName& named) {
  Binding binding;
  binding.name = named.name;
  binding.is_input = named.is_input;
  const Error error = check_tensor(*engine.engine, engine.profile_count, binding);
  if (error == Error::Ok) {
    engine.bindings.push(std::move(binding));
  }
  return error;
}

Error find_named_bindings(const Metadata& metadata, EngineNames& names, EngineNames& found_names) {
  if (metadata.bindings.size() != names.size()) {
    return message::binding_count(metadata.bindings.size(), names.size());
  }
  std::sort(names.begin(), names.end(), is_before);
  found_names.reserve(names.size());
  for (const MetadataBinding& wanted : metadata.bindings) {
    const EngineName key{wanted.name.data(), wanted.is_input};
    const EngineName* found = std::lower_bound(names.begin(), names.end(), key, is_before);
    if (found == names.end() || wanted.name != found->name) {
      return message::binding_unknown(wanted.is_input ? "input" : "output", wanted.name.data());
    }
    if (found->is_input != wanted.is_input) {
      return message::binding_direction(
          wanted.is_input ? "input" : "output", found->is_input ? "input" : "output", found->name);
    }
    found_names.push(*found);
  }
  return Error::Ok;
}

// The order of a call's arguments: inputs, then outputs, each in the order of the list.
Error add_bindings(const EngineNames& names, Engine& engine) {
  engine.bindings.reserve(names.size());
  std::size_t input_count = 0;
  for (const bool is_input : {true, false}) {
    for (const EngineName& name : names) {
      const Error error = name.is_input == is_input ? add_binding(engine, name) : Error::Ok;
      if (error != Error::Ok) {
        return error;
      }
    }
    input_count = is_input ? engine.bindings.size() : input_count;
  }
  engine.split_bindings(input_count);
  return Error::Ok;
}

Shape to_shape(const nvinfer1::Dims& dims) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  Shape shape;
  shape.rank = dims.nbDims;
  for (std::int32_t d = 0; d < dims.nbDims; ++d) {
    shape.sizes[d] = static_cast<std::int32_t>(std::min(dims.d[d], kMost));
  }
  return shape;
}

Error read_bounds(Engine& engine) {
  engine.bounds.reserve(engine.inputs.size() * static_cast<std::size_t>(engine.profile_count));
  for (int profile = 0; profile < engine.profile_count; ++profile) {
    for (const Binding& input : engine.inputs) {
      const auto min =
          engine.engine->getProfileShape(input.name, profile, nvinfer1::OptProfileSelector::kMIN);
      const auto max =
          engine.engine->getProfileShape(input.name, profile, nvinfer1::OptProfileSelector::kMAX);
      if (min.nbDims != input.shape.rank || max.nbDims != input.shape.rank) {
        return message::binding_profile(profile, input.name);
      }
      engine.is_static &= std::equal(min.d, min.d + min.nbDims, max.d);
      engine.bounds.push({to_shape(min), to_shape(max)});
    }
  }
  return Error::Ok;
}

Binding* find_binding(BindingRange bindings, std::string_view name) {
  for (Binding& binding : bindings) {
    if (name == binding.name) {
      return &binding;
    }
  }
  return nullptr;
}

bool have_equal_shapes(const ICudaEngine& engine, const Binding& a, const Binding& b) {
  const auto a_dims = engine.getTensorShape(a.name);
  const auto b_dims = engine.getTensorShape(b.name);
  return a.dtype == b.dtype && a_dims.nbDims == b_dims.nbDims &&
      std::equal(a_dims.d, a_dims.d + a_dims.nbDims, b_dims.d);
}

Error set_alias(const MetadataAlias& alias, Engine& engine) {
  Binding* output = find_binding(engine.outputs, alias.output);
  Binding* input = find_binding(engine.inputs, alias.input);
  if (output == nullptr || input == nullptr) {
    return message::alias_unknown(
        output == nullptr ? "output" : "input",
        (output == nullptr ? alias.output : alias.input).data());
  }
  const char* reported = engine.engine->getAliasedInputTensor(output->name);
  const bool is_kv = alias.kind == AliasKind::kKvCacheUpdate;
  if ((is_kv || reported != nullptr) && (reported == nullptr || alias.input != reported)) {
    return message::alias_disagrees(
        input->name, reported != nullptr ? reported : "(none)", output->name);
  }
  if (!is_kv && !have_equal_shapes(*engine.engine, *output, *input)) {
    return message::alias_unequal(output->name, input->name);
  }
  output->alias = static_cast<std::int32_t>(input - engine.inputs.begin());
  input->is_aliased = true;
  return Error::Ok;
}

Error set_aliases(const Metadata& metadata, Engine& engine) {
  for (const MetadataAlias& alias : metadata.aliases) {
    const Error error = set_alias(alias, engine);
    if (error != Error::Ok) {
      return error;
    }
  }
  for (const Binding& output : engine.outputs) {
    const char* reported =
        output.alias < 0 ? engine.engine->getAliasedInputTensor(output.name) : nullptr;
    if (reported != nullptr) {
      return message::alias_missing(output.name, reported);
    }
  }
  return Error::Ok;
}

} // namespace

Error bind_metadata(const Metadata& metadata, Engine& engine) {
  engine.profile_count = engine.engine->getNbOptimizationProfiles();
  if (engine.profile_count < 1) {
    return message::engine_query_failed("getNbOptimizationProfiles");
  }
  EngineNames names;
  EngineNames named;
  Error error = list_names(*engine.engine, names);
  const bool has_names = !metadata.bindings.empty();
  if (error == Error::Ok && has_names) {
    error = find_named_bindings(metadata, names, named);
  }
  if (error == Error::Ok) {
    error = add_bindings(has_names ? named : names, engine);
  }
  if (error == Error::Ok) {
    error = read_bounds(engine);
  }
  return error == Error::Ok ? set_aliases(metadata, engine) : error;
}

} // namespace executorch_backend_tensorrt
