"""Two sets of judgments, or more, compared: ``compare_judgments`` and the command ``judges``.

``coefficients`` has the formulas, over tables of labels by query, ``agreement_figures`` the figures
that are shown, and ``agreement_intervals`` weights, leaves out or draws whole queries.
``pair_agreement`` is the result for two judges, ``judgment_comparison`` that for all, and
``judgment_warnings`` what to be warned of.
"""
