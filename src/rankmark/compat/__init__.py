"""Other tools' interfaces, computed by rankmark: change one import, and keep your code.

Each module has the name of a tool, its functions, and its conventions.
"""
