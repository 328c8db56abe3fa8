"""What all commands are made of: options, progress bars, output, records and error messages.

The command of a feature is `command.py` in the feature's package. This one imports no feature.
"""
