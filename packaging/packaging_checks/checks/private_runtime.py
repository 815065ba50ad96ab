"""No second, statically linked C++ runtime: exceptions and streams would cross between two of them."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..subject import Subject

NAME = "private-runtime"
_STDCXX_DEFINITIONS = (
    "__cxa_throw",
    "__cxa_begin_catch",
    "__gxx_personality_v0",
    "_ZSt9terminatev",
)
_GCC_DEFINITIONS = ("_Unwind_Resume", "_Unwind_RaiseException", "_Unwind_Find_FDE")


def check(subject: Subject) -> Iterator[Finding]:
    library, policy = subject.library, subject.library_policy
    if library is None:
        return
    defined = library.exports | library.hidden
    copies = {
        "libstdc++": [name for name in _STDCXX_DEFINITIONS if name in defined]
        + [f'"{m.decode()}"' for m in policy.private_runtime_markers if m in library.image],
        "libgcc": [name for name in _GCC_DEFINITIONS if name in defined],
    }
    # A stripped library hides its own copies; what it then no longer asks of the shared one shows them.
    for runtime, soname in (("libstdc++", "libstdc++.so.6"), ("libgcc", "libgcc_s.so.1")):
        if soname in policy.needed_required and soname not in library.needed:
            copies[runtime].append(f"no {soname} among the needed libraries")
    for runtime, signs in copies.items():
        if signs:
            yield Finding(
                NAME,
                library.name,
                f"holds a private copy of {runtime}: {', '.join(signs)}",
                "an exception thrown in one copy is not caught in the other",
                f"link without -static-{runtime}",
            )
