"""Find the conventions behind a number from elsewhere: ``reconcile``."""
