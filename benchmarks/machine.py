"""What is told of the machine that measured: enough to judge a figure, nothing that names it."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from c_program import FLAGS, compiler

LIBRARIES = ("numpy", "msgspec", "lark", "accasim")


def facts() -> dict[str, Any]:
    """Python, libraries, C compiler, processors, and how busy they were at the end of the run."""
    told = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=True)
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[1], 1),
        "compiler": f"{told.stdout.splitlines()[0]} {FLAGS[0]}",
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
