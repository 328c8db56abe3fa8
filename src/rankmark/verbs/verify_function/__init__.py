"""Identifying the convention that a user's own function implements, or its bug."""
