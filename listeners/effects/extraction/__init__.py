"""Reading the talk for items with a model, and holding it to what was said."""
