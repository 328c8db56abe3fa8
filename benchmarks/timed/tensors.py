"""A batch of 256 queries x 1,000 candidates as tensors of torch on the CPU: labels, and scores."""

import torch

SHAPE = (256, 1_000)


def labels() -> torch.Tensor:
    """Return labels of which one in a hundred is relevant."""
    return (torch.rand(SHAPE, generator=torch.Generator().manual_seed(0)) < 0.01).long()


def scores() -> torch.Tensor:
    """Return scores of which hardly any tie."""
    return torch.rand(SHAPE, generator=torch.Generator().manual_seed(1))
