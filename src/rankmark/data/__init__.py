"""Judgments and runs in any form, read, checked and matched into an Alignment."""
