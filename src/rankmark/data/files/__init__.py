"""Files and streams: bytes, packing, formats, lines of columns, JSON, Parquet.

It imports the frames of sources, and what these import.
"""
