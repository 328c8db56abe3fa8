"""Lists of what there is, and descriptions: ``rankmark measures`` and ``profiles``."""
