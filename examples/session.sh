#!/usr/bin/env bash
# A whole session with a running Sluice: sign in, create a key, screen five batches, read jobs and statistics, reset a source, and
# delete the key. Needs bash, curl and sed. Run `npm start` in another terminal, then:
#
#     examples/session.sh [e-mail address] [address of the service]
#
# The one-time code comes by mail if SMTP_URL is set; otherwise it is in the log of `npm start`. A second session with the same
# address uses the baselines of the first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

email=${1:-ann@example.com}
api=${2:-http://127.0.0.1:8080}/v1

# The first string with this name in a JSON object.
text() { sed -n "s/^[^}]*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
# Prints the answer. On an error prints it to standard error and fails.
call() {
  local answer
  answer=$(curl -sS --fail-with-body "$@") || { printf '%s\n' "$answer" >&2; return 1; }
  printf '%s\n' "$answer"
}
post() { call -H 'Content-Type: application/json' "$@"; }
step() { printf '\n# %s\n' "$1"; }

# Each object of an array on its own line.
lines() {
  local json between=$'},\n{'
  json=$(cat)
  printf '%s\n' "${json//\},\{/$between}"
}

# Verdict, health and reason of one batch.
screen() {
  post "$api/screen" -H "X-API-Key: $key" --data-binary "@$1" |
    sed 's/.*"status":"\([A-Z]*\)","health_score":\([0-9.]*\),"decision":{[^}]*"reason":"\([^}]*\)"}.*/\1 \2 \3/'
}

step 'Sign in'
post "$api/auth/otp" -d "{\"email\": \"$email\"}" >/dev/null
printf 'The six digits sent to %s: ' "$email"
read -r code
session=$(post "$api/auth/session" -d "{\"email\": \"$email\", \"code\": \"$code\"}")
token=$(text token <<<"$session")
echo "signed in until $(text expires_at <<<"$session")"

step 'Create a key'
made=$(post "$api/keys" -H "Authorization: Bearer $token" -d '{"name": "session"}')
key=$(text key <<<"$made")
key_id=$(text id <<<"$made")
echo "$key_id"

step 'Screen five batches'
screen orders-clean.json
screen orders-clean.json
screen customers-clean.json
screen sensors-clean.json
screen orders-broken.json

step 'List jobs, newest first'
jobs=$(call "$api/jobs?limit=5" -H "X-API-Key: $key")
lines <<<"$jobs" |
  sed 's/.*"id":"\([^"]*\)","source":"\([^"]*\)","status":"\([A-Z]*\)".*"drift_count":\([0-9]*\).*/\1 \2 \3, drift events: \4/'

step 'Read the newest job'
job=$(text id <<<"$jobs")
call "$api/jobs/$job" -H "X-API-Key: $key" | sed 's/.*"drift":\(\[[^]]*\]\).*/\1/' | lines |
  sed 's/.*"severity":"\([a-z]*\)","detail":"\([^"]*\)".*/\1: \2/'

step 'Read statistics'
call "$api/stats?days=7" -H "X-API-Key: $key" | sed 's/,"sources":.*/}/'

step 'Reset a source'
call -X DELETE "$api/schema/orders" -H "X-API-Key: $key"

step 'Screen again, without a baseline'
screen orders-broken.json

step 'Delete the key'
call -X DELETE "$api/keys/$key_id" -H "Authorization: Bearer $token"

step 'The key no longer works'
curl -sS -w ' %{http_code}\n' "$api/jobs" -H "X-API-Key: $key"
call -X DELETE "$api/auth/session" -H "Authorization: Bearer $token" >/dev/null
