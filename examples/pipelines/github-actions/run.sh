#!/usr/bin/env bash
# Runs the steps of action.yml as a runner does: each `run` in bash, with inputs as environment.
set -uo pipefail
export GITHUB_ACTION_PATH=$SLUICE_REPOSITORY GITHUB_STEP_SUMMARY=$PWD/summary.md RUNNER_TEMP=$PWD
export INPUT_FILES=$'data/orders-clean.csv\ndata/orders-broken.csv' INPUT_SOURCE=orders INPUT_FAIL_ON=block INPUT_OPTIONS=
steps=$(node -e 'const { parse } = require(process.argv[1] + "/node_modules/yaml"); const { readFileSync } = require("fs");
const { runs } = parse(readFileSync(process.argv[1] + "/action.yml", "utf8")); console.log(runs.steps.filter(({ name }) => name !== "Install").map(({ run }) => run).join("\n"))' "$SLUICE_REPOSITORY")
bash --noprofile --norc -eo pipefail -c "$steps"
echo "exit code $?"
echo "--- the job summary begins with"
head -5 summary.md
