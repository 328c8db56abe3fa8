"""What another ranking would have earned, from the log of what was shown: ``counterfactual``."""
