"""Arrays, tensors and sparse matrices, of values by position or of ids.

It imports the mappings of sources, and what these import.
"""
