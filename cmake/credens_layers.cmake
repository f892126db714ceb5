# A layer is a static library that may link layers below it only, so that an include or a call upwards does not link.

function(credens_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wno-missing-field-initializers -Wnon-virtual-dtor -ffp-contract=off
                                           # g++ 12 sees an overlap in "text" + std::string that cannot happen (GCC bug 105651).
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(CREDENS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CREDENS_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${CREDENS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${CREDENS_SANITIZE})
  endif()
endfunction()

# Files of a target compile together, in a third of the time. The preset clang and ./dev lint compile each apart, to see what one forgot
# to include. A file whose own names clash with those of another is kept apart with SKIP_UNITY_BUILD_INCLUSION.
function(credens_compile_together target)
  if(CREDENS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${CREDENS_UNITY})
    # One file's names are seen in the next, and g++ takes what is included for a header.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# credens_add_layer(NAME SOURCES file... [LAYERS lower...] [LINKS target...])
function(credens_add_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;LAYERS;LINKS" ${ARGN})
  set(target credens_${name})
  add_library(${target} STATIC ${layer_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM layer_LAYERS PREPEND credens_)
  target_link_libraries(${target} PUBLIC ${layer_LAYERS} ${layer_LINKS})
  credens_compile_options(${target})
  target_compile_options(${target} PRIVATE ${CREDENS_INSTRUMENT})
  if(CREDENS_SANITIZE AND name MATCHES "^(data|model|learn)$")
    target_compile_options(${target} PRIVATE -O1)  # their tests read and train much: without it they take longer than compiling
  endif()
  credens_compile_together(${target})
endfunction()

# The headers that every test includes, compiled once.
function(credens_add_test_headers)
  add_library(test_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/support/headers.cpp)
  target_link_libraries(test_headers PRIVATE GTest::gmock GTest::gtest rapidcheck)
  credens_test_options(test_headers)
  target_precompile_headers(test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h> <filesystem> <random>)
endfunction()

# The code under test is optimised; tests are to compile fast.
function(credens_test_options target)
  target_compile_definitions(${target} PRIVATE CREDENS_TEST_DATA="${PROJECT_SOURCE_DIR}/tests"
                                               CREDENS_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
  credens_compile_options(${target})
  if(CREDENS_SANITIZE MATCHES undefined)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)  # the code under test has it; twice takes minutes
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>
                                           $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for the compiler's cache
endfunction()

# A test's own plain loops, which would take long without optimisation.
function(credens_optimise_in_tests)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2> SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# credens_add_test(NAME LABEL label SOURCES file... [APART file...] LINKS target...): one GoogleTest program, found by ctest under its
# label and built with its like by the target <label>_tests. Files under APART have names that clash with those of others.
function(credens_add_test name)
  cmake_parse_arguments(test "" "LABEL" "SOURCES;APART;LINKS" ${ARGN})
  add_executable(${name} ${test_SOURCES} ${test_APART})
  if(test_APART)
    set_source_files_properties(${test_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  target_link_libraries(${name} PRIVATE ${test_LINKS} GTest::gmock GTest::gtest_main rapidcheck)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  credens_test_options(${name})
  credens_compile_together(${name})
  if(TARGET test_headers)
    target_precompile_headers(${name} REUSE_FROM test_headers)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL})
  if(NOT TARGET ${test_LABEL}_tests)
    add_custom_target(${test_LABEL}_tests)
  endif()
  add_dependencies(${test_LABEL}_tests ${name})
endfunction()
