// What belongs to a whole process: its environment, its end, forks.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

// Lives longer than anything registered at the first CUDA call.
struct AtEnd {
  bool calls = false;
  ~AtEnd() {
    if (calls) {
      cudaFree(nullptr);
    }
  }
};
AtEnd g_at_end;

class ProcessDeathTest : public Cuda {
 protected:
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(ProcessDeathTest, AFunctionThatIsNotSimulatedAbortsWithItsName) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format{8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  EXPECT_DEATH(cudaMallocArray(&array, &format, 1, 1, 0), "cudaMallocArray is not simulated");
}

TEST_F(ProcessDeathTest, MisuseAbortsWhenAsked) {
  EXPECT_DEATH(
      {
        standin_cuda_set("on_misuse", "abort");
        cudaFree(reinterpret_cast<void*>(64));
      },
      "misuse: 0x40 was freed");
}

TEST_F(ProcessDeathTest, AWrongEnvironmentStopsTheProcess) {
  EXPECT_DEATH(
      {
        setenv("STANDIN_CUDA_MODE", "quick", 1);
        standin_cuda_reset();
      },
      "setting mode: 'quick' is not allowed; allowed: threaded, lazy or immediate");
}

TEST_F(ProcessDeathTest, TheReportIsWrittenAtExit) {
  const std::string path = ::testing::TempDir() + "standin_cuda_report.json";
  std::remove(path.c_str());
  EXPECT_EXIT(
      {
        setenv("STANDIN_CUDA_REPORT", path.c_str(), 1);
        standin_cuda_reset();
        void* pointer = nullptr;
        cudaMalloc(&pointer, 123);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  const std::string report = read_file(path);
  EXPECT_NE(report.find("\"cudaMalloc\": 1"), std::string::npos) << report;
  EXPECT_NE(report.find("\"bytes\": 123"), std::string::npos) << report;
  std::remove(path.c_str());
}

TEST_F(ProcessDeathTest, ACallWhileTheProcessExitsIsReported) {
  EXPECT_EXIT(
      {
        standin_cuda_set("on_misuse", "print");
        g_at_end.calls = true;
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "cudaFree was called while the process exits");
}

TEST_F(ProcessDeathTest, AChildForkedAfterUseCannotUseTheGpu) {
  cudaFree(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    _exit(cudaFree(nullptr) == cudaErrorInitializationError ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(ProcessDeathTest, LittleAddressSpaceIsEnough) {
  EXPECT_EXIT(
      {
        rlimit limit;
        limit.rlim_cur = limit.rlim_max = rlim_t{12} << 30;
        setrlimit(RLIMIT_AS, &limit);
        void* pointer = nullptr;
        std::exit(cudaMalloc(&pointer, 1 << 20));
      },
      ::testing::ExitedWithCode(0), "");
}
#endif

TEST_F(ProcessDeathTest, WorkInFlightDoesNotHoldUpTheExit) {
  EXPECT_EXIT(
      {
        standin_cuda_set("delay_us", "10000000");
        static int value = 0;
        cudaLaunchHostFunc(cudaStreamPerThread, [](void* p) { *static_cast<int*>(p) = 1; }, &value);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace standins::cuda_tests
