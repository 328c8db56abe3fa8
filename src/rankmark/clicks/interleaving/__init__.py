"""Interleaving: two rankings in one list, and which of them users click.

``interleave`` makes lists, ``compare_interleaved`` analyses logs of them, and
``interleaving_power`` says how many searches two runs need.
"""
