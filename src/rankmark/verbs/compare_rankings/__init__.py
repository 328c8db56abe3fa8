"""Compare the rankings of two runs, without judgments: ``compare_rankings``.

Its command is ``rankmark similarity``; the coefficients are those of ``rankmark.similarity``.
"""
