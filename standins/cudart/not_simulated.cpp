// Where calls of functions end that the stand-in has only by name.
#include <cstdio>
#include <cstdlib>

extern "C" [[noreturn]] void standin_cuda_not_simulated(const char* name) {
  std::fprintf(stderr,
               "CUDA stand-in: %s is not simulated; run this on a GPU with the real libcudart.so.13, or add it "
               "to standins/cudart\n",
               name);
  std::abort();
}
