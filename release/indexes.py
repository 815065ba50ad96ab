"""Which indexes a build job searches, beside the default one, to install the ExecuTorch pin."""

from __future__ import annotations

from .model import INFERENCE_LIBRARY, Channel, Index, Pin, Policy


def build_indexes(
    policy: Policy, pin: Pin, channel: Channel | None, inference_library: bool
) -> list[Index]:
    """In search order, each once. A release pin may so far be on the test index only."""
    names = [channel.pytorch_index] if channel else []
    names += policy.pin_indexes[pin.kind]
    if inference_library:
        names.append(INFERENCE_LIBRARY)
    return [policy.indexes[name] for name in dict.fromkeys(names)]
