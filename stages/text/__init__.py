"""Pure helpers without records."""
