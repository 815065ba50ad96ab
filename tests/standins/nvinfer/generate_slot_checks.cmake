# Each row of slots.csv becomes one SLOT(class, slot, method, pointer-to-member type) line.
file(READ "${INPUT}" text)
string(REPLACE "; " "@" text "${text}")
string(REGEX MATCHALL "[^\r\n]+" rows "${text}")
list(POP_FRONT rows)
set(lines "")
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^([^,]*),([0-9]+),([^,]*),([^,]*),([^,]*),([^,]*)$")
    message(FATAL_ERROR "slots.csv: not a row: ${row}")
  endif()
  set(class "${CMAKE_MATCH_1}")
  set(parameters "${CMAKE_MATCH_5}")
  set(qualifier "")
  if(CMAKE_MATCH_6 STREQUAL "yes")
    set(qualifier "const ")
  endif()
  string(REPLACE "@" ", " parameters "${parameters}")
  string(APPEND lines
         "SLOT(${class}, ${CMAKE_MATCH_2}, ${CMAKE_MATCH_3}, "
         "${CMAKE_MATCH_4} (apiv::${class}::*)(${parameters}) ${qualifier}noexcept)\n"
  )
endforeach()
file(WRITE "${OUTPUT}" "${lines}")
