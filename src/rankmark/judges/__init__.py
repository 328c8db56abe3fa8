"""Human and LLM judgments: how far they agree, and what a few human labels estimate."""
