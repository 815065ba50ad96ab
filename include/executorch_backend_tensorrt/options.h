#pragma once

/// Names an application needs to configure the delegate. Registering it needs no header at all.
///
/// Example (load-time options, the values are checked when the program is loaded):
///   executorch::runtime::BackendOptions<2> options;
///   options.set_option(executorch_backend_tensorrt::kCudaGraph, true);
///   executorch::runtime::LoadBackendOptionsMap map;
///   map.set_options(executorch_backend_tensorrt::kBackendName, options.view());
namespace executorch_backend_tensorrt {

/// The name under which the delegate registers and which a .pte program carries.
inline constexpr char kBackendName[] = "TensorRTBackend";

/// string of decimal bytes, or int >= 0; device memory for streamed weights. Default: the
/// compile spec of the same name, else TensorRT's automatic budget.
inline constexpr char kWeightStreamingBudget[] = "weight_streaming_budget";

/// int >= 0; the GPU to run on. Default: the one the program was exported for.
inline constexpr char kDeviceId[] = "device_id";

/// bool, default false; engines loaded with it on one GPU share one activation block, take turns.
inline constexpr char kSharedActivationMemory[] = "shared_activation_memory";

/// int, a power of two in 16..256, default 256; device buffers aligned to less go through a copy.
inline constexpr char kAssumeAlignment[] = "assume_alignment";

/// bool, default false; replay launches as CUDA graphs while shapes, addresses and stream stay.
inline constexpr char kCudaGraph[] = "cuda_graph";

} // namespace executorch_backend_tensorrt
