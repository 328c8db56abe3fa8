"""Measures of lists: what they are worth beside being right, such as how novel their items are.

They look at which items are in a list, and at what ``evaluate`` is told of users and items besides
judgments. ``list_measure`` is what all derive from.
"""
