"""What sanitize and extract stand on."""
