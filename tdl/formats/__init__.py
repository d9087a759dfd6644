"""Weight files of other programs, read and written."""
