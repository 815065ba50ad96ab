# Install rules of what the wheel ships: component runtime (the library and its build record), component dev
# (headers and the CMake package). Destinations are relative to the Python package's folder.
include(CMakePackageConfigHelpers)

set(EXECUTORCH_BACKEND_TENSORRT_BUILD_RECORD
    ""
    CACHE FILEPATH "build_record.json of the wheel being built; empty outside a wheel build"
)

# Not GNUInstallDirs: the run path below holds for these folders only.
set(library_dir lib)
set(package_dir ${library_dir}/cmake/executorch_backend_tensorrt)

install(
  TARGETS executorch_backend_tensorrt
  LIBRARY DESTINATION ${library_dir} COMPONENT runtime
)
if(EXECUTORCH_BACKEND_TENSORRT_BUILD_RECORD)
  install(
    FILES "${EXECUTORCH_BACKEND_TENSORRT_BUILD_RECORD}"
    DESTINATION .
    COMPONENT runtime
  )
endif()
install(
  DIRECTORY include/executorch_backend_tensorrt
  DESTINATION include
  COMPONENT dev
  FILES_MATCHING
  PATTERN "*.h"
)

configure_package_config_file(
  cmake/executorch_backend_tensorrt-config.cmake.in
  "${PROJECT_BINARY_DIR}/package/executorch_backend_tensorrt-config.cmake"
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO
  NO_CHECK_REQUIRED_COMPONENTS_MACRO
)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/executorch_backend_tensorrt-config-version.cmake"
  COMPATIBILITY SameMinorVersion
)
install(
  FILES "${PROJECT_BINARY_DIR}/package/executorch_backend_tensorrt-config.cmake"
        "${PROJECT_BINARY_DIR}/package/executorch_backend_tensorrt-config-version.cmake"
  DESTINATION ${package_dir}
  COMPONENT dev
)
