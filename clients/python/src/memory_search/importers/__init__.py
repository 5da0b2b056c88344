"""Importers: they read the memories of other products into a memory of memory_search."""
