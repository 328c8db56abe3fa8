"""Write down what a command computed, and verify it later: ``verify``."""
