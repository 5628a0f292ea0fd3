"""Effects: what memory is owed by models, or by an extract where no model answers."""
