"""What several measures share: gains, user models, novelty, preferences, ties as units.

It imports the base of measures and the alignment.
"""
