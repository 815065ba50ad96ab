# Install rule of the command-line tool: component tools, the executable two folders below site-packages.
set_target_properties(
  trtet
  PROPERTIES
    INSTALL_RPATH
    "$ORIGIN/../../executorch/lib;$ORIGIN/../../torch_tensorrt_executorch_runtime/lib;$ORIGIN/../../tensorrt_libs;$ORIGIN/../../${CudaRuntime_SITE_FOLDER}"
)
install(TARGETS trtet RUNTIME DESTINATION bin COMPONENT tools)

# ExecuTorch's targets put the folder they were found in into every run path. In the build tree CMake does so by
# itself and takes it out on installing; a path of the build machine must not be in a wheel.
foreach(component runtime threadpool kernels_optimized kernels_quantized backend_xnnpack etdump)
  if(TARGET executorch::${component})
    get_target_property(options executorch::${component} INTERFACE_LINK_OPTIONS)
    list(FILTER options EXCLUDE REGEX "^LINKER:-rpath,")
    set_target_properties(executorch::${component} PROPERTIES INTERFACE_LINK_OPTIONS "${options}")
  endif()
endforeach()
