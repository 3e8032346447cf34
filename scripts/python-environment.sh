#!/usr/bin/env bash
# Makes a virtual environment with the Python client, built as a wheel, and what its tests need: scripts/python-environment.sh FOLDER.
# A second run only builds and installs the client again. PYTHON names another interpreter than python3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$1
wanted=$(cat clients/python/requirements-dev.txt clients/python/pyproject.toml)
export PIP_DISABLE_PIP_VERSION_CHECK=1

if [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet -r clients/python/requirements-dev.txt clients/python
  printf '%s' "$wanted" >"$folder/wanted"
fi
rm -rf "$folder/wheel"
"$folder/bin/python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$folder/wheel" ./clients/python
"$folder/bin/python" -m pip install --quiet --no-deps --force-reinstall "$folder"/wheel/*.whl
