"""What the scripts inside a page do to it while it loads: a small reader of JavaScript over the parsed page."""
