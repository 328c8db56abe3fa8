"""The interface of every source of judgments or runs, and the options for reading one.

It imports no other folder of sources.
"""
