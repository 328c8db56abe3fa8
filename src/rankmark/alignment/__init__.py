"""Runs aligned with judgments, the form that every measure reads.

``alignment`` has the Alignment, and the sums over a query that formulas need. Beside it lie tied
documents in any order (``tie_probabilities``, ``tie_permutations``), what a few measures need
besides labels (``views``, ``subtopics``, ``judgment_groups``), and pairs of rankings without
judgments (``ranking_pairs``).
"""
