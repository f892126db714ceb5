#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: bash mpirun.sh [OPTIONS OF mpirun]
#
# In a folder with train.csv and plan.toml that all machines see: one rank on each machine, with all of its cores. Started
# again, it goes on.
set -euo pipefail

# Lets mpirun itself notice a machine that is cut off.
export OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=2 OMPI_MCA_oob_tcp_keepalive_probes=3

exec mpirun --map-by ppr:1:node --bind-to none "$@" \
  credens fit train.csv --config plan.toml --resume -o model.safetensors
