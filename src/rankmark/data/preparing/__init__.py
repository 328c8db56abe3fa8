"""Prepared judgments and runs, and their alignment.

It imports every other folder of sources.
"""
