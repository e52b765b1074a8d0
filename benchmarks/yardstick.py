"""The yardstick: every file of a folder through `orjson.loads`. Prints seconds, and seconds of processor time."""

import sys
import time
from pathlib import Path

import orjson

if __name__ == "__main__":
    began, burnt = time.perf_counter(), time.process_time()
    for path in sorted(Path(sys.argv[1]).iterdir()):
        orjson.loads(path.read_bytes())
    print(time.perf_counter() - began, time.process_time() - burnt)
