# SPDX-License-Identifier: Apache-2.0
# The runtime of C programs: src/native and what the linker takes for it out of the rooms below, never instrumented, in one
# object (scripts/runtime).
file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/native/*.c)
file(GLOB RUNTIME_PARTS CONFIGURE_DEPENDS src/base/*.c src/checkpoint/*.c src/property/*.c src/report/*.c src/soundness/*.c
    src/stateless/*.c src/system/*.c)
add_library(portolan_run OBJECT ${RUNTIME_SOURCES})
add_library(portolan_run_parts STATIC ${RUNTIME_PARTS})
foreach(target portolan_run portolan_run_parts)
    target_include_directories(${target} PRIVATE include src)
    target_compile_definitions(${target} PRIVATE XXH_INLINE_ALL= _GNU_SOURCE PORTOLAN_API=)
    target_compile_options(${target} PRIVATE -fno-sanitize=all -O2 -g -fno-profile-arcs -fno-test-coverage
        -fno-stack-protector -U_FORTIFY_SOURCE) # as packages are built: its threads have stacks and thread pointers of their own
    if(PORTOLAN_SANITIZE) # contexts do not go with AddressSanitizer; what is undefined is a crash, without a library
        target_compile_options(${target} PRIVATE -fsanitize=undefined -fno-sanitize=nonnull-attribute ${ALLOWED}
            -fsanitize-undefined-trap-on-error)
    endif()
endforeach()
if(PORTOLAN_SANITIZE)
    set_source_files_properties(src/native/tsan.c PROPERTIES COMPILE_OPTIONS -fno-sanitize=all) # has names of gcc's own
endif()
set_property(SOURCE src/native/once.c APPEND PROPERTY COMPILE_OPTIONS -fexceptions) # what is done once may throw
add_custom_command(OUTPUT libportolan_run.a libportolan_run.wrap
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/runtime ${CMAKE_LINKER} ${CMAKE_OBJCOPY} ${CMAKE_NM} ${CMAKE_AR}
        ${CMAKE_CURRENT_BINARY_DIR} $<TARGET_OBJECTS:portolan_run> $<TARGET_FILE:portolan_run_parts>
    DEPENDS portolan_run portolan_run_parts $<TARGET_OBJECTS:portolan_run> scripts/runtime COMMAND_EXPAND_LISTS VERBATIM)
# Beside the program, for those that it compiles; an installed one has it among its headers.
configure_file(${PROJECT_SOURCE_DIR}/include/portolan/program.h ${CMAKE_CURRENT_BINARY_DIR}/include/portolan/program.h COPYONLY)
file(GLOB_RECURSE CPLUSPLUS_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} include/portolan/c++/*)
foreach(header ${CPLUSPLUS_HEADERS})
    configure_file(${PROJECT_SOURCE_DIR}/${header} ${CMAKE_CURRENT_BINARY_DIR}/${header} COPYONLY)
endforeach()
# One word, for configure scripts.
foreach(driver portolan-cc portolan-c++)
    add_custom_command(TARGET portolan POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E create_symlink portolan ${driver} WORKING_DIRECTORY $<TARGET_FILE_DIR:portolan>)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${driver} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
add_custom_target(runtime ALL DEPENDS libportolan_run.a)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libportolan_run.a ${CMAKE_CURRENT_BINARY_DIR}/libportolan_run.wrap
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/portolan)
