#!/usr/bin/env bash
set -euo pipefail
export AIRFLOW_HOME=$PWD/airflow AIRFLOW__CORE__LOAD_EXAMPLES=false AIRFLOW__CORE__DAGS_FOLDER=$PWD
airflow db migrate >airflow.log 2>&1
python show.py 2>>airflow.log | grep '^load_'
