#include "base/loaded_object.h"

#include <dlfcn.h>
#include <unwind.h>

#include <filesystem>
#include <string>

#include <NvInferRuntime.h>
#include <gmock/gmock.h>

namespace executorch_backend_tensorrt {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::SizeIs;
using testing::StartsWith;

TEST(LoadedObject, FindsTheLibraryOfAFunction) {
  const std::string path = find_object_of(reinterpret_cast<const void*>(&getInferLibVersion)).text;
  EXPECT_THAT(path, EndsWith("libnvinfer.so.11"));
  EXPECT_THAT(path, AnyOf(StartsWith("/"), StartsWith("...")));
}

TEST(LoadedObject, TheEndOfALongPathIsKept) {
  namespace fs = std::filesystem;
  Dl_info original{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&_Unwind_Backtrace), &original), 0);
  const fs::path folder = fs::path(testing::TempDir()) / std::string(80, 'd');
  fs::create_directories(folder);
  const fs::path copy = folder / "libcopy.so";
  fs::copy_file(original.dli_fname, copy, fs::copy_options::overwrite_existing);
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const std::string path = find_object_of(dlsym(handle, "_Unwind_Backtrace")).text;
  EXPECT_THAT(path, AllOf(StartsWith("...ddd"), EndsWith("ddd/libcopy.so"), SizeIs(64)));
  dlclose(handle);
  fs::remove_all(folder);
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
