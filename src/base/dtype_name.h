#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch_backend_tensorrt {

/// The name PyTorch users know, e.g. "float32"; "unknown" outside ExecuTorch's types.
const char* dtype_name(executorch::aten::ScalarType dtype);

} // namespace executorch_backend_tensorrt
