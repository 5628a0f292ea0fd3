"""What goes wrong, told as problems: each kind, its words, nothing of what was sent."""
