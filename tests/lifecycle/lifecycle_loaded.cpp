// The delegate opened and closed while the process runs: ExecuTorch keeps pointers into it for good.
#include <dlfcn.h>

#include "use.h"

namespace lifecycle {
namespace {

void* open_delegate() {
  require(contract::backend() == nullptr, "the delegate is not registered before it is loaded");
  void* library = dlopen(DELEGATE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, library == nullptr ? dlerror() : "");
  return library;
}

void closed_after_use() {
  void* library = open_delegate();
  auto program = load_add_one(true);
  run_add_one(*program, 3);
  require(dlclose(library) == 0, "the delegate closes");
  run_add_one(*program, 3);
  program.reset();
  run_add_one(*load_add_one());
}

void closed_before_use() {
  require(dlclose(open_delegate()) == 0, "the delegate closes");
  run_add_one(*load_add_one());
}

void reopened() {
  void* library = open_delegate();
  auto program = load_add_one();
  dlclose(library);
  library = dlopen(DELEGATE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, "the delegate opens again");
  run_add_one(*program);
  dlclose(library);
}

const Cases kCases = {
    {"closed_after_use", closed_after_use},
    {"closed_before_use", closed_before_use},
    {"reopened", reopened},
};

}  // namespace
}  // namespace lifecycle

int main(int argc, char** argv) { return lifecycle::run_case(lifecycle::kCases, argc, argv); }
