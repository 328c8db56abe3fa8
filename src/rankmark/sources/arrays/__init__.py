"""Arrays and tensors, in which a place stands for a document, or which hold ids.

It imports the contract, ids, tables and mappings of sources.
"""
