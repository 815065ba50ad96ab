// spec: init steps 3, 5 and 7; rows "wrong version" and "no usable GPU" of the error table; case 2.
#include "rig/fixture.h"

namespace contract {
namespace {

constexpr char kLoaded[] = "11.4.0";

// What TensorRT says of a plan made for another GPU.
constexpr char kOtherGpu[] =
    "The engine plan file is generated on an incompatible device, expecting compute 9.0 got compute 7.5, "
    "please rebuild.";

class Versions : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    NEEDS_SIMULATED_CUDA("versions and drivers are simulated only");
  }
};

TEST_F(Versions, PlanOfAnotherVersionIsDelegateInvalidCompatibilityWithBothVersionsAndTheRemedy) {
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::built_by(10, 9, 0, 34))).error, Error::DelegateInvalidCompatibility);
  EXPECT_TRUE(log.has({"10.9.0", kLoaded, "libnvinfer.so.11"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(Versions, MinorVersionsAreNamedToo) {
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::built_by(11, 77, 3, 5))).error, Error::DelegateInvalidCompatibility);
  EXPECT_TRUE(log.has({"11.77.3", kLoaded}));
}

TEST_F(Versions, EqualVersionsAreNeverBlamed) {
  fail_tensorrt("IRuntime::deserializeCudaEngine");
  const ScopedLog log;
  const Error error = load(one_in_one_out(plans::add_one({4}))).error;
  EXPECT_EQ(error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({"version equals", "failure injected"})) << "TensorRT's own text comes with it";
  EXPECT_EQ(log.count({"install that TensorRT"}), 0) << log.text();
}

TEST_F(Versions, AnotherArchitectureIsDelegateInvalidCompatibility) {
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::refused_with(kOtherGpu))).error, Error::DelegateInvalidCompatibility);
  EXPECT_TRUE(log.has({"compute"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(Versions, LibraryOfAnotherMajorIsNotSupportedWithBothVersions) {
  set_tensorrt("version", "10.9.0.34");
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::NotSupported);
  EXPECT_TRUE(log.has({"10", "11"}));
  EXPECT_FALSE(backend()->is_available());
  set_tensorrt("version", "12.0.0.1");
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::NotSupported);
  EXPECT_TRUE(log.has({"12", "11"}));
}

TEST_F(Versions, GpuThatCannotBeSetUpIsRefusedBeforeTensorRTIsCalled) {
  fail_cuda("cudaFree", 1, cudaErrorDevicesUnavailable);
  const Calls calls;
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::NotSupported);
  EXPECT_TRUE(log.has({"GPU 0", "46"}));  // the number of cudaErrorDevicesUnavailable
  EXPECT_EQ(calls.tensorrt("createInferRuntime_INTERNAL"), 0);
  EXPECT_EQ(calls.tensorrt("IRuntime::deserializeCudaEngine"), 0);
}

class NoGpu : public ContractTestWith<std::pair<const char*, const char*>> {};

TEST_P(NoGpu, IsNotSupportedNamingTheCudaErrorBeforeTensorRTIsCalled) {
  NEEDS_SIMULATED_CUDA("a missing driver is simulated only");
  set_cuda(GetParam().first, GetParam().second);
  const Calls calls;
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::NotSupported);
  EXPECT_TRUE(log.has({std::string(GetParam().second) == "none" ? "driver" : "no CUDA-capable"}));
  EXPECT_TRUE(log.has({"install"}));
  EXPECT_TRUE(log.nothing_cut());
  EXPECT_EQ(calls.tensorrt("createInferRuntime_INTERNAL"), 0);
  reset_standins();  // the fixture looks at the current GPU
}

INSTANTIATE_TEST_SUITE_P(Because, NoGpu, testing::Values(std::pair("driver", "none"), std::pair("devices", "0")),
                         [](const auto& tested) { return std::string(tested.param.first); });

}  // namespace
}  // namespace contract
