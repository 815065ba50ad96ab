// The smallest program with its buffers, for tests of everything but the program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "buffer.h"
#include "plans.h"
#include "program.h"
#include "tensor.h"

namespace contract {

// Four floats and the same plus one.
inline const std::vector<float> kIn = {1, 2, 3, 4};
inline const std::vector<float> kOut = {2, 3, 4, 5};

// y = x + 1 over four floats, loaded from any blob that computes it; the input holds kIn.
struct AddOne {
  explicit AddOne(Place input = Place::kDevice, Place output = Place::kDevice)
      : AddOne(one_in_one_out(plans::add_one({4})), filled(input, kIn), Buffer(output, 16)) {}
  AddOne(const LoadRequest& request, Place input, Place output)
      : AddOne(request, filled(input, kIn), Buffer(output, 16)) {}
  AddOne(const LoadRequest& request, Buffer input, Buffer output)
      : AddOne(load(request), std::move(input), std::move(output)) {}
  AddOne(Loaded program, Buffer input, Buffer output)
      : loaded(std::move(program)),
        in(std::move(input)),
        out(std::move(output)),
        x(ScalarType::Float, {4}, in),
        y(ScalarType::Float, {4}, out),
        call({&x, &y}) {
    EXPECT_EQ(loaded.error, Error::Ok);
  }

  // The load's error where that failed.
  Error run(EventTracer* tracer = nullptr) {
    return loaded.error == Error::Ok ? loaded->execute(call, tracer) : loaded.error;
  }
  // Whether a run, of which nothing is known yet, ends well and gives kOut.
  testing::AssertionResult gives_the_sum() {
    out.write(std::vector<float>(4, -1));
    const Error error = run();
    if (error != Error::Ok) {
      return testing::AssertionFailure() << to_string(error);
    }
    const auto result = out.read<float>();
    return result == kOut ? testing::AssertionSuccess() : testing::AssertionFailure() << testing::PrintToString(result);
  }

  Loaded loaded;
  Buffer in;
  Buffer out;
  TensorArg x;
  TensorArg y;
  Call call;
};

}  // namespace contract
