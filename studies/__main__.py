import sys

from train.cli.program import Program

sys.exit(Program("python -m studies", "Answer questions about UNO by simulation.", "studies.run:Ask").main())
