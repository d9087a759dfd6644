"""How a command line becomes a checked job, and an error becomes one line."""
