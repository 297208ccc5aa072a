"""The subcommands: each module parses, calls one library function and prints."""
