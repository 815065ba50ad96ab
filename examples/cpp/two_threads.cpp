// Two programs at once, one per thread. Usage: two_threads FIRST.pte SECOND.pte
//
// A loaded program belongs to one thread at a time, so each thread loads its own; nothing is shared and nothing waits.
#include <thread>

#include "program.h"

namespace {

constexpr int kRuns = 50;

// Loads a program and runs it kRuns times; every answer has to be the first one.
void run(const char* path, std::string& answer) {
  example::Module module(path);
  const auto tensors = example::ones_for(module);
  const std::vector<example::EValue> inputs(tensors.begin(), tensors.end());
  for (int i = 0; i < kRuns; ++i) {
    const std::string now = example::text_of(example::required(module.forward(inputs), "running a program"));
    if (i > 0 && now != answer) {
      std::fprintf(stderr, "%s: the answer changed from %s to %s\n", path, answer.c_str(), now.c_str());
      std::exit(1);
    }
    answer = now;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: two_threads FIRST.pte SECOND.pte\n");
    return 2;
  }
  std::string answers[2];
  std::thread other(run, argv[1], std::ref(answers[0]));
  run(argv[2], answers[1]);
  other.join();
  for (int i = 0; i < 2; ++i) {
    std::printf("%s: %s\n", argv[i + 1], answers[i].c_str());
  }
  return 0;
}
