"""Tables of columns in the core, and the roles of their columns.

It imports the contract and the ids of sources.
"""
