"""What every form of judgments and runs can do and gives, and what a caller may say of one.

It imports no other folder of sources.
"""
