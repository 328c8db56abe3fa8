"""The explanation of one value: what each document contributes to it.

A measure declares its ``contributions``, which are written into its formula; ``breakdown`` gives
each document its part, and ``explanation`` is the result, with its text.
Measures and evaluations have a method ``explain``, so this lies below both; the function is in
``rankmark.verbs.explain``.
"""
