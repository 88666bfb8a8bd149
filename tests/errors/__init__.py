"""Wrong files, each with the picture of its errors."""
