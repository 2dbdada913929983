"""``python -m tools.zoo``."""

import sys

from tools.zoo.commands import PROGRAM

sys.exit(PROGRAM.main())
