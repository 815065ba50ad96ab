// The declared interface has the binary layout that slots.csv and the specification state.
#include "NvInferRuntime.h"

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

namespace nvinfer1 {
namespace {

// In the Itanium C++ ABI a pointer to a virtual member holds 1 + its offset in the vtable.
template <class Pointer>
std::ptrdiff_t slot_of(Pointer method) {
  static_assert(sizeof(method) == 2 * sizeof(std::ptrdiff_t));
  std::ptrdiff_t words[2];
  std::memcpy(words, &method, sizeof words);
  EXPECT_EQ(words[0] % static_cast<std::ptrdiff_t>(sizeof(void*)), 1) << "not virtual";
  EXPECT_EQ(words[1], 0) << "the object is adjusted";
  return words[0] / static_cast<std::ptrdiff_t>(sizeof(void*));
}

TEST(TensorRtInterface, EverySlotHasItsNumberAndSignature) {
  int checked = 0;
#define SLOT(interface, slot, method, ...)                                                                 \
  static_assert(std::is_same_v<decltype(&apiv::interface::method), __VA_ARGS__>, #interface "::" #method); \
  EXPECT_EQ(slot_of(&apiv::interface::method), slot) << #interface "::" #method;                           \
  ++checked;
#include "slot_checks.inc"
#undef SLOT
  EXPECT_EQ(checked, 127);
}

TEST(TensorRtInterface, LoggerHasSlotsOfAVersionedInterface) {
  EXPECT_EQ(slot_of(&ILogger::getAPILanguage), 0);
  EXPECT_EQ(slot_of(&ILogger::getInterfaceInfo), 1);
  EXPECT_EQ(slot_of(&ILogger::log), 4);

  struct Quiet : ILogger {
    void log(Severity, char const*) noexcept override {}
  } logger;
  EXPECT_EQ(logger.getAPILanguage(), APILanguage::kCPP);
  EXPECT_STREQ(logger.getInterfaceInfo().kind, "ILogger");
  EXPECT_EQ(logger.getInterfaceInfo().major, 1);
  EXPECT_EQ(logger.getInterfaceInfo().minor, 0);
}

// Public objects: vtable pointer, then the implementation pointer; only the destructor is virtual.
template <class Public>
struct Layout : Public {
  std::ptrdiff_t implementation_offset() {
    return reinterpret_cast<char*>(&this->mImpl) - reinterpret_cast<char*>(this);
  }
};

template <class Public>
void expect_public_layout() {
  static_assert(sizeof(Public) == 16);
  static_assert(std::has_virtual_destructor_v<Public>);
  Layout<Public> object;
  EXPECT_EQ(object.implementation_offset(), 8);
}

TEST(TensorRtInterface, PublicObjectsHoldTheImplementationPointerAtEight) {
  expect_public_layout<IHostMemory>();
  expect_public_layout<IRuntime>();
  expect_public_layout<IRuntimeConfig>();
  expect_public_layout<ICudaEngine>();
  expect_public_layout<IExecutionContext>();
}

TEST(TensorRtInterface, DimensionsAreReturnedThroughMemory) {
  static_assert(sizeof(Dims) == 72);
  static_assert(offsetof(Dims, d) == 8);
  static_assert(Dims::MAX_DIMS == 8);
  static_assert(sizeof(InterfaceInfo) == 16);
}

TEST(TensorRtInterface, EnumsAreFourBytes) {
  static_assert(sizeof(DataType) == 4);
  static_assert(sizeof(TensorIOMode) == 4);
  static_assert(sizeof(TensorFormat) == 4);
  static_assert(sizeof(ILogger::Severity) == 4);
  EXPECT_EQ(static_cast<int>(DataType::kINT64), 8);
  EXPECT_EQ(static_cast<int>(DataType::kE8M0), 11);
}

}  // namespace
}  // namespace nvinfer1
