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
  # Files compile together in a third of the time. The release build keeps them apart, to see what one forgot to include. A file whose
  # own names clash with those of another is kept apart with SKIP_UNITY_BUILD_INCLUSION.
  if(CREDENS_SANITIZE OR CREDENS_INSTRUMENT)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()

# credens_add_test(NAME LABEL label SOURCES file... LINKS target...): one GoogleTest program, found by ctest under its label and
# built with its like by the target <label>_tests.
function(credens_add_test name)
  cmake_parse_arguments(test "" "LABEL" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LINKS} GTest::gmock GTest::gtest_main rapidcheck)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE CREDENS_TEST_DATA="${PROJECT_SOURCE_DIR}/tests"
                                             CREDENS_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
  credens_compile_options(${name})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # the code under test is optimised; tests are to compile fast
  # Half the time of compiling a test goes to these headers. The release build does without, to see what a test forgot to include.
  if(CREDENS_SANITIZE OR CREDENS_INSTRUMENT)
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL})
  if(NOT TARGET ${test_LABEL}_tests)
    add_custom_target(${test_LABEL}_tests)
  endif()
  add_dependencies(${test_LABEL}_tests ${name})
endfunction()
