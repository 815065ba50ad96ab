// Under the real CUDA runtime there is no CUDA stand-in to control; tests that need one skip.
#include "standins/cuda_control.h"

int standin_cuda_set(const char*, const char*) { return 1; }
void standin_cuda_reset(void) {}
void standin_cuda_drain(void) {}
uint64_t standin_cuda_pending(void*) { return 0; }
