"""The waist: runs aligned with judgments, and runs paired with one another.

Here are the Alignment, the pairs of rankings, and what tied documents may do. It imports errors,
conventions and array types, and speaks to the core.
"""
