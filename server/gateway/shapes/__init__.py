"""What requests carry and what routes answer, as models."""
