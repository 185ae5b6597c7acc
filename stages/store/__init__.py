"""What outlives a run: one SQLite file for pacing, HTTP answers and what later needs to be remembered."""
