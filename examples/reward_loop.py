"""Train a policy that ranks by the reward of its own rankings, in plain PyTorch.

A two-layer policy orders items for synthetic queries. For each query it samples a group of
rankings, each is rewarded by nDCG@10, and those above the mean of their group become more likely,
as in GRPO. After each epoch, the policy ranks queries that it has not been trained on.

    python examples/reward_loop.py
"""

from __future__ import annotations

import sys
from typing import Any

import rankmark as rm

QUERIES, ITEMS, FEATURES, RANKED, GROUP = 64, 30, 8, 10, 8


def collection(torch: Any, seed: int) -> tuple[Any, dict[str, dict[str, int]]]:
    """Make features, (queries, items, features), and judgments of the items of each query."""
    generator = torch.Generator().manual_seed(seed)
    taste = torch.linspace(-1, 1, FEATURES)
    features = torch.randn(QUERIES, ITEMS, FEATURES, generator=generator)
    worth = torch.sin(features) @ taste + 0.3 * torch.randn(QUERIES, ITEMS, generator=generator)
    labels = torch.bucketize(worth, torch.tensor([0.5, 1.5, 2.5])).tolist()
    return features, {
        f"q{query}": {f"q{query}-d{item}": label for item, label in enumerate(row)}
        for query, row in enumerate(labels)
    }


def ids_of(orders: list[list[int]], times: int) -> tuple[list[str], list[list[str]]]:
    """Return query ids, each so many times, and the ids of the items in each order."""
    queries = [f"q{row // times}" for row in range(len(orders))]
    rankings = [
        [f"{query}-d{item}" for item in order] for query, order in zip(queries, orders, strict=True)
    ]
    return queries, rankings


def sampled(torch: Any, scores: Any) -> tuple[Any, Any]:
    """Draw a ranking for each row of scores, item by item without replacement.

    Returns the first items, (n, RANKED), and the logarithm of their probability, (n,).
    """
    noise = -torch.log(-torch.log(torch.rand_like(scores)))
    order = (scores + noise).argsort(dim=1, descending=True)
    ordered = scores.gather(1, order)
    rest = ordered.flip(1).logcumsumexp(1).flip(1)  # of the items not yet ranked
    return order[:, :RANKED], (ordered - rest)[:, :RANKED].sum(1)


def train(torch: Any, epochs: int = 30) -> list[tuple[float, float]]:
    """Train; return the mean reward in training and in validation, before and after each epoch."""
    torch.manual_seed(0)
    policy = torch.nn.Sequential(
        torch.nn.Linear(FEATURES, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)
    )
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    (features, judged), (others, judged_others) = collection(torch, 1), collection(torch, 2)
    reward = rm.reward(judged, "nDCG@10", malformed="raise")  # the program writes no garbage
    validation = rm.reward(judged_others, "nDCG@10")
    history = []
    for epoch in range(epochs + 1):
        scores = policy(features).squeeze(-1).repeat_interleave(GROUP, dim=0)
        orders, chances = sampled(torch, scores)
        rewards = torch.from_numpy(reward.batch(*ids_of(orders.tolist(), GROUP)))
        with torch.no_grad():
            greedy = policy(others).squeeze(-1).argsort(dim=1, descending=True)[:, :RANKED]
        found = validation.batch(*ids_of(greedy.tolist(), 1))
        history.append((float(rewards.mean()), float(found.mean())))
        if epoch == epochs:
            break
        groups = rewards.view(QUERIES, GROUP)
        spread = groups.std(dim=1, keepdim=True) + 1e-4
        advantages = ((groups - groups.mean(dim=1, keepdim=True)) / spread).flatten()
        loss = -(advantages.float() * chances).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return history


def main() -> list[tuple[float, float]]:
    """Print the learning curve."""
    try:
        import torch  # noqa: PLC0415  (optional)
    except ImportError:
        sys.exit("this example needs torch: pip install torch")
    history = train(torch)
    for epoch, (sampled_mean, greedy_mean) in enumerate(history):
        if epoch % 5 == 0:
            print(
                f"epoch {epoch:2}  reward {sampled_mean:.4f}  validation nDCG@10 {greedy_mean:.4f}"
            )
    return history


if __name__ == "__main__":
    main()
