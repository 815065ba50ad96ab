"""python -m trtet"""

from . import main

main()
