"""Write judgments and runs in another format: ``convert``.

``row_formats`` arranges rows in the order of files, and writes them.
"""
