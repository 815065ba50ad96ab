#include "common/array.h"

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

#include "common/failure.h"

namespace trtet {
namespace {

// bfloat16 has no .npy descriptor of its own: it travels as two raw bytes, as ml_dtypes writes it.
constexpr DtypeInfo kDtypes[] = {
    {ScalarType::Float, "float32", "<f4", 4},     {ScalarType::Half, "float16", "<f2", 2},
    {ScalarType::BFloat16, "bfloat16", "|V2", 2}, {ScalarType::Double, "float64", "<f8", 8},
    {ScalarType::Char, "int8", "|i1", 1},         {ScalarType::Byte, "uint8", "|u1", 1},
    {ScalarType::Short, "int16", "<i2", 2},       {ScalarType::Int, "int32", "<i4", 4},
    {ScalarType::Long, "int64", "<i8", 8},        {ScalarType::Bool, "bool", "|b1", 1},
    {ScalarType::UInt16, "uint16", "<u2", 2},     {ScalarType::UInt32, "uint32", "<u4", 4},
};

template <typename T>
T load(const Array& array, std::size_t index) {
  T value;
  std::memcpy(&value, array.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(Array& array, std::size_t index, T value) {
  std::memcpy(array.bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void store_double(Array& array, std::size_t index, double value) {
  switch (array.dtype) {
    case ScalarType::Float:
      return store(array, index, static_cast<float>(value));
    case ScalarType::Double:
      return store(array, index, value);
    case ScalarType::Half:
      return store(array, index, executorch::aten::Half(static_cast<float>(value)));
    case ScalarType::BFloat16:
      return store(array, index, executorch::aten::BFloat16(static_cast<float>(value)));
    default:
      break;
  }
  // Integers of the values used here fit every width; two's complement, little-endian.
  const auto integer = static_cast<std::int64_t>(value);
  const std::size_t size = find_dtype(array.dtype)->size_bytes;
  std::memcpy(array.bytes.data() + index * size, &integer, size);
}

std::string format_element(const Array& array, std::size_t index) {
  char text[40];
  if (array.dtype == ScalarType::Bool) return element_as_integer(array, index) != 0 ? "true" : "false";
  if (is_floating(array.dtype))
    std::snprintf(text, sizeof text, "%.6g", element_as_double(array, index));
  else
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(element_as_integer(array, index)));
  return text;
}

bool elements_match(const Array& got, const Array& want, std::size_t i, double tolerance, double& error) {
  if (!is_floating(got.dtype)) {
    const std::int64_t a = element_as_integer(got, i), b = element_as_integer(want, i);
    // Through unsigned: the difference of two int64 values can pass int64.
    const std::uint64_t distance = a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                         : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
    error = static_cast<double>(distance);
    return error <= tolerance;
  }
  const double a = element_as_double(got, i), b = element_as_double(want, i);
  error = 0;
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  error = std::fabs(a - b);
  return error <= tolerance * std::max(1.0, std::fabs(b)) && std::isfinite(b);
}

}  // namespace

std::size_t Array::count() const { return element_count(sizes); }

const DtypeInfo* find_dtype(ScalarType type) {
  const auto* found =
      std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const auto& d) { return d.type == type; });
  return found == std::end(kDtypes) ? nullptr : found;
}

const DtypeInfo* find_dtype_by_descr(const std::string& descr) {
  // One-byte types may carry any order mark, and raw pairs are written with either.
  const auto same = [&](const DtypeInfo& d) {
    if (descr == d.npy_descr) return true;
    return d.npy_descr[0] == '|' && descr.size() == 3 && descr.compare(1, 2, d.npy_descr + 1) == 0 &&
           (descr[0] == '|' || descr[0] == '<');
  };
  const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes), same);
  return found == std::end(kDtypes) ? nullptr : found;
}

std::string dtype_name(ScalarType type) {
  const DtypeInfo* info = find_dtype(type);
  return info != nullptr ? info->name : "dtype " + std::to_string(static_cast<int>(type));
}

std::string describe(ScalarType type, const std::vector<std::int32_t>& sizes) {
  std::string text = dtype_name(type) + "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  return text + "]";
}

std::size_t element_count(const std::vector<std::int32_t>& sizes) {
  std::size_t count = 1;
  for (const std::int32_t size : sizes) {
    if (size < 0) throw Failure("a shape holds the negative size " + std::to_string(size));
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count))
      throw Failure("a shape holds more elements than memory can");
  }
  return count;
}

Array make_array(ScalarType dtype, std::vector<std::int32_t> sizes) {
  const DtypeInfo* info = find_dtype(dtype);
  if (info == nullptr) throw Failure(dtype_name(dtype) + " is not supported by this tool");
  Array array{dtype, std::move(sizes), {}};
  array.bytes.resize(array.count() * info->size_bytes);
  return array;
}

void fill_ones(Array& array) {
  const std::size_t count = array.count();
  for (std::size_t i = 0; i < count; ++i) store_double(array, i, 1);
}

void fill_random(Array& array, std::uint64_t seed) {
  // The standard's distributions differ between libraries; the engine itself does not.
  std::mt19937_64 engine(seed);
  const std::size_t count = array.count();
  for (std::size_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(engine() >> 11) * 0x1p-53;
    if (is_floating(array.dtype))
      store_double(array, i, 2 * unit - 1);
    else
      store_double(array, i, std::floor(unit * (array.dtype == ScalarType::Bool ? 2 : 4)));
  }
}

bool is_floating(ScalarType type) {
  return type == ScalarType::Float || type == ScalarType::Double || type == ScalarType::Half ||
         type == ScalarType::BFloat16;
}

double element_as_double(const Array& array, std::size_t index) {
  switch (array.dtype) {
    case ScalarType::Float:
      return static_cast<double>(load<float>(array, index));
    case ScalarType::Double:
      return load<double>(array, index);
    case ScalarType::Half:
      return static_cast<double>(static_cast<float>(load<executorch::aten::Half>(array, index)));
    case ScalarType::BFloat16:
      return static_cast<double>(static_cast<float>(load<executorch::aten::BFloat16>(array, index)));
    default:
      return static_cast<double>(element_as_integer(array, index));
  }
}

std::int64_t element_as_integer(const Array& array, std::size_t index) {
  switch (array.dtype) {
    case ScalarType::Char:
      return load<std::int8_t>(array, index);
    case ScalarType::Byte:
      return load<std::uint8_t>(array, index);
    case ScalarType::Bool:
      return load<std::uint8_t>(array, index);
    case ScalarType::Short:
      return load<std::int16_t>(array, index);
    case ScalarType::UInt16:
      return load<std::uint16_t>(array, index);
    case ScalarType::Int:
      return load<std::int32_t>(array, index);
    case ScalarType::UInt32:
      return load<std::uint32_t>(array, index);
    case ScalarType::Long:
      return load<std::int64_t>(array, index);
    default:
      return static_cast<std::int64_t>(element_as_double(array, index));
  }
}

std::string first_values(const Array& array, std::size_t limit) {
  const std::size_t count = array.count();
  std::string text;
  for (std::size_t i = 0; i < std::min(count, limit); ++i) text += (i == 0 ? "" : ", ") + format_element(array, i);
  if (count > limit) text += ", ... (" + std::to_string(count) + ")";
  return count == 0 ? "(empty)" : text;
}

Comparison compare(const Array& got, const Array& want, double tolerance) {
  Comparison result;
  if (got.dtype != want.dtype || got.sizes != want.sizes) {
    result.reason = "got " + describe(got.dtype, got.sizes) + ", expected " + describe(want.dtype, want.sizes);
    return result;
  }
  const std::size_t count = got.count();
  std::size_t worst = 0;
  double worst_error = -1;
  for (std::size_t i = 0; i < count; ++i) {
    double error = 0;
    const bool is_match = elements_match(got, want, i, tolerance, error);
    if (std::isnan(error) || error > result.max_error) result.max_error = error;
    if (is_match) continue;
    ++result.mismatch_count;
    if (std::isnan(error) || error > worst_error) {
      worst = i;
      worst_error = error;
    }
  }
  result.matches = result.mismatch_count == 0;
  if (!result.matches)
    result.reason = std::to_string(result.mismatch_count) + " of " + std::to_string(count) + " elements differ; [" +
                    std::to_string(worst) + "] is " + format_element(got, worst) + ", expected " +
                    format_element(want, worst);
  return result;
}

}  // namespace trtet
