"""The commands, and training from Python: words become a checked job, and an error becomes one line."""
