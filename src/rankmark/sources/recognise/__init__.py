"""Which form an object has that holds judgments or a run.

It imports every form.
"""
