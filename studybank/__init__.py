"""A study-site builder: a folder of questions in Markdown becomes a checked, searchable site."""
