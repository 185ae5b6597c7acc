"""Documents that are no web pages, read into HTML: what sanitize and extract know how to judge and to read."""
