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
  set(where -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_BUILD_TYPE=Release)
else()
  # The compiler cache knows files by their place, so everything is compiled once more; fast code is not what is looked at.
  set(where -DCREDENS_SOURCE=${CREDENS_SOURCE} -DCREDENS_WERROR=${CREDENS_WERROR} -DCMAKE_BUILD_TYPE=Debug
            "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCREDENS_FEW_TARGETS")
endif()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G Ninja ${where}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target consumer)
run(${SCRATCH}/build/consumer ${SCRATCH}/model.safetensors)

if(KIND STREQUAL "installed" AND CREDENS_CLI)
  run(${SCRATCH}/prefix/bin/credens version)
endif()
