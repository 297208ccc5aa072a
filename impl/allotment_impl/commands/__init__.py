"""The subcommands that this package adds to ``allotment``: each parses, calls and prints."""
