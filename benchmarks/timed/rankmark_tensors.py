"""rankmark evaluates a batch of tensors that are already there."""

import tensors
import turns

import rankmark as rm

labels, scores = tensors.labels(), tensors.scores()


def means() -> dict[str, float]:
    """Update with a batch, and read its mean."""
    accumulator = rm.Accumulator("nDCG@10", no_relevant="zero", ties="mean")
    accumulator.update(labels, scores)
    return {"nDCG@10": accumulator.result()["nDCG@10"]}


turns.answer(means, means())
