#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: bash slurm.sh submit PARTS
#
# On the login node, in a folder with train.csv and plan.toml that all nodes see: submits an array of parts, and their
# merging for when all have succeeded. Submitted again, it goes on.
#SBATCH --job-name=credens
#SBATCH --cpus-per-task=16
#SBATCH --mem=32G
#SBATCH --time=24:00:00
#SBATCH --requeue
set -euo pipefail

submit() {
  mkdir -p parts
  array=$(sbatch --parsable --array="0-$(($1 - 1))" "$0" train "$1")
  sbatch --dependency="afterok:$array" --kill-on-invalid-dep=yes "$0" merge
}

train() {
  members=$(sed -n 's/^members = //p' plan.toml)
  first=$((SLURM_ARRAY_TASK_ID * members / $1)) end=$(((SLURM_ARRAY_TASK_ID + 1) * members / $1))
  part=parts/$first-$end.safetensors
  if ((first == end)) || [[ -e $part ]]; then return; fi
  credens fit train.csv --config plan.toml --member-range "$first:$end" --threads "$SLURM_CPUS_PER_TASK" --resume -o "$part"
}

merge() {
  credens merge parts/*.safetensors --train train.csv -o model.safetensors
}

"$@"
