"""What a model reads out of the talk: laid over what the fold found, and never under it."""
