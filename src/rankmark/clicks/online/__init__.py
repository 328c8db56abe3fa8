"""What users did: ``online``, ``compare_variants``, and past experiments.

``online_measures`` declares the measures, and ``issue_values`` has their values for each issue of a
query, and their sums by user. ``compare_online_offline`` is about past experiments.
"""
