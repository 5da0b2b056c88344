"""The call of each method: one definition for the blocking classes and the awaited ones."""
