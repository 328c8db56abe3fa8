"""Find the conventions behind a number from elsewhere.

``alternatives.py`` is the table of conventions that are tried; the other modules compute the values
under them, search for those that give a number, and say how likely a coincidence is.
"""
