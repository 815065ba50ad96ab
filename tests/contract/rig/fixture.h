// The base of every contract test: whether it can run here, a clean start, and nothing left behind.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "buffer.h"
#include "log.h"
#include "plans.h"
#include "program.h"
#include "standins.h"
#include "tensor.h"

namespace contract {

// Skips where there is no GPU, fails where the delegate is not registered. Afterwards the stand-ins must have
// seen no wrong use, everything made in the test must be gone, and GPU 0 be current as before.
class ContractTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  // Reports that hold this text are the engine's own doing.
  void allow_misuse(const std::string& text) { allowed_misuse_ = text; }

 private:
  bool ready_ = false;
  std::string allowed_misuse_;
  Live before_;
};

// Base of test parameters that are shown by their name.
struct Named {
  const char* name;
};
inline std::ostream& operator<<(std::ostream& out, const Named& parameter) { return out << parameter.name; }

template <typename T>
class ContractTestWith : public ContractTest, public testing::WithParamInterface<T> {};

inline std::string place_name(const testing::TestParamInfo<Place>& info) { return name_of(info.param); }

}  // namespace contract
