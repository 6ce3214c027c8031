"""Tables in files: reading cells, and finding out what columns hold."""
