"""Write judgments and runs in another format: ``convert``."""
