#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: bash loop.sh PLACE...
#
# Trains one part at each place and merges the parts. A place is a command that takes a line to run: "sh -c" is this
# machine, "ssh node1" another one that sees this folder, with train.csv and plan.toml in it. Run again, it goes on.
set -euo pipefail

members=$(sed -n 's/^members = //p' plan.toml)
mkdir -p parts
jobs=()
for ((i = 1; i <= $#; i++)); do
  first=$(((i - 1) * members / $#)) end=$((i * members / $#))
  part=parts/$first-$end.safetensors
  if ((first == end)) || [[ -e $part ]]; then continue; fi
  ${!i} "cd '$PWD' && exec credens fit train.csv --config plan.toml --member-range $first:$end --resume -o $part" </dev/null &
  jobs+=($!)
done
trap 'kill "${jobs[@]}" || :; wait' INT TERM  # parts keep their finished members

failed=0
for job in "${jobs[@]}"; do wait "$job" || failed=$?; done
((failed == 0)) || exit "$failed"
credens merge parts/*.safetensors --train train.csv -o model.safetensors
