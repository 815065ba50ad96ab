// The engines that the contract tests load. Inputs are x (or a, b), the output is y, unless said otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <standins/plan.h>

#include "blob.h"

namespace contract {

using DataType = standins::DType;

namespace plans {

using standins::Shape;
using standins::ShapeRange;
using Ranges = std::vector<ShapeRange>;  // one of the input for each profile; none: static

// y = x
std::string copy(DataType dtype, Shape shape);
// y = x + 1, float32
std::string add_one(Shape shape, Ranges profiles = {});
// y = a + b over rows × 2; every profile gives both inputs the same range
std::string add_rows(Ranges profiles);
// y = a - b over four floats
std::string difference();
// y = x[0] + x[1] + ... of `count` inputs x0, x1, ... of four floats
std::string sum_of(int count);
// y = sum over the last axis
std::string rows_summed(Shape shape);
// y = x in another dtype
std::string cast(DataType from, DataType to, Shape shape);
// y: positions of nonzero elements of x, as many as the data says
std::string data_dependent();
// cache_out = cache + step over four floats; cache_out shares the memory of cache, or does not
std::string cache();
std::string cache_without_alias();
BlobText cache_text();

// x + 1 over four floats, with one property each.
std::string streaming(uint64_t streamable_bytes);
std::string with_activations(uint64_t bytes);
std::string built_by(uint8_t major, uint8_t minor, uint8_t patch, uint8_t build);
std::string refused_with(const std::string& tensorrt_text);
std::string uncapturable();
std::string of_size(uint64_t padding_bytes);

// Tensors that a delegate must refuse at load, all named x.
std::string host_located_input();
std::string shape_tensor_input();
std::string vectorised_input();

// The engine as a plan, to be changed further.
standins::Plan add_one_plan(Shape shape = {4}, const Ranges& profiles = {});

}  // namespace plans

// x -> y; a, b -> y; x0 ... -> y: blobs with the right bindings.
BlobText one_in_one_out_text();
std::string one_in_one_out(const std::string& engine);
std::string two_in_one_out(const std::string& engine);
std::string many_in_one_out(int count, const std::string& engine);

}  // namespace contract
