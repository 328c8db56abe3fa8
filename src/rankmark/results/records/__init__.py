"""Records of what a command read, chose and found: their fields, hashes and headers.

Each feature says what its record holds, in ``recorded``; ``verify`` computes it again.
"""
