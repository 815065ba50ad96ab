// Loads a program and runs it once on ones. Usage: inference MODEL.pte
#include "program.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: inference MODEL.pte\n");
    return 2;
  }
  example::Module module(argv[1]);
  const auto tensors = example::ones_for(module);
  const std::vector<example::EValue> inputs(tensors.begin(), tensors.end());
  const auto outputs = example::required(module.forward(inputs), "running the program");
  std::printf("%s\n", example::text_of(outputs).c_str());
  return 0;
}
