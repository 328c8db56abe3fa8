"""Arrays, tensors and sparse matrices: a place stands for a document, or they hold ids.

It imports the mappings of sources, and what these import.
"""
