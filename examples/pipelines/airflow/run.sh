#!/usr/bin/env bash
set -euo pipefail
export AIRFLOW_HOME=$PWD/airflow AIRFLOW__CORE__LOAD_EXAMPLES=false AIRFLOW__CORE__DAGS_FOLDER=$PWD
airflow db migrate >migrate.log 2>&1
python show.py >airflow.log 2>&1 || { tail -20 airflow.log >&2; exit 1; }
grep '^load_' airflow.log
echo '--- the log of the first gate that failed ends with'
grep -oE '^[a-z.]+AirflowFailException: .*' airflow.log | head -1 | sed "s#$SLUICE_URL#http://127.0.0.1:8080#; s/req_[0-9A-Z]*/req_…/"
