"""Tune fusion: ``tune_fusion``, ``fusion_bounds`` and the command ``tune``.

How it works: ``JudgedLists`` of ``fusing/judged_lists.py`` matches the union of the lists of all
judged queries with judgments once. ``tuning_grid`` lists the ways to fuse; of each, the core
counts how many documents come before each judged one (``alignment/fused_ranks.py``), which makes an
Alignment that any measure scores. ``chosen_points`` deals the queries into folds, and chooses on
the table of scores, (points, queries). ``TunedFusion`` is the result of tuning, and
``FusionBounds`` says what fusion could give at most.
"""
