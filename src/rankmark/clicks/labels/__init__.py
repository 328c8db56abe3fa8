"""Judgments from clicks: ``judge_clicks``; how often people look at ranks: ``position_bias``.

``pair_sums`` takes whole-number sums by query and document out of the engine that holds the log,
``label_formulas`` divides them; ``rank_cells`` and ``examination_estimates`` do so by rank.
"""
