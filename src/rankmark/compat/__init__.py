"""Other tools' interfaces, computed by rankmark: change one import, and keep your code.

A module or package with the name of a tool has its functions. Its measures and conventions are
those of the tool's profile.
"""
