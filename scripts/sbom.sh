#!/usr/bin/env bash
# Prints the packages that run with the service as a bill of materials in CycloneDX: npm run --silent sbom > sluice.cdx.json
# `npm sbom --omit dev` leaves out what the tests need too, such as yaml. So the tests' packages are removed from a copy of the lock first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sluice"
cp package.json package-lock.json "$work/sluice"
cd "$work/sluice"
npm pkg delete devDependencies
npm prune --package-lock-only --offline --ignore-scripts --no-audit --no-fund >&2
npm sbom --package-lock-only --sbom-format cyclonedx --sbom-type application
