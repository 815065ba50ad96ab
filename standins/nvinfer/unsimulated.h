// Base classes whose every method aborts with its own name; what is simulated is overridden.
#ifndef STANDINS_NVINFER_UNSIMULATED_H_
#define STANDINS_NVINFER_UNSIMULATED_H_

#include "NvInferRuntime.h"
#include "calls.h"

namespace standins {
using namespace nvinfer1;
#include "unsimulated.inc"
}  // namespace standins

#endif  // STANDINS_NVINFER_UNSIMULATED_H_
