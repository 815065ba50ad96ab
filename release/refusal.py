"""The one error of this package: what was looked at, what was seen, what is allowed, what to do."""

from __future__ import annotations

from collections.abc import Iterable


class Refusal(ValueError):
    """An input that cannot be interpreted or that the policy does not allow.

    subject names the argument or file; seen, allowed and remedy are sentences without a full stop.
    """

    def __init__(
        self, subject: str, seen: str, allowed: str | Iterable[str], remedy: str = ""
    ) -> None:
        self.subject = subject
        self.seen = seen
        self.allowed = allowed if isinstance(allowed, str) else ", ".join(allowed)
        self.remedy = remedy
        super().__init__("; ".join(part for part in self._parts() if part))

    def _parts(self) -> list[str]:
        allowed = f"allowed: {self.allowed}" if self.allowed else ""
        return [f"{self.subject}: {self.seen}", allowed, self.remedy]
