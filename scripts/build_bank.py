#!/usr/bin/env python3
"""The question bank: build its pages, check it, add to it, see what it holds. `build_bank.py --help` says how."""

import sys
from pathlib import Path

# Works in a clone where nothing but the requirements is installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from studybank.cli import main

if __name__ == "__main__":
    sys.exit(main())
