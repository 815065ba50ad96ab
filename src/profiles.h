#pragma once

#include <executorch/runtime/core/error.h>

#include "engine.h"
#include "stream_work.h"

namespace executorch_backend_tensorrt {

/// The first optimization profile that admits Binding::wanted of every input, -1 for none.
int find_profile(const Engine& engine);

/// Says why find_profile found none: tensor, dimension, value and what all profiles allow.
/// Returns InvalidArgument.
executorch::runtime::Error report_no_profile(const Engine& engine);

/// Switches TensorRT to a profile, on the call's stream, when it has another one. Shapes and
/// addresses then have to be set again. Errors: InvalidState.
executorch::runtime::Error use_profile(int profile, Engine& engine, StreamWork& work);

} // namespace executorch_backend_tensorrt
