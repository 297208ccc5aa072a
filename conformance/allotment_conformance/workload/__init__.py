"""Real logs and simulated time: what an allocator does with the jobs of a cluster's past."""
