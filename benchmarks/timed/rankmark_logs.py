"""rankmark reads a log, and judges documents by CTR, COEC and SDBN: LOG; prints the CPU seconds."""

import json
import sys
import time

import rankmark as rm

log = rm.read_log(sys.argv[1])
found = {}
for method in ("CTR", "COEC", "SDBN"):
    judged = rm.judge_clicks(log, method)
    found[method] = float(sum(judged.labels))
    del judged
print(json.dumps({"cpu": time.process_time(), **found}))
