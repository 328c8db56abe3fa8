"""torchmetrics evaluates a batch of tensors that are already there."""

import tensors
import torch
import turns
from torchmetrics.retrieval import RetrievalNormalizedDCG

labels, scores = tensors.labels(), tensors.scores()
query = torch.arange(len(labels)).repeat_interleave(labels.shape[1])


def means() -> dict[str, float]:
    """Update with a batch, and compute its mean."""
    metric = RetrievalNormalizedDCG(top_k=10)
    metric.update(scores.flatten(), labels.flatten(), indexes=query)
    return {"nDCG@10": float(metric.compute())}


turns.answer(means, means())
