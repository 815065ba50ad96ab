#include "use.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "rig/buffer.h"
#include "rig/plans.h"
#include "rig/tensor.h"

namespace lifecycle {

using contract::Error;

void require(bool holds, const std::string& what) {
  if (!holds) {
    std::fprintf(stderr, "lifecycle: failed: %s\n", what.c_str());
    std::_Exit(1);
  }
}

contract::LoadRequest add_one_request(bool with_graph) {
  contract::LoadRequest request(contract::one_in_one_out(contract::plans::add_one({4})));
  request.options = {contract::option("cuda_graph", with_graph)};
  return request;
}

std::unique_ptr<contract::Program> load_add_one(bool with_graph) {
  require(contract::backend() != nullptr, "the delegate is registered");
  contract::Loaded loaded = contract::load(add_one_request(with_graph));
  require(loaded.error == Error::Ok, "the program loads");
  return std::move(loaded.program);
}

void run_add_one(contract::Program& program, int times) {
  contract::Buffer in = contract::filled(contract::Place::kPageable, std::vector<float>{1, 2, 3, 4});
  contract::Buffer out(contract::Place::kPageable, 16);
  contract::TensorArg x(contract::ScalarType::Float, {4}, in);
  contract::TensorArg y(contract::ScalarType::Float, {4}, out);
  for (int i = 0; i < times; ++i) {
    out.write(std::vector<float>(4, 0));
    require(program.execute({&x, &y}) == Error::Ok, "the program runs");
    require(out.read<float>() == std::vector<float>({2, 3, 4, 5}), "the output is right");
  }
}

int run_case(const Cases& cases, int argc, char** argv) {
  const auto chosen = argc == 2 ? cases.find(argv[1]) : cases.end();
  require(chosen != cases.end(), "the argument names a case");
  chosen->second();
  return 0;
}

}  // namespace lifecycle
