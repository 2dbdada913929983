import sys

from train.cli.main import main

sys.exit(main())
