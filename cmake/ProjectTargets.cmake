# Defaults that every target of this project shares, as targets rather than global flags.

# Where one build tree keeps what people run by name: <build>/trtet, <build>/standins/...
set(TRTET_OUTPUT_DIR "${PROJECT_BINARY_DIR}")
set(TRTET_STANDINS_DIR "${PROJECT_BINARY_DIR}/standins")

add_library(project_warnings INTERFACE)
target_compile_options(
  project_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wformat=2
            -Wshadow
            -Wconversion
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wnull-dereference
)

# A private usage requirement: language level, hidden visibility, warnings.
add_library(project_defaults INTERFACE)
target_compile_features(project_defaults INTERFACE cxx_std_17)
target_compile_options(project_defaults INTERFACE -fvisibility=hidden -fvisibility-inlines-hidden)
target_link_libraries(project_defaults INTERFACE project_warnings)

# Sanitizers come from presets; the flags reach every target of the tree through this one.
set(TRTET_SANITIZE "" CACHE STRING "Comma separated -fsanitize list, empty for none")
if(TRTET_SANITIZE)
  target_compile_options(
    project_defaults INTERFACE -fsanitize=${TRTET_SANITIZE} -fno-omit-frame-pointer
                               -fno-sanitize-recover=all
  )
  target_link_options(project_defaults INTERFACE -fsanitize=${TRTET_SANITIZE})
endif()

# The sanitizers' dlopen stands between: a program's RUNPATH does not count for it, an RPATH does.
function(let_sanitizers_search_run_path target)
  if(TRTET_SANITIZE)
    # Among the libraries, so that it comes after the opposite that ExecuTorch's targets bring.
    target_link_libraries(${target} PRIVATE -Wl,--disable-new-dtags)
  endif()
endfunction()
