"""Reward rankings one by one, as a training loop does: ``reward``.

``reward`` makes a ``Reward``, which finds the pattern of each ranking and scores a pattern once,
by ``pattern_scores``.
"""
