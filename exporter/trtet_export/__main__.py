"""python -m trtet_export"""

import sys

from trtet_export.cli import main

sys.exit(main())
