"""Records of what a command read, chose and found: their fields, hashes and headers."""
