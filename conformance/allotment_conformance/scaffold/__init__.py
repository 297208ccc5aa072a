"""The beginning of an adapter in some languages: files to start from, as package data."""
