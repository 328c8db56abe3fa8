"""What every form of judgments and runs can do, and what a caller may say of one.

It imports errors and array types; every other folder of sources imports it.
"""
