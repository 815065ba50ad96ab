// Counting, failing, recording, the ledger and the environment.
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "rig.h"

namespace standins {
namespace {

using testing::ElementsAre;

class Control : public StandinTest {};

TEST_F(Control, CountsCallsByTheirImplementationsName) {
  load(add_one_plan());
  standin_tensorrt_reset_counts();
  engine->getTensorFormat("x", 0);
  engine->getNbIOTensors();
  context->setInputShape("x", dims({1, 4}));
  context->setInputShape("x", dims({1, 4}));
  EXPECT_EQ(standin_tensorrt_count("ICudaEngine::getTensorFormatV2"), 1u);
  EXPECT_EQ(standin_tensorrt_count("ICudaEngine::getNbIOTensors"), 1u);
  EXPECT_EQ(standin_tensorrt_count("IExecutionContext::setInputShape"), 2u);
  EXPECT_EQ(standin_tensorrt_count(nullptr), 4u);
  EXPECT_EQ(standin_tensorrt_count("no such call"), 0u);
}

TEST_F(Control, RecordsThreadDeviceAndStream) {
  load(add_one_plan());
  standin_tensorrt_set("record", "1");
  context->enqueueV3(cudaStreamPerThread);
  std::thread([&] { engine->getNbIOTensors(); }).join();
  StandinTensorRtCall calls[3];
  ASSERT_EQ(standin_tensorrt_calls(calls, 3), 2u);
  EXPECT_STREQ(calls[0].name, "IExecutionContext::enqueueV3");
  EXPECT_EQ(calls[0].stream, cudaStreamPerThread);
  EXPECT_EQ(calls[0].device, 0);
  EXPECT_STREQ(calls[1].name, "ICudaEngine::getNbIOTensors");
  EXPECT_NE(calls[0].thread, calls[1].thread);
}

TEST_F(Control, TheNthCallFailsOnce) {
  load(add_one_plan());
  ASSERT_EQ(standin_tensorrt_fail("IExecutionContext::setInputShape", 2), 0);
  EXPECT_TRUE(context->setInputShape("x", dims({1, 4})));
  EXPECT_FALSE(context->setInputShape("x", dims({1, 4})));
  EXPECT_TRUE(context->setInputShape("x", dims({1, 4})));
  EXPECT_EQ(standin_tensorrt_injected_count(), 1u);
  EXPECT_STREQ(standin_tensorrt_last_injected(), "IExecutionContext::setInputShape");
  EXPECT_THAT(logger.errors, ElementsAre(testing::HasSubstr("injected")));
  EXPECT_NE(standin_tensorrt_fail("IExecutionContext::fly", 1), 0);
}

// Each call that can fail, and whether what it gives is what no right call gives.
class Failures : public StandinTest {
 protected:
  using Calls = std::map<std::string, std::function<bool()>>;

  Calls calls_of_the_runtime_and_engine() {
    return {
        {"createInferRuntime_INTERNAL", [&] { return nvinfer1::createInferRuntime(logger) == nullptr; }},
        {"IRuntime::deserializeCudaEngine",
         [&] { return runtime->deserializeCudaEngine(bytes.data(), bytes.size()) == nullptr; }},
        {"ICudaEngine::createExecutionContext", [&] { return engine->createExecutionContext() == nullptr; }},
        {"ICudaEngine::createExecutionContextWithRuntimeConfig",
         [&] { return engine->createExecutionContext(nullptr) == nullptr; }},
        {"ICudaEngine::createRuntimeConfig", [&] { return engine->createRuntimeConfig() == nullptr; }},
        {"ICudaEngine::getNbOptimizationProfiles", [&] { return engine->getNbOptimizationProfiles() == 0; }},
        {"ICudaEngine::getTensorShape", [&] { return engine->getTensorShape("x").nbDims < 0; }},
        {"ICudaEngine::getTensorIOMode", [&] { return engine->getTensorIOMode("x") == nvinfer1::TensorIOMode::kNONE; }},
        {"ICudaEngine::getNbIOTensors", [&] { return engine->getNbIOTensors() == 0; }},
        {"ICudaEngine::getIOTensorName", [&] { return engine->getIOTensorName(0) == nullptr; }},
        {"ICudaEngine::getProfileShape",
         [&] { return engine->getProfileShape("x", 0, nvinfer1::OptProfileSelector::kMIN).nbDims < 0; }},
        // Aborts on this engine; its failure is tested with one that streams.
        {"ICudaEngine::setWeightStreamingBudgetV2", [] { return true; }},
    };
  }

  Calls calls_of_the_context() {
    return {
        {"IExecutionContext::setOptimizationProfileAsync",
         [&] { return !context->setOptimizationProfileAsync(0, nullptr); }},
        {"IExecutionContext::setInputShape", [&] { return !context->setInputShape("x", dims({1, 4})); }},
        {"IExecutionContext::getTensorShape", [&] { return context->getTensorShape("y").nbDims < 0; }},
        {"IExecutionContext::setTensorAddress", [&] { return !context->setTensorAddress("x", this); }},
        {"IExecutionContext::setInputTensorAddress", [&] { return !context->setInputTensorAddress("x", this); }},
        {"IExecutionContext::setOutputTensorAddress", [&] { return !context->setOutputTensorAddress("y", this); }},
        {"IExecutionContext::inferShapes", [&] { return context->inferShapes(0, nullptr) < 0; }},
        {"IExecutionContext::enqueueV3", [&] { return !context->enqueueV3(nullptr); }},
        {"IExecutionContext::updateDeviceMemorySizeForShapes",
         [&] { return context->updateDeviceMemorySizeForShapes() == 0; }},
        {"IExecutionContext::setDeviceMemoryV2",
         [&] {
           context->setDeviceMemoryV2(nullptr, 0);
           return true;  // told by the launch that follows
         }},
    };
  }

  const std::string bytes = write_plan(add_one_plan());
};

TEST_F(Failures, OfEveryCallCanBeTold) {
  load(add_one_plan(), Strategy::kUSER_MANAGED);
  ASSERT_TRUE(context->setInputShape("x", dims({1, 4})));
  Calls failed = calls_of_the_runtime_and_engine();
  failed.merge(calls_of_the_context());
  std::size_t checked = 0;
  for (std::size_t i = 0; standin_tensorrt_call_name(i) != nullptr; ++i) {
    if (standin_tensorrt_call_can_fail(i) == 0) continue;
    const std::string name = standin_tensorrt_call_name(i);
    ASSERT_EQ(failed.count(name), 1u) << name;
    ASSERT_EQ(standin_tensorrt_fail(name.c_str(), 1), 0);
    EXPECT_TRUE(failed.at(name)()) << name;
    standin_tensorrt_clear_failures();
    ++checked;
  }
  EXPECT_EQ(checked, failed.size());
}

TEST_F(Control, TheLedgerCountsWhatLives) {
  StandinTensorRtLedger ledger;
  load(add_one_plan());
  standin_tensorrt_ledger(&ledger);
  EXPECT_EQ(ledger.runtimes, 1u);
  EXPECT_EQ(ledger.engines, 1u);
  EXPECT_EQ(ledger.contexts, 1u);
  std::unique_ptr<nvinfer1::IRuntimeConfig> config(engine->createRuntimeConfig());
  config->setExecutionContextAllocationStrategy(Strategy::kUSER_MANAGED);
  std::unique_ptr<nvinfer1::IExecutionContext> second(engine->createExecutionContext(config.get()));
  standin_tensorrt_ledger(&ledger);
  EXPECT_EQ(ledger.others, 1u);
  EXPECT_EQ(ledger.peak_contexts, 2u);
  EXPECT_EQ(ledger.total_contexts, 2u);
}

TEST_F(Control, RefusesUnknownSettings) {
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{{"colour", "1"},
                                                        {"version", "11.4"},
                                                        {"version", "11.4.0.999"},
                                                        {"fail", "IExecutionContext::enqueueV3"},
                                                        {"fail", "IExecutionContext::enqueueV3:0"},
                                                        {"alignment", "3"},
                                                        {"enqueue", "maybe"},
                                                        {"record", "yes"}}) {
    EXPECT_EQ(standin_tensorrt_set(key, value), 1) << key << "=" << value;
  }
  EXPECT_EQ(standin_tensorrt_set("fail", "IExecutionContext::enqueueV3:3+,*:2"), 0);
}

TEST_F(Control, SettingsStayFailingWithAPlus) {
  load(add_one_plan());
  standin_tensorrt_set("fail", "IExecutionContext::setInputShape:2+");
  EXPECT_TRUE(context->setInputShape("x", dims({1, 4})));
  EXPECT_FALSE(context->setInputShape("x", dims({1, 4})));
  EXPECT_FALSE(context->setInputShape("x", dims({1, 4})));
}

TEST_F(Control, TheEnvironmentSetsAndTheReportTells) {
  const std::string report = testing::TempDir() + "tensorrt_report.json";
  std::remove(report.c_str());
  const std::string command =
      "STANDIN_TENSORRT_REPORT='" + report + "' STANDIN_TENSORRT_VERSION=11.9.8.7 " REPORT_PROCESS;
  std::FILE* const process = popen(command.c_str(), "r");
  ASSERT_NE(process, nullptr);
  int version = 0;
  EXPECT_EQ(std::fscanf(process, "%d", &version), 1);
  EXPECT_EQ(pclose(process), 0);
  EXPECT_EQ(version, 110908);
  std::ifstream file(report);
  const auto read = nlohmann::json::parse(file);
  EXPECT_EQ(read["counts"]["getInferLibVersion"], 1);
  EXPECT_EQ(read["counts"]["createInferRuntime_INTERNAL"], 1);
  EXPECT_EQ(read["ledger"]["runtimes"], 0);
  EXPECT_EQ(read["ledger"]["total_runtimes"], 1);
  EXPECT_EQ(read["misuse"], nlohmann::json::array());
}

}  // namespace
}  // namespace standins
