"""One row of the table and of bench.json."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """A figure of ours beside the peer's and the limit's, all taken in one run.

    unit: of `ours`, `peer` and `limit`. ratio: ours over the peer where there is one, else over the limit.
    """

    name: str
    ours: float
    unit: str
    peer: float | None = None
    limit: float | None = None

    @property
    def ratio(self) -> float | None:
        against = self.peer if self.peer is not None else self.limit
        return self.ours / against if against else None

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "ratio": self.ratio}


def render(rows: list[Row]) -> str:
    """An aligned table for a terminal."""
    width = max((len(row.name) for row in rows), default=0)
    lines = [f"{'':<{width}}{'ours':>14}{'peer':>14}{'limit':>14}{'ratio':>9}  unit"]
    for row in rows:
        lines.append(
            f"{row.name:<{width}}{figure(row.ours):>14}{figure(row.peer):>14}{figure(row.limit):>14}"
            f"{figure(row.ratio):>9}  {row.unit}"
        )
    return "\n".join(lines)


def figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
