"""The command, called in this process."""

from __future__ import annotations

import subprocess
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from studybank.cli import main


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a call says and gives, without the start of another process: it counts where a table has many rows."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err, chdir(folder):
        status = main(arguments)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())
