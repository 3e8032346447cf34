#!/usr/bin/env bash
# Gates every file that has landed: nightly.sh FOLDER. Files that may be loaded go to ready/, the others to held/.
#
#     15 2 * * * cd /srv/orders && ./nightly.sh landing >> nightly.log 2>&1
set -uo pipefail
mkdir -p ready held
for file in "$1"/*.csv; do
  name=$(basename "$file")
  sluice screen --quiet --baseline baselines.sqlite --source orders \
    --good "ready/$name" --held "held/$name" "$file"
  verdict=$?
  case $verdict in
    0) echo "$name: loaded" ;;
    2) rm -f "ready/$name" && mv "$file" "held/$name" && echo "$name: BLOCK, held" ;;
    *) echo "$name: no verdict, stays where it is" ;;
  esac
done
