// A process that control_test.cpp starts with settings in its environment: prints the version, makes one runtime.
#include <cstdio>

#include "NvInferRuntime.h"

namespace {
struct Quiet : nvinfer1::ILogger {
  void log(Severity, char const*) noexcept override {}
};
}  // namespace

int main() {
  std::printf("%d\n", getInferLibVersion());
  Quiet logger;
  delete nvinfer1::createInferRuntime(logger);
}
