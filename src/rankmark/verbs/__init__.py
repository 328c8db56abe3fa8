"""What one does with judgments and runs, a verb a file; `rankmark` gives them by name."""
