# Builds and runs the consumer project: cmake -DKIND=installed|subdirectory ... -P run_consumer.cmake
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
  set(where -DCREDENS_SOURCE=${CREDENS_SOURCE} -DCREDENS_WERROR=${CREDENS_WERROR} -DCMAKE_CXX_FLAGS_RELEASE=${CXX_FLAGS})
endif()

set(build ${CREDENS_BUILD}-${KIND})
file(REMOVE_RECURSE ${build})
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${build} -G Ninja ${where} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER})
run(${CMAKE_COMMAND} --build ${build} --target consumer)
run(${build}/consumer ${SCRATCH}/model.safetensors)

if(KIND STREQUAL "installed" AND CREDENS_CLI)
  run(${SCRATCH}/prefix/bin/credens version)
endif()
