# CUDA runtime as pip installs it (nvidia-cuda-runtime), or a toolkit given by CUDA_RUNTIME_ROOT.
#
# Defines CudaRuntime::headers, CudaRuntime::cudart (the shared library to link against) and
# CudaRuntime_SITE_FOLDER (its folder in site-packages).
set(CUDA_RUNTIME_ROOT "" CACHE PATH "Folder with include/cuda_runtime_api.h and lib/libcudart.so.N")

find_path(
  CudaRuntime_INCLUDE_DIR cuda_runtime_api.h
  HINTS ${CUDA_RUNTIME_ROOT}
  PATH_SUFFIXES include nvidia/cu13/include nvidia/cuda_runtime/include targets/x86_64-linux/include
)
find_file(
  CudaRuntime_LIBRARY
  NAMES libcudart.so.13
  HINTS ${CUDA_RUNTIME_ROOT}
  PATH_SUFFIXES lib lib64 nvidia/cu13/lib targets/x86_64-linux/lib
)
if(CudaRuntime_INCLUDE_DIR)
  file(STRINGS "${CudaRuntime_INCLUDE_DIR}/cuda_runtime_api.h" _cudart_version
       REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+" CudaRuntime_VERSION_NUMBER "${_cudart_version}")
  if(CudaRuntime_VERSION_NUMBER)
    math(EXPR _major "${CudaRuntime_VERSION_NUMBER} / 1000")
    math(EXPR _minor "${CudaRuntime_VERSION_NUMBER} % 1000 / 10")
    set(CudaRuntime_VERSION "${_major}.${_minor}")
    # Where pip puts the library, relative to site-packages.
    if(_major LESS 13)
      set(CudaRuntime_SITE_FOLDER nvidia/cuda_runtime/lib)
    else()
      set(CudaRuntime_SITE_FOLDER nvidia/cu13/lib)
    endif()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CudaRuntime
  REQUIRED_VARS CudaRuntime_LIBRARY CudaRuntime_INCLUDE_DIR
  VERSION_VAR CudaRuntime_VERSION
  REASON_FAILURE_MESSAGE "install it with: pip install 'nvidia-cuda-runtime<14'"
)
mark_as_advanced(CudaRuntime_INCLUDE_DIR CudaRuntime_LIBRARY)

if(CudaRuntime_FOUND AND NOT TARGET CudaRuntime::headers)
  add_library(CudaRuntime::headers INTERFACE IMPORTED)
  set_target_properties(
    CudaRuntime::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CudaRuntime_INCLUDE_DIR}"
  )
  add_library(CudaRuntime::cudart SHARED IMPORTED)
  set_target_properties(
    CudaRuntime::cudart
    PROPERTIES IMPORTED_LOCATION "${CudaRuntime_LIBRARY}" INTERFACE_LINK_LIBRARIES
                                                          CudaRuntime::headers
  )
endif()
