"""Write judgments and runs in another format: ``convert``.

``file_rows`` reads rows in the order of files, ``row_formats`` writes them.
"""
