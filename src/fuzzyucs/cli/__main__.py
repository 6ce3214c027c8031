"""``python -m fuzzyucs.cli`` does what the command ``fuzzyucs`` does."""

import sys

from fuzzyucs.cli.main import main

sys.exit(main())
