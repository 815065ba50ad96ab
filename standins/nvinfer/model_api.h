// What libstandin_openvino.so gives the TensorRT stand-in. Plain C types: the two are built apart.
#ifndef STANDINS_NVINFER_MODEL_API_H_
#define STANDINS_NVINFER_MODEL_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StandinModelTensor {
  const char* name;
  int32_t dtype;  // TensorRT's DataType
  int32_t is_input;
  int32_t rank;
  int64_t extents[8];  // -1: dynamic
  void* data;          // run only
} StandinModelTensor;

// Functions give 0 or null on failure and write why into `error`.
typedef struct StandinModelApi {
  // Tensors are the plan's, in order; the model's inputs and outputs are matched in order.
  void* (*load)(const char* xml, size_t xml_bytes, const void* weights, size_t weights_bytes,
                const StandinModelTensor* tensors, size_t count, char* error, size_t error_bytes);
  void (*unload)(void* model);
  // Fills the outputs' extents from the inputs'.
  int (*infer)(void* model, StandinModelTensor* tensors, size_t count, char* error,
               size_t error_bytes);
  void* (*make_request)(void* model, char* error, size_t error_bytes);
  void (*drop_request)(void* request);
  int (*run)(void* request, const StandinModelTensor* tensors, size_t count, char* error,
             size_t error_bytes);
} StandinModelApi;

const StandinModelApi* standin_model_api(void);

#ifdef __cplusplus
}
#endif
#endif  // STANDINS_NVINFER_MODEL_API_H_
