"""Export PyTorch programs to ExecuTorch `.pte` files whose graphs run on `TensorRTBackend`.

`export_file` is the whole way: lower, write beside the target, check by running, move into place.
`lower` stops at the bytes. Importing this package does not import torch; the functions do.
"""

from trtet_export.errors import CheckFailed, ExportError, NothingDelegated, UnsupportedBuilder
from trtet_export.options import ExportOptions

__all__ = [
    "CheckFailed",
    "ExportError",
    "ExportOptions",
    "NothingDelegated",
    "UnsupportedBuilder",
]
