"""ir_measures reads a collection's files and evaluates them."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys

import ir_measures
from ir_measures import AP, RR, R, nDCG

means = ir_measures.calc_aggregate(
    [nDCG @ 10, AP, RR @ 10, R @ 100],
    ir_measures.read_trec_qrels(sys.argv[1]),
    ir_measures.read_trec_run(sys.argv[2]),
)
for name, mean in means.items():
    print(name, mean)
