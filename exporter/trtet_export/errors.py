"""What an export can be rejected for. Every message says subject, seen, allowed and remedy."""


class ExportError(Exception):
    """The export was rejected; the target file was not touched."""


class UnsupportedBuilder(ExportError):
    """The builder asked for cannot work on this machine."""


class NothingDelegated(ExportError):
    """No operator of the program went to the delegate."""


class CheckFailed(ExportError):
    """The written program did not load, did not run, or differs from eager PyTorch."""
