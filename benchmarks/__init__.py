"""What is measured, never asserted: `make bench`."""
