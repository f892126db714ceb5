# Builds and runs the consumer project: cmake -DKIND=installed|subdirectory|fetched ... -P run_consumer.cmake
#
# CONSUMER, CREDENS_SOURCE and CREDENS_BUILD are folders, SCRATCH is one that this script owns. The other variables repeat how
# CREDENS_BUILD was configured.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})

if(KIND STREQUAL "installed")
  run(${CMAKE_COMMAND} --install ${CREDENS_BUILD} --prefix ${SCRATCH}/prefix)
  set(where -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
else()
  # With the flags of the outer build and as deep as that, the compiler cache already knows the layers.
  set(where -DCREDENS_WERROR=${CREDENS_WERROR} -DCMAKE_CXX_FLAGS_RELEASE=${CXX_FLAGS})
  if(KIND STREQUAL "fetched")
    list(APPEND where -DCREDENS_FETCHED=ON -DFETCHCONTENT_SOURCE_DIR_CREDENS=${CREDENS_SOURCE})
  else()
    list(APPEND where -DCREDENS_SOURCE=${CREDENS_SOURCE})
  endif()
endif()

set(build ${CREDENS_BUILD}-${KIND})
file(REMOVE_RECURSE ${build})
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${build} -G Ninja ${where} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER})
run(${CMAKE_COMMAND} --build ${build} --target consumer)
run(${build}/consumer ${SCRATCH}/model.safetensors)

# Without CMake: what pkg-config says suffices to compile and link.
find_program(PKG_CONFIG pkg-config)
if(KIND STREQUAL "installed" AND PKG_CONFIG)
  file(GLOB_RECURSE pc ${SCRATCH}/prefix/*/credens.pc)
  cmake_path(GET pc PARENT_PATH pc_folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder} ${PKG_CONFIG} --cflags --libs credens
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND ${flags})
  run(${CXX_COMPILER} -std=c++20 ${CONSUMER}/main.cpp -o ${SCRATCH}/by_pkg_config ${flags})
  run(${SCRATCH}/by_pkg_config ${SCRATCH}/by_pkg_config.safetensors)
endif()

if(KIND STREQUAL "installed" AND CREDENS_CLI)
  run(${SCRATCH}/prefix/bin/credens version)
endif()
