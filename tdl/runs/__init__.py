"""One run: its loop, its folder, how it ends and how it resumes."""
