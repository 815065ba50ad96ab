// spec: "Profiling".
#include <new>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "rig/add_one.h"
#include "rig/fixture.h"
#include "rig/standins.h"
#include "rig/tracer.h"

namespace contract {
namespace {

using testing::ElementsAre;

class Profiling : public ContractTest {};

// Throws where a phase of that name begins.
class ThrowingTracer : public RecordingTracer {
 public:
  explicit ThrowingTracer(std::string phase) : phase_(std::move(phase)) {}
  Entry start_profiling_delegate(const char* name, DelegateDebugIntId id) override {
    if (name == phase_) {
      throw std::bad_alloc();
    }
    return RecordingTracer::start_profiling_delegate(name, id);
  }

 private:
  std::string phase_;
};

TEST_F(Profiling, EventsOfOneCallInOrder) {
  AddOne add(Place::kPageable, Place::kPageable);
  RecordingTracer tracer;
  ASSERT_EQ(add.run(&tracer), Error::Ok);
  EXPECT_THAT(tracer.names(), ElementsAre("bind", "stage inputs", "enqueue", "stage outputs", "wait"));
  EXPECT_EQ(tracer.open_count, 0);
}

TEST_F(Profiling, EventsDoNotOverlapAndTakeTheirTime) {
  AddOne add(Place::kPageable, Place::kPageable);
  set_cuda("delay_us", 20000);
  RecordingTracer tracer;
  ASSERT_EQ(add.run(&tracer), Error::Ok);
  for (size_t i = 0; i < tracer.events.size(); ++i) {
    EXPECT_LE(tracer.events[i].start, tracer.events[i].end) << tracer.events[i].name;
    if (i > 0) {
      EXPECT_LE(tracer.events[i - 1].end, tracer.events[i].start) << tracer.events[i].name;
    }
  }
}

TEST_F(Profiling, EveryCallLogsAgain) {
  AddOne add(Place::kPageable, Place::kPageable);
  RecordingTracer tracer;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(&tracer), Error::Ok);
  }
  EXPECT_EQ(tracer.events.size(), 15U);
}

TEST_F(Profiling, FailedCallsLeaveNoOpenEvent) {
  AddOne add(Place::kPageable, Place::kPageable);
  RecordingTracer tracer;
  const ScopedLog log;
  add.x.set_data(nullptr);
  EXPECT_NE(add.run(&tracer), Error::Ok);
  add.x.set_data(add.in.data());
  fail_tensorrt("IExecutionContext::enqueueV3");
  EXPECT_NE(add.run(&tracer), Error::Ok);
  EXPECT_EQ(tracer.open_count, 0);
}

TEST_F(Profiling, TracerThatThrowsLeavesNoWorkBehind) {
  NEEDS_SIMULATED_CUDA("pending work is counted by the stand-in only");
  set_cuda("mode", "lazy");
  AddOne add(Place::kPageable, Place::kPageable);
  for (const char* phase : {"bind", "stage inputs", "enqueue", "stage outputs", "wait"}) {
    ThrowingTracer tracer(phase);
    const ScopedLog log;
    EXPECT_NE(add.run(&tracer), Error::Ok) << phase;
    EXPECT_EQ(pending_work(), 0U) << phase;
    EXPECT_TRUE(add.gives_the_sum()) << phase;
  }
}

TEST_F(Profiling, WithoutATracerTheClockIsNotRead) {
  AddOne add(Place::kPageable, Place::kPageable);
  const uint64_t before = clock_reads();
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(clock_reads(), before);
}

TEST_F(Profiling, ReplaysAreSeenToo) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("cuda_graph", true)};
  AddOne add(request, Place::kPageable, Place::kPageable);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  RecordingTracer tracer;
  ASSERT_EQ(add.run(&tracer), Error::Ok);
  EXPECT_THAT(tracer.names(), ElementsAre("bind", "stage inputs", "enqueue", "stage outputs", "wait"));
}

}  // namespace
}  // namespace contract
