"""Evaluate a model after each training epoch, directly from torch tensors.

A two-layer ranker learns to order items for synthetic queries. After each epoch, the validation
batches are evaluated from the model's output: tensors with gradients, in half precision, and with
a mask for queries with fewer items.

    python examples/training_loop.py
"""

from __future__ import annotations

import sys
from typing import Any

import rankmark as rm

MEASURES = ["nDCG@10", "RR"]
ITEMS, FEATURES = 30, 8


def batches(torch: Any, seed: int, queries: int = 64, number: int = 4) -> list[tuple[Any, ...]]:
    """Make batches of features (queries, items, features), labels from 0 to 3, and masks."""
    generator = torch.Generator().manual_seed(seed)
    taste = torch.linspace(-1, 1, FEATURES)
    made = []
    for _ in range(number):
        features = torch.randn(queries, ITEMS, FEATURES, generator=generator)
        worth = torch.sin(features) @ taste + 0.3 * torch.randn(queries, ITEMS, generator=generator)
        labels = torch.bucketize(worth, torch.tensor([0.5, 1.5, 2.5]))
        sizes = torch.randint(10, ITEMS + 1, (queries, 1), generator=generator)
        made.append((features, labels, torch.arange(ITEMS) < sizes))
    return made


def train(torch: Any, epochs: int = 5) -> list[dict[str, float]]:
    """Train with a softmax loss over the items of each query; return the means of each epoch."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(FEATURES, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    training, validation = batches(torch, 1), batches(torch, 2)
    # The judgments do not change, so they are prepared once.
    judged = [rm.Qrels(labels, mask=present) for _, labels, present in validation]
    history = []
    for _ in range(epochs):
        for features, labels, present in training:
            scores = model(features).squeeze(-1).masked_fill(~present, -torch.inf)
            gains = torch.where(present, labels.float(), 0.0)
            chances = torch.log_softmax(scores, dim=1).masked_fill(~present, 0.0)
            loss = -(gains * chances).sum() / gains.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append(validate(model, validation, judged))
    return history


def validate(model: Any, validation: list[tuple[Any, ...]], judged: list[Any]) -> dict[str, float]:
    """Evaluate batch by batch, over all queries."""
    acc = rm.Accumulator(MEASURES)
    for qrels, (features, _, present) in zip(judged, validation, strict=True):
        scores = model(features).squeeze(-1).bfloat16()
        acc.update(qrels, scores, mask=present)
    return acc.result().means


def main() -> list[dict[str, float]]:
    """Print the means after each epoch."""
    try:
        import torch  # noqa: PLC0415  (optional)
    except ImportError:
        sys.exit("this example needs torch: pip install torch")
    history = train(torch)
    for epoch, means in enumerate(history, 1):
        print(f"epoch {epoch}", *(f"{name} {mean:.4f}" for name, mean in means.items()), sep="  ")
    return history


if __name__ == "__main__":
    main()
