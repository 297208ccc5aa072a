"""The subcommands: each parses its words, calls one library function, prints."""
