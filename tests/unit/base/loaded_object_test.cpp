#include "base/loaded_object.h"

#include <string>

#include <NvInferRuntime.h>
#include <gmock/gmock.h>

namespace executorch_backend_tensorrt {
namespace {

using testing::EndsWith;

TEST(LoadedObject, FindsTheLibraryOfAFunction) {
  const std::string path = find_object_of(reinterpret_cast<const void*>(&getInferLibVersion)).text;
  EXPECT_THAT(path, EndsWith("libnvinfer.so.11"));
  EXPECT_EQ(path[0], '/');
}

TEST(LoadedObject, FindsTheProgram) {
  static int here;
  EXPECT_STREQ(find_object_of(&here).text, "the program itself");
}

TEST(LoadedObject, HeapMemoryIsInNone) {
  const std::string on_heap(1000, 'x');
  EXPECT_STREQ(find_object_of(on_heap.data()).text, "(unknown)");
}

}  // namespace
}  // namespace executorch_backend_tensorrt
