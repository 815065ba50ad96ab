"""Which wheel asks for the delegate, and where it is found: the policy, and what is made from it.

A build of torch-tensorrt calls extras_require, a build of the delegate part_install_arguments;
everything else goes through `python3 -m release`.
"""

from .extras import extras_require
from .install import part_install_arguments
from .refusal import Refusal

__all__ = ["Refusal", "extras_require", "part_install_arguments"]
