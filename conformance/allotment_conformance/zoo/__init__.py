"""Allocators that are wrong on purpose, to test the kit."""
