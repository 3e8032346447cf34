#!/bin/sh
# Compiles the engine and the dashboard if their sources are newer, then becomes the given command. `npm start` calls it with `exec`:
# otherwise a shell between would get the signals, and the service would go on after a SIGTERM.
set -e
bun scripts/build-engine.ts --if-stale
bun scripts/build-dashboard.ts --if-stale
exec "$@"
