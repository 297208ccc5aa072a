"""The subcommands of `allotment` that this package offers."""
