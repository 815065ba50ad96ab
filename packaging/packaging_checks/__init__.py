"""Guards on what is shipped: facts are read once from a wheel or a library, pure checks turn them into findings.

``python -m packaging_checks FILE...`` (with ``packaging/`` on the import path) prints every
finding.
The folder above is no package on purpose: one named ``packaging`` would hide the one from PyPI.
"""
