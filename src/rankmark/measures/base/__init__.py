"""What every measure is: the base class, its parameters, and how one ranking is scored.

It imports the alignment and explanations.
"""
