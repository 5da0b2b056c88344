"""Which call each method makes: one definition for the classes that wait and those that are awaited."""
