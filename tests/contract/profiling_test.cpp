// spec: "Profiling".
#include <gmock/gmock.h>

#include "rig/fixture.h"
#include "rig/tracer.h"

namespace contract {
namespace {

using testing::ElementsAre;

class Profiling : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    in_ = std::make_unique<Buffer>(filled(Place::kPageable, std::vector<float>{1, 2, 3, 4}));
    out_ = std::make_unique<Buffer>(Place::kPageable, 16);
    x_ = std::make_unique<TensorArg>(ScalarType::Float, std::vector<int32_t>{4}, *in_);
    y_ = std::make_unique<TensorArg>(ScalarType::Float, std::vector<int32_t>{4}, *out_);
  }
  void TearDown() override {
    in_.reset();
    out_.reset();
    ContractTest::TearDown();
  }
  std::unique_ptr<Buffer> in_;
  std::unique_ptr<Buffer> out_;
  std::unique_ptr<TensorArg> x_;
  std::unique_ptr<TensorArg> y_;
};

TEST_F(Profiling, EventsOfOneCallInOrder) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  RecordingTracer tracer;
  Call call({x_.get(), y_.get()});
  ASSERT_EQ(loaded->execute(call, &tracer), Error::Ok);
  EXPECT_THAT(tracer.names(), ElementsAre("bind", "stage inputs", "enqueue", "stage outputs", "wait"));
  EXPECT_EQ(tracer.open_count, 0);
}

TEST_F(Profiling, EventsDoNotOverlapAndTakeTheirTime) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  set_cuda("delay_us", 20000);
  RecordingTracer tracer;
  Call call({x_.get(), y_.get()});
  ASSERT_EQ(loaded->execute(call, &tracer), Error::Ok);
  for (size_t i = 0; i < tracer.events.size(); ++i) {
    EXPECT_LE(tracer.events[i].start, tracer.events[i].end) << tracer.events[i].name;
    if (i > 0) {
      EXPECT_LE(tracer.events[i - 1].end, tracer.events[i].start) << tracer.events[i].name;
    }
  }
}

TEST_F(Profiling, EveryCallLogsAgain) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  RecordingTracer tracer;
  Call call({x_.get(), y_.get()});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(loaded->execute(call, &tracer), Error::Ok);
  }
  EXPECT_EQ(tracer.events.size(), 15U);
}

TEST_F(Profiling, FailedCallsLeaveNoOpenEvent) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  RecordingTracer tracer;
  Call call({x_.get(), y_.get()});
  const ScopedLog log;
  x_->set_data(nullptr);
  EXPECT_NE(loaded->execute(call, &tracer), Error::Ok);
  x_->set_data(in_->data());
  fail_tensorrt("IExecutionContext::enqueueV3");
  EXPECT_NE(loaded->execute(call, &tracer), Error::Ok);
  EXPECT_EQ(tracer.open_count, 0);
}

TEST_F(Profiling, WithoutATracerTheClockIsNotRead) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  Call call({x_.get(), y_.get()});
  const uint64_t before = clock_reads();
  ASSERT_EQ(loaded->execute(call), Error::Ok);
  EXPECT_EQ(clock_reads(), before);
}

TEST_F(Profiling, ReplaysAreSeenToo) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("cuda_graph", true)};
  auto loaded = load(request);
  Call call({x_.get(), y_.get()});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(loaded->execute(call), Error::Ok);
  }
  RecordingTracer tracer;
  ASSERT_EQ(loaded->execute(call, &tracer), Error::Ok);
  EXPECT_THAT(tracer.names(), ElementsAre("bind", "stage inputs", "enqueue", "stage outputs", "wait"));
}

}  // namespace
}  // namespace contract
