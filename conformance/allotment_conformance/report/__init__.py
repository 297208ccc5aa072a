"""Reports: what a run has shown, for a terminal and for programs."""
