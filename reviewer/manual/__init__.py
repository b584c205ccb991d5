"""The manual, one page a task. The package ships the pages as Markdown."""
