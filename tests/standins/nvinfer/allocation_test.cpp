// A launch with unchanged shapes allocates nothing in the TensorRT stand-in, so that a delegate can show the same of
// itself.
#include <atomic>
#include <cstdlib>
#include <new>

#include "rig.h"

namespace {
thread_local bool t_counting = false;
std::atomic<int> g_allocations{0};

void* allocate(std::size_t bytes) noexcept {
  if (t_counting) ++g_allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace standins {
namespace {

class Allocation : public StandinTest {};

TEST_F(Allocation, ASteadyLaunchAllocatesNothing) {
  Plan plan = add_one_plan();
  plan.nodes.clear();
  plan.increments("x", "y", 3);
  load(plan);
  ASSERT_TRUE(context->setInputShape("x", dims({2, 4})));
  const DeviceBuffer x(std::vector<float>(8, 1.0f));
  const DeviceBuffer y(32);
  bind("x", x);
  bind("y", y);
  standin_cuda_set("mode", "lazy");  // the work runs on this thread
  for (int i = 0; i < 8; ++i) run();

  t_counting = true;
  const bool shaped = context->setInputShape("x", dims({2, 4}));
  const bool bound = context->setTensorAddress("x", x.get());
  const int unresolved = context->inferShapes(0, nullptr);
  const bool launched = context->enqueueV3(cudaStreamPerThread);
  const cudaError_t waited = cudaStreamSynchronize(cudaStreamPerThread);
  t_counting = false;
  EXPECT_TRUE(shaped && bound && launched);
  EXPECT_EQ(unresolved, 0);
  EXPECT_EQ(waited, cudaSuccess);
  EXPECT_EQ(g_allocations, 0);
  EXPECT_EQ(y.read<float>(), std::vector<float>(8, 4.0f));
}

}  // namespace
}  // namespace standins
