"""What stands on the stages: the command line, its configuration, and what a reader sees."""
