"""The report: one HTML file about one or several runs, to be opened from disk. `page.write_page` makes it."""
