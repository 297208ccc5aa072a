"""One pass of numpy over what is free: what any allocator pays that looks at every host once."""

from time import process_time

import numpy as np


def passes_per_second(hosts: int, seconds: float = 0.05) -> float:
    """How often a second all hosts can be compared with a want, and those that fit be listed."""
    free = np.arange(hosts, dtype=np.int64) % 17
    want, count, began = np.array(16), 0, process_time()
    while (used := process_time() - began) < seconds:
        for _ in range(100):
            (free >= want).nonzero()
        count += 100
    return count / used
