"""What users call: a room for each function, with its name."""
