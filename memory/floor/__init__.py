"""The floor: who may speak next, at what cost, and when a session ends. Pure folds and rules."""
