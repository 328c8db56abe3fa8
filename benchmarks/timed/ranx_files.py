"""ranx reads a collection's files and evaluates them."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys

import ranx

qrels = ranx.Qrels.from_file(sys.argv[1], kind="trec")
run = ranx.Run.from_file(sys.argv[2], kind="trec")
means = ranx.evaluate(qrels, run, ["ndcg@10", "map", "mrr@10", "recall@100"])
for name, mean in means.items():
    print(name, mean)
