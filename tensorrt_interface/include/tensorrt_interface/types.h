// Values, dimensions and the logger of TensorRT 11. Included through NvInferRuntime.h.
#ifndef TENSORRT_INTERFACE_TYPES_H
#define TENSORRT_INTERFACE_TYPES_H

#include <cstddef>
#include <cstdint>

// The major version this project is built for; a library of another major is refused at run time.
#define NV_TENSORRT_MAJOR 11
#define NV_TENSORRT_MINOR 0
#define NV_TENSORRT_PATCH 0
#define NV_TENSORRT_BUILD 0
#define NV_TENSORRT_VERSION \
  (NV_TENSORRT_MAJOR * 10000 + NV_TENSORRT_MINOR * 100 + NV_TENSORRT_PATCH)

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

namespace nvinfer1 {

using AsciiChar = char;
using TacticSources = uint32_t;
using TempfileControlFlags = uint32_t;

class ICudaEngine;
class IDebugListener;
class IEngineInspector;
class IErrorRecorder;
class IExecutionContext;
class IGpuAllocator;
class IHostMemory;
class IOutputAllocator;
class IPluginRegistry;
class IProfiler;
class IRefitter;
class IRuntime;
class IRuntimeConfig;
class ISerializationConfig;
class IStreamReaderV2;

enum class DataType : int32_t {
  kFLOAT = 0,
  kHALF = 1,
  kINT8 = 2,
  kINT32 = 3,
  kBOOL = 4,
  kUINT8 = 5,
  kFP8 = 6,
  kBF16 = 7,
  kINT64 = 8,
  kINT4 = 9,
  kFP4 = 10,
  kE8M0 = 11,
};
enum class TensorIOMode : int32_t { kNONE = 0, kINPUT = 1, kOUTPUT = 2 };
enum class TensorLocation : int32_t { kDEVICE = 0, kHOST = 1 };
// Every value but kLINEAR is a vectorised or blocked layout.
enum class TensorFormat : int32_t { kLINEAR = 0 };
enum class OptProfileSelector : int32_t { kMIN = 0, kOPT = 1, kMAX = 2 };
enum class ExecutionContextAllocationStrategy : int32_t {
  kSTATIC = 0,
  kON_PROFILE_CHANGE = 1,
  kUSER_MANAGED = 2,
};
enum class ProfilingVerbosity : int32_t { kLAYER_NAMES_ONLY = 0, kNONE = 1, kDETAILED = 2 };
enum class HardwareCompatibilityLevel : int32_t {
  kNONE = 0,
  kAMPERE_PLUS = 1,
  kSAME_COMPUTE_CAPABILITY = 2,
};
enum class EngineCapability : int32_t { kSTANDARD = 0, kSAFETY = 1, kDLA_STANDALONE = 2 };
enum class EngineStat : int32_t { kTOTAL_WEIGHTS_SIZE = 0, kSTRIPPED_WEIGHTS_SIZE = 1 };
enum class APILanguage : int32_t { kCPP = 0, kPYTHON = 1 };

// nbDims below zero means invalid; an extent of -1 is dynamic.
class Dims64 {
 public:
  static constexpr int32_t MAX_DIMS{8};
  int32_t nbDims;
  int64_t d[MAX_DIMS];
};
using Dims = Dims64;

class InterfaceInfo {
 public:
  char const* kind;
  int32_t major;
  int32_t minor;
};

class IVersionedInterface {
 public:
  virtual APILanguage getAPILanguage() const noexcept { return APILanguage::kCPP; }
  virtual InterfaceInfo getInterfaceInfo() const noexcept = 0;
  virtual ~IVersionedInterface() noexcept = default;

 protected:
  IVersionedInterface() = default;
  IVersionedInterface(IVersionedInterface const&) = default;
  IVersionedInterface& operator=(IVersionedInterface const&) & = default;
};

// Implemented by the application, called by TensorRT from any thread.
class ILogger : public IVersionedInterface {
 public:
  enum class Severity : int32_t {
    kINTERNAL_ERROR = 0,
    kERROR = 1,
    kWARNING = 2,
    kINFO = 3,
    kVERBOSE = 4,
  };
  InterfaceInfo getInterfaceInfo() const noexcept override { return {"ILogger", 1, 0}; }
  virtual void log(Severity severity, AsciiChar const* message) noexcept = 0;
};

class INoCopy {
 protected:
  INoCopy() = default;

 public:
  virtual ~INoCopy() = default;
  INoCopy(INoCopy const&) = delete;
  INoCopy& operator=(INoCopy const&) = delete;
};

}  // namespace nvinfer1

#endif  // TENSORRT_INTERFACE_TYPES_H
