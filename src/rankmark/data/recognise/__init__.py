"""Recognise the form of an object with judgments or a run.

It imports every form.
"""
