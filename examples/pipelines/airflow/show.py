"""Runs both DAGs with a clean file and with a broken one, and prints what became of each task."""

from gated_load import load_orders, load_sensors

for dag in (load_orders, load_sensors):
    for path in (f"data/{dag.dag_id[5:]}-clean.csv", f"data/{dag.dag_id[5:]}-broken.csv"):
        run = dag.test(run_conf={"path": path})
        states = {each.task_id: each.state for each in run.get_task_instances()}
        print(f"{dag.dag_id} {path}: gate {states['gate']}, load {states['load']}")
