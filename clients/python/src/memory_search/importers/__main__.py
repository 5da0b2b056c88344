"""python -m memory_search.importers."""

import sys

from .command import main

sys.exit(main())
