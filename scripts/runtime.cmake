# SPDX-License-Identifier: Apache-2.0
# The runtime of C programs: the search and what it needs, never instrumented, in one object (scripts/runtime).
file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/native/*.c src/base/*.c src/stateless/*.c
    src/soundness/rules.c src/soundness/soundness.c src/property/verdict.c
    src/report/json.c src/report/junit.c src/report/run_summary.c src/report/words.c)
add_library(portolan_run OBJECT ${RUNTIME_SOURCES})
target_include_directories(portolan_run PRIVATE include src)
target_compile_definitions(portolan_run PRIVATE XXH_INLINE_ALL= _GNU_SOURCE PORTOLAN_API=)
target_compile_options(portolan_run PRIVATE -fno-sanitize=all -O2 -g -fno-profile-arcs -fno-test-coverage)
if(PORTOLAN_SANITIZE) # contexts do not go with AddressSanitizer; what is undefined is a crash, without a library
    target_compile_options(portolan_run PRIVATE -fsanitize=undefined -fno-sanitize=nonnull-attribute
        -fsanitize-undefined-trap-on-error)
    set_source_files_properties(src/native/tsan.c PROPERTIES COMPILE_OPTIONS -fno-sanitize=all) # has names of gcc's own
endif()
add_custom_command(OUTPUT libportolan_run.a libportolan_run.wrap
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/runtime ${CMAKE_LINKER} ${CMAKE_OBJCOPY} ${CMAKE_NM} ${CMAKE_AR}
        ${CMAKE_CURRENT_BINARY_DIR} $<TARGET_OBJECTS:portolan_run>
    DEPENDS portolan_run $<TARGET_OBJECTS:portolan_run> scripts/runtime COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(runtime ALL DEPENDS libportolan_run.a)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libportolan_run.a ${CMAKE_CURRENT_BINARY_DIR}/libportolan_run.wrap
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/portolan)
