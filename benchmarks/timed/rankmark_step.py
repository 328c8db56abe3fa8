"""rankmark evaluates a training loop's batch: dicts, prepared judgments, or an accumulator."""

import sys

import steps
import turns

import rankmark as rm

labels, run = steps.step()
prepared = rm.Qrels(labels)
MEASURES = ["nDCG@10", "AP", "RR"]
accumulator = rm.Accumulator(MEASURES, on_repeat="last")
WAYS = {
    "dicts": lambda: rm.evaluate(labels, run, MEASURES).scores,
    "prepared": lambda: rm.evaluate(prepared, run, MEASURES).scores,
    "accumulator": lambda: accumulator.update(labels, run),
}

turns.answer(WAYS[sys.argv[1]], {}, calls=50)
