"""Floor 2: the manual, one page a task. The package ships the pages as Markdown."""
