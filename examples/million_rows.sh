#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# million_rows.sh [ROWS]: a million rows on a laptop. Generates a CSV file, fits kernel ridge regression to it, tests the
# model on rows it has not seen and predicts. Memory does not grow with the rows: try ten million.
#   BOCHNER   the command line [bochner]
set -eu
rows=${1:-1000000}
bochner=${BOCHNER:-bochner}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# y = sin(3 a) cos(2 b) + c, and a word that shifts it; d is noise.
generate() {
  awk -v rows="$1" -v seed="$2" 'BEGIN {
    srand(seed)
    print "a,b,c,d,place,y"
    for (i = 0; i < rows; ++i) {
      a = 4 * rand() - 2; b = 4 * rand() - 2; c = rand(); d = rand(); north = rand() < 0.3
      y = sin(3 * a) * cos(2 * b) + c + (north ? 0.5 : 0) + 0.1 * (rand() + rand() + rand() - 1.5)
      printf "%.6f,%.6f,%.6f,%.6f,%s,%.6f\n", a, b, c, d, (north ? "north" : "south"), y
    }
  }'
}
generate "$rows" 1 | gzip -1 >"$folder/train.csv.gz"
generate 1000 2 >"$folder/new.csv"

# One line fits: columns are standardised, words become columns of 0 and 1, the penalty comes from five folds of the same
# pass, and a tenth of the rows is held out to test. Without --lengthscale the rule "scale" chooses it from a sample: a good
# start, and half of it is worth a try where the function is as rough as this one.
"$bochner" fit "$folder/train.csv.gz" --target y --model "$folder/model.safetensors" --m 512 --lengthscale 0.8 \
  --float32 --memory 1G

"$bochner" evaluate "$folder/model.safetensors" "$folder/new.csv"
"$bochner" predict "$folder/model.safetensors" "$folder/new.csv" --out "$folder/predictions.csv"
head -n 3 "$folder/predictions.csv"
