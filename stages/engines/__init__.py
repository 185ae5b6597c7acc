"""One pure module per search engine."""
