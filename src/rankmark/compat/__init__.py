"""Other tools' interfaces, computed by rankmark: change one import, and keep your code.

A module or package with the name of a tool has its functions and its conventions; the others are
parts of these.
"""
