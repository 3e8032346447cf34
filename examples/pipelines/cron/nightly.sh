#!/usr/bin/env bash
# Gates every file that has landed: nightly.sh FOLDER. Rows to load go to ready/, rows to hold back to held/, and screened
# files to done/. The exit code is 2 if a file was held, 3 if one could not be screened. Cron mails what is printed then:
#
#     15 2 * * * cd /srv/orders && ./nightly.sh landing > nightly.log 2>&1 || cat nightly.log
set -uo pipefail
shopt -s nullglob
mkdir -p ready held done
worst=0
for file in "$1"/*.csv; do
  name=$(basename "$file")
  sluice screen --quiet --baseline baselines.sqlite --source orders \
    --good "ready/$name" --held "held/$name" "$file"
  verdict=$?
  case $verdict in
    0)
      lines=$(($(grep -c "" "held/$name") - 1)) # wc leaves out a line without an end
      ((lines > 0)) || rm "held/$name"
      mv "$file" done/ && echo "$name: ready/$name may be loaded; lines in held/: $lines"
      ;;
    2) rm -f "ready/$name" && mv "$file" "held/$name" && echo "$name: BLOCK, all of it is in held/" ;;
    *) echo "$name: no verdict, stays in $1/" ;;
  esac
  ((verdict > worst)) && worst=$verdict
done
exit "$worst"
