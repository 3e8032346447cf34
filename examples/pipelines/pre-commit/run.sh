#!/usr/bin/env bash
# Runs the hook in a new repository, first with a clean file and then with a broken one.
set -euo pipefail
export PRE_COMMIT_HOME=$PWD/cache PRE_COMMIT_COLOR=never
git init -q shop
revision=$(git -C "$SLUICE_REPOSITORY" rev-parse HEAD)
sed "s#SLUICE_REPOSITORY#$SLUICE_REPOSITORY#; s#HEAD#$revision#" pre-commit-config.yaml > shop/.pre-commit-config.yaml
cd shop
for file in orders-clean.csv orders-broken.csv; do
  cp "../data/$file" . && git add "$file"
  echo "pre-commit run, $file"
  pre-commit run --files "$file" 2>>../pre-commit.log | grep -v -e '^$' -e '^\[INFO\]' || true
done
