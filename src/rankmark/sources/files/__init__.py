"""Files and streams: bytes, packing, formats, lines of columns, JSON, Parquet.

It imports the contract, ids, tables and mappings of sources.
"""
