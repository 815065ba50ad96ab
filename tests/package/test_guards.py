"""Each guard with files made for it: one that it passes, and ones that it alone refuses, with its message."""

from __future__ import annotations

import pytest
from libraries import GOOD, replace
from packaging_checks.checks import CHECKS, run_checks
from packaging_checks.policy import PACKAGE
from packaging_checks.subject import read_subject
from wheels import WheelSpec, write_wheel


@pytest.fixture
def findings(library, tmp_path):
    """Findings for a wheel around a library; keyword arguments change the one or the other."""

    def check(library_changes=None, **wheel_changes):
        built = library(replace(GOOD, **(library_changes or {})))
        spec = replace(WheelSpec(built.read_bytes()), **wheel_changes)
        return run_checks(read_subject(write_wheel(spec, tmp_path)))

    return check


def only(found, check: str, *texts: str):
    """All findings are of one check, and each text is in one of them."""
    assert found, f"{check} found nothing"
    assert {finding.check for finding in found} == {check}, found
    whole = "\n".join(f"{f.subject}: {f.what}; {f.why}; {f.remedy}" for f in found)
    for text in texts:
        assert text in whole, f"{text!r} is not in:\n{whole}"


def test_a_good_wheel_has_no_findings(findings):
    assert findings() == []


def test_a_good_library_alone_has_no_findings(library):
    assert run_checks(read_subject(library(GOOD))) == []


def test_every_finding_says_what_why_and_remedy(findings):
    found = findings(
        {"needs_torch": True, "run_path": "/opt/lib"}, requirements=("torch-tensorrt",)
    )
    assert len({f.check for f in found}) >= 3  # none hides behind another
    assert all(f.subject and f.what and f.why and f.remedy for f in found)


def test_structural_findings_come_first(findings):
    """Whichever check they are of: a needed torch is found after a wrong pin."""
    right = WheelSpec(b"").right_requirements
    found = findings({"needs_torch": True}, requirements=("executorch==9.9", *right[1:]))
    assert [f.check for f in found] == ["needed-libraries", "metadata"]
    assert [f.structural for f in found] == [True, False]


@pytest.mark.parametrize("version", ["GLIBC_9.9", "GLIBCXX_9.9.9", "CXXABI_9.9", "GCC_99.0.0"])
def test_symbol_versions(findings, version):
    found = findings({"symbol_version": version})
    by_check = {f.check: f for f in found}
    # The tag is then too low as well, which is the same fact seen from the other side.
    assert set(by_check) == {"symbol-versions", "tag"}
    finding = by_check["symbol-versions"]
    assert f"needs {version}, for future_function" in finding.what
    assert f"manylinux_2_28_x86_64 disallows {version}" in finding.what
    assert "release container" in finding.remedy and "older compiler" in finding.remedy


def test_tag_below_what_the_library_needs(findings):
    only(
        findings(platform="manylinux_2_27_x86_64"),
        "tag",
        "is tagged manylinux_2_27_x86_64",
        "lowest true tag is manylinux_2_28_x86_64",
    )


def test_tag_below_executorch_on_arm_like_floor(findings):
    found = findings(executorch_platform_tag="manylinux_2_35_x86_64")
    only(found, "tag", "lowest true tag is manylinux_2_35_x86_64")


def test_tag_that_promises_nothing(findings):
    only(findings(platform="linux_x86_64"), "tag", "promises nothing")


def test_tag_of_another_machine(findings):
    only(findings(platform="manylinux_2_28_aarch64"), "tag", "the library is for x86_64")


def test_tag_above_the_lowest_is_true(findings):
    assert findings(platform="manylinux_2_34_x86_64") == []


@pytest.mark.parametrize("stripped", [True, False])
def test_private_runtime(findings, stripped):
    found = findings({"static_runtime": True, "stripped": stripped})
    private = [f for f in found if f.check == "private-runtime"]
    assert {f.what.split(":")[0] for f in private} == {
        "holds a private copy of libstdc++",
        "holds a private copy of libgcc",
    }
    assert "-static-libstdc++" in private[0].remedy
    # Such a library is big, and a static runtime reaches for newer symbols than its callers do.
    assert {f.check for f in found} <= {"private-runtime", "contents", "symbol-versions", "tag"}


def test_registration_defined_here(findings):
    found = findings({"defines_register_backend": True, "stripped": False})
    only(
        found,
        "registration",
        "defines executorch::runtime::register_backend",
        "registry of its own",
    )


def test_registration_not_imported(findings):
    only(findings({"calls_register_backend": False}), "registration", "does not import")


def test_visibility_hidden(findings):
    found = findings({"visibility": "hidden", "stripped": False})
    only(found, "visibility", "getCallerStreamEv is present but hidden")


def test_visibility_missing(findings):
    only(findings({"visibility": "hidden"}), "visibility", "getCallerStreamEv is missing")


def test_visibility_extra(findings):
    only(findings({"extra_export": "stray_symbol"}), "visibility", "exports stray_symbol")


@pytest.mark.parametrize(
    ("run_path", "text"),
    [
        (f"{GOOD.right_run_path}:/opt/build/lib", "has /opt/build/lib in its run path"),
        (f"{GOOD.right_run_path}:relative", "has relative in its run path"),
        (f"{GOOD.right_run_path}:", "has an empty entry"),
        (f":{GOOD.right_run_path}", "has an empty entry"),
        (
            GOOD.right_run_path.replace("/../../tensorrt", "//../../tensorrt").replace(
                ":", "::", 1
            ),
            "has an empty entry",
        ),
        (f"{GOOD.right_run_path}:$ORIGIN/../elsewhere", "which the policy does not know"),
        (f"{GOOD.right_run_path}:$ORIGINAL/lib", "has $ORIGINAL/lib"),
    ],
)
def test_run_path(findings, run_path, text):
    only(findings({"run_path": run_path}), "run-path", text)


@pytest.mark.parametrize("entry", GOOD.right_run_path.split(":"))
def test_run_path_lacks_an_entry(findings, entry):
    rest = ":".join(e for e in GOOD.right_run_path.split(":") if e != entry)
    only(findings({"run_path": rest}), "run-path", f"lacks {entry}")


def test_run_path_absent(findings):
    only(findings({"run_path": ""}), "run-path", "lacks $ORIGIN/../../executorch/lib", "(None)")


def test_run_path_under_the_old_tag(findings):
    only(findings({"old_tag": True}), "run-path", "has the old DT_RPATH", "LD_LIBRARY_PATH")


def test_needed_torch(findings):
    only(findings({"needs_torch": True}), "needed-libraries", "needs libc10.so", "torch or c10")


@pytest.mark.parametrize("name", ["libexecutorch.so", "libnvinfer.so.11", "libcudart.so.13"])
def test_needed_missing(findings, name):
    # Without the CUDA runtime its run path entry leads nowhere, which is another check's to say.
    found = findings({"without": name})
    (finding,) = [f for f in found if f.check == "needed-libraries"]
    assert f"does not need {name.rstrip('.0123456789')}" in finding.what
    assert "would not bring it in" in finding.why


def test_needed_is_read_from_the_dependencies(library):
    facts = read_subject(library(GOOD)).library
    assert {"libexecutorch.so", "libnvinfer.so.11", "libcudart.so.13"} <= set(facts.needed)


def test_cuda_row_of_two_majors(findings):
    requirements = (
        "executorch==1.5.1+cu130",
        "tensorrt-cu12==11.4.0.106",
        "nvidia-cuda-runtime==13.0.96",
        "torch",
    )
    only(
        findings(requirements=requirements),
        "cuda-row",
        "tensorrt-cu12 is 12",
        "nvidia-cuda-runtime is 13",
    )


def test_cuda_row_of_the_label(findings):
    only(findings(label="cu126"), "cuda-row", "executorch (+cu126) is 12")


def test_cuda_row_of_the_library(findings):
    only(findings({"cuda_major": 12}), "cuda-row", "libcudart.so.12 is 12")


def test_cuda_row_of_a_distribution_of_another_major(findings):
    spec_record = {"index": "pytorch", "executorch": {"platform_tags": ["manylinux_2_28_x86_64"]}}
    requirements = (
        "executorch==1.5.1+cu130",
        "tensorrt-cu13==11.4.0.106",
        "nvidia-cuda-runtime==12.9.79",
        "torch",
    )
    only(
        findings(requirements=requirements, build_record=spec_record),
        "cuda-row",
        "nvidia-cuda-runtime==12.9.79 is 12",
    )


@pytest.mark.parametrize("label", ["cuda13", "cu13", "cu130x", "custom", "rocm6"])
def test_cuda_row_of_a_label_that_names_none(findings, label):
    found = findings(label=label)
    assert {f.check for f in found} == {"cuda-row", "metadata"}
    assert any(
        f"+{label}, which names no CUDA row" in f.what for f in found if f.check == "cuda-row"
    )


@pytest.mark.parametrize("row", ["cu126", "cu130", "cu132"])
@pytest.mark.parametrize("index", ["pytorch", "pypi"])
def test_a_wheel_of_each_row_passes(findings, row, index):
    assert findings({"cuda_major": int(row[2:4])}, row=row, label=row, index=index) == []


@pytest.mark.parametrize("label", ["", "cpu"])
def test_an_executorch_without_row_passes(findings, label):
    assert findings(label=label) == []


def test_contents_unknown_file(findings):
    only(
        findings(extra_files={"executorch/lib/libexecutorch.so": b"x"}),
        "contents",
        "executorch/lib/libexecutorch.so",
        "not on the known list",
    )


def test_contents_missing_file(findings):
    only(
        findings(left_out=frozenset({f"{PACKAGE}/py.typed"})),
        "contents",
        "py.typed",
        "is missing from",
    )


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ((f"{PACKAGE}/py.typed,sha256=", f"{PACKAGE}/py.typed,sha256=x"), "RECORD says sha256=x"),
        (
            (f"{PACKAGE}/py.typed,", f"{PACKAGE}/py.gone,"),
            "is listed in RECORD and not in the wheel",
        ),
        ((f"{PACKAGE}/py.typed,", f"{PACKAGE}/py.gone,"), "is not listed in RECORD"),
    ],
)
def test_contents_record(findings, edit, text):
    only(findings(record_edit=edit), "contents", text)


def test_contents_record_size(findings):
    good = findings(record_edit=(",6\n", ",7\n"))
    only(good, "contents", "has 6 bytes; RECORD says 7")


@pytest.mark.parametrize("tag", ["cp311-cp311", "py3-abi3", "cp311-none"])
def test_contents_interpreter_tag(findings, tag):
    only(findings(python_abi=tag), "contents", f"is tagged {tag}-", "py3-none-<platform>")


def test_contents_two_truths_about_the_tag(findings):
    only(findings(declared_tag="py3-none-manylinux_2_34_x86_64"), "contents", "its WHEEL file says")


def test_contents_pure(findings):
    only(findings(purelib="true"), "contents", "Root-Is-Purelib")


def test_contents_library_budget(findings):
    only(findings({"padding_bytes": 120_000}), "contents", "bytes stripped; the budget is 100,000")


def test_contents_wheel_budget(findings):
    import random

    noise = random.Random(1).randbytes(110_000)
    only(
        findings(extra_files={f"{PACKAGE}/py.typed": noise}),
        "contents",
        "bytes compressed; the budget is 100,000",
    )


def test_backend_name_of_the_library(findings):
    only(
        findings({"backend_name": "TensorRtBackend"}),
        "backend-name",
        "holds TensorRtBackend, not TensorRTBackend",
    )


def test_backend_name_of_the_python_package(findings):
    only(findings(python_backend_name="TensorrtBackend"), "backend-name", "says 'TensorrtBackend'")


def test_every_check_is_tested_here():
    import inspect
    import sys

    names = [
        n
        for n, f in inspect.getmembers(sys.modules[__name__], inspect.isfunction)
        if n.startswith("test_")
    ]
    elsewhere = {"metadata", "tool-metadata"}  # test_requirements.py, test_tool_wheel.py
    for check in CHECKS.keys() - elsewhere:
        stem = f"test_{check.replace('-', '_').replace('needed_libraries', 'needed')}"
        assert any(name.startswith(stem) for name in names), check
