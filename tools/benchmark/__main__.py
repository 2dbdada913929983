"""``python -m tools.benchmark``."""

import sys

from tools.benchmark.commands import PROGRAM

sys.exit(PROGRAM.main())
