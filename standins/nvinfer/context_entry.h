// Every method of a context begins with one Entry: it counts, and notices a second caller.
#ifndef STANDINS_NVINFER_CONTEXT_ENTRY_H_
#define STANDINS_NVINFER_CONTEXT_ENTRY_H_

#include "context.h"

namespace standins {

class ExecutionContext::Entry {
 public:
  Entry(const ExecutionContext& context, Method method, cudaStream_t stream = nullptr)
      : context_(context), fails_(count_call(method, &context, stream)) {
    static std::atomic<uint64_t> next_thread{1};
    thread_local const uint64_t thread = next_thread++;
    uint64_t other = 0;
    is_owner_ = context.inside_.compare_exchange_strong(other, thread);
    if (!is_owner_) {
      report_misuse("IExecutionContext " + context.name_ + ": " + method_name(method) +
                    (other == thread ? " re-enters from a call that is in progress"
                                     : " is called while another thread is in a call"));
    }
    if (fails_) context.error(method, "Internal Error (failure injected by the stand-in)");
  }
  ~Entry() {
    if (is_owner_) context_.inside_ = 0;
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  bool fails() const { return fails_; }

 private:
  const ExecutionContext& context_;
  const bool fails_;
  bool is_owner_ = false;
};

}  // namespace standins

#endif  // STANDINS_NVINFER_CONTEXT_ENTRY_H_
