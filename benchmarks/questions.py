"""Asks a store two everyday questions after start-up. Prints the median seconds of each: one run's rows, a group-by."""

import statistics
import sys
import time

from dataflows.store import Store
from dataflows.store.catalog import connect

ROUNDS = 7
ONE_RUN = "SELECT * FROM moments WHERE run_id = $run_id ORDER BY ALL"
ALL_VERDICTS = "SELECT kind, verdict, count(*) FROM verdicts GROUP BY ALL"

if __name__ == "__main__":
    snapshot = Store(sys.argv[1]).snapshot()
    assert snapshot is not None
    connection = connect(snapshot)
    run_ids = connection.execute("SELECT run_id FROM runs ORDER BY run_id").fetchall()
    one_run, all_verdicts = [], []
    for turn in range(ROUNDS):
        began = time.perf_counter()
        connection.execute(ONE_RUN, {"run_id": run_ids[turn * len(run_ids) // ROUNDS][0]}).fetchall()
        one_run.append(time.perf_counter() - began)
        began = time.perf_counter()
        connection.execute(ALL_VERDICTS).fetchall()
        all_verdicts.append(time.perf_counter() - began)
    print(statistics.median(one_run), statistics.median(all_verdicts))
