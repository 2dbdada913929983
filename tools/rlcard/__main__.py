import sys

from tools.rlcard.commands import PROGRAM

sys.exit(PROGRAM.main())
