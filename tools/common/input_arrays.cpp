#include "common/input_arrays.h"

#include <cstring>
#include <optional>

#include "common/failure.h"
#include "common/npy.h"

namespace trtet {
namespace {

using executorch::runtime::EValue;
using executorch::runtime::Tag;

void check_fits(const ValueInfo& info, const Array& array) {
  if (array.dtype != array_dtype(info))
    throw Failure("input " + info.name + " is " + dtype_name(array_dtype(info)) + ", the file given for it holds " +
                  dtype_name(array.dtype));
  if (info.tag != Tag::Tensor && array.count() != 1)
    throw Failure("input " + info.name + " is one number, the file given for it holds " +
                  std::to_string(array.count()));
}

}  // namespace

ScalarType array_dtype(const ValueInfo& info) {
  switch (info.tag) {
    case Tag::Tensor:
      return info.dtype;
    case Tag::Double:
      return ScalarType::Double;
    case Tag::Bool:
      return ScalarType::Bool;
    default:
      return ScalarType::Long;
  }
}

std::vector<Array> make_input_arrays(const std::vector<ValueInfo>& inputs, const ProgramArguments& arguments) {
  std::vector<std::optional<Array>> given(inputs.size());
  for (const auto& [name, file] : arguments.inputs) {
    const std::size_t index = find_value(inputs, name, "input", "--input");
    if (given[index]) throw UsageError("--input: '" + name + "' is given twice, under two names");
    given[index] = read_npy(file);
    check_fits(inputs[index], *given[index]);
  }
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (given[i]) {
      arrays.push_back(std::move(*given[i]));
      continue;
    }
    const bool is_tensor = inputs[i].tag == Tag::Tensor;
    Array array = make_array(array_dtype(inputs[i]), is_tensor ? inputs[i].sizes : std::vector<std::int32_t>{});
    if (!inputs[i].is_cache && arguments.random_seed) fill_random(array, *arguments.random_seed + i);
    if (!inputs[i].is_cache && !arguments.random_seed) fill_ones(array);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

EValue scalar_value(Tag tag, const Array& array) {
  switch (tag) {
    case Tag::Double:
      return EValue(element_as_double(array, 0));
    case Tag::Bool:
      return EValue(element_as_integer(array, 0) != 0);
    case Tag::Int:
      return EValue(element_as_integer(array, 0));
    default:
      throw Failure("an input that is neither a tensor nor a number cannot be given");
  }
}

Array scalar_array(const EValue& value) {
  if (value.isInt() || value.isBool()) {
    Array array = make_array(value.isInt() ? ScalarType::Long : ScalarType::Bool, {});
    const std::int64_t number = value.isInt() ? value.toInt() : std::int64_t{value.toBool()};
    std::memcpy(array.bytes.data(), &number, array.bytes.size());
    return array;
  }
  if (!value.isDouble()) throw Failure("an output that is neither a tensor nor a number cannot be shown");
  Array array = make_array(ScalarType::Double, {});
  const double number = value.toDouble();
  std::memcpy(array.bytes.data(), &number, sizeof number);
  return array;
}

}  // namespace trtet
