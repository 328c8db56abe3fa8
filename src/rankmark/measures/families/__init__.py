"""What several measures share: gains, cascades, novelty, preferences, ties taken together.

It imports the base of measures and the alignment.
"""
