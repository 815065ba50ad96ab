// The same contract through whole programs: ExecuTorch's Module loads the .pte files that the exporter wrote.
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <thread>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/backend_options_map.h>

#include "rig/fixture.h"

namespace contract {
namespace {

using executorch::extension::from_blob;
using executorch::extension::Module;
using executorch::runtime::BackendOptions;
using executorch::runtime::LoadBackendOptionsMap;

std::string program(const std::string& name) {
  // Beside the folder of this executable, in a build tree and in a bundle for a GPU machine alike.
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder.parent_path() / "programs" / (name + ".pte");
}

class Programs : public ContractTest {
 protected:
  // Runs x + 1 over 2 × 3 floats.
  static testing::AssertionResult adds_one(Module& module) {
    std::vector<float> in = {1, 2, 3, 4, 5, 6};
    const auto outputs = module.forward(from_blob(in.data(), {2, 3}));
    if (!outputs.ok()) {
      return testing::AssertionFailure() << to_string(outputs.error());
    }
    const auto& tensor = outputs->at(0).toTensor();
    for (size_t i = 0; i < in.size(); ++i) {
      if (tensor.const_data_ptr<float>()[i] != in[i] + 1) {
        return testing::AssertionFailure() << "element " << i << " is " << tensor.const_data_ptr<float>()[i];
      }
    }
    return testing::AssertionSuccess();
  }
};

TEST_F(Programs, TaggedProgramRunsThroughTheDelegatesAllocatorAndCopies) {
  Module module(program("add_one"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(adds_one(module));
  }
}

TEST_F(Programs, UntaggedProgramRunsFromHostMemory) {
  Module module(program("add_one_host"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(adds_one(module));
  }
}

TEST_F(Programs, DynamicBatchResizesTheOutput) {
  Module module(program("dynamic_batch"));
  for (const int batch : {3, 1, 8, 2, 8, 3}) {
    std::vector<float> a(static_cast<size_t>(batch) * 4);
    std::iota(a.begin(), a.end(), 0.0F);
    std::vector<float> b(a.size(), 10);
    const auto outputs = module.forward({from_blob(a.data(), {batch, 4}), from_blob(b.data(), {batch, 4})});
    ASSERT_TRUE(outputs.ok()) << batch;
    const auto& tensor = outputs->at(0).toTensor();
    ASSERT_EQ(tensor.size(0), batch);
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(tensor.const_data_ptr<float>()[i], a[i] + 10) << "batch " << batch << ", " << i;
    }
  }
}

TEST_F(Programs, TwoOutputsComeInOrder) {
  Module module(program("sum_and_product"));
  std::vector<float> a = {1, 2, 3, 4, 5, 6};
  std::vector<float> b = {7, 8, 9, 10, 11, 12};
  const auto outputs = module.forward({from_blob(a.data(), {2, 3}), from_blob(b.data(), {2, 3})});
  ASSERT_TRUE(outputs.ok());
  ASSERT_EQ(outputs->size(), 2U);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(outputs->at(0).toTensor().const_data_ptr<float>()[i], a[i] + b[i]);
    EXPECT_EQ(outputs->at(1).toTensor().const_data_ptr<float>()[i], a[i] * b[i]);
  }
}

TEST_F(Programs, LoadTimeOptionsReachTheDelegate) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are counted by the stand-in only");
  BackendOptions<2> options;
  ASSERT_EQ(options.set_option("cuda_graph", true), Error::Ok);
  LoadBackendOptionsMap map;
  ASSERT_EQ(map.set_options("TensorRTBackend", options.view()), Error::Ok);
  Module module(program("add_one_host"));
  ASSERT_EQ(module.load(map), Error::Ok);
  const Calls calls;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(adds_one(module));
  }
  EXPECT_GT(calls.cuda("cudaGraphLaunch"), 0U);
}

TEST_F(Programs, UnknownLoadTimeOptionFailsTheMethod) {
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("cuda_grahp", true), Error::Ok);
  LoadBackendOptionsMap map;
  ASSERT_EQ(map.set_options("TensorRTBackend", options.view()), Error::Ok);
  Module module(program("add_one_host"));
  ASSERT_EQ(module.load(map), Error::Ok);
  const ScopedLog log;
  EXPECT_EQ(module.load_method("forward"), Error::InvalidArgument);
  EXPECT_TRUE(log.has({"cuda_grahp", "cuda_graph"}));
}

TEST_F(Programs, EventsReachEtdump) {
  auto owned = std::make_unique<executorch::etdump::ETDumpGen>();
  auto* dump = owned.get();
  Module module(program("add_one_host"), Module::LoadMode::File, std::move(owned));
  EXPECT_TRUE(adds_one(module));
  const auto written = dump->get_etdump_data();
  ASSERT_NE(written.buf, nullptr);
  const std::string bytes(static_cast<const char*>(written.buf), written.size);
  std::free(written.buf);
  for (const char* name : {"bind", "stage inputs", "enqueue", "wait", "stage outputs"}) {
    EXPECT_NE(bytes.find(name), std::string::npos) << name;
  }
}

TEST_F(Programs, OneProgramPerThread) {
  std::vector<std::thread> running;
  for (int i = 0; i < 4; ++i) {
    running.emplace_back([i] {
      Module module(program(i % 2 == 0 ? "add_one" : "add_one_host"));
      for (int n = 0; n < 20; ++n) {
        ASSERT_TRUE(adds_one(module));
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST_F(Programs, ReloadingLeavesNothing) {
  {
    Module warm(program("add_one"));
    EXPECT_TRUE(adds_one(warm));
  }
  const Live before = live();
  for (int i = 0; i < 20; ++i) {
    Module module(program("add_one"));
    ASSERT_TRUE(adds_one(module));
  }
  EXPECT_EQ(live(), before);
}

}  // namespace
}  // namespace contract
