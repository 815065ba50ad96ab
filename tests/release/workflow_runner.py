"""Runs workflow files: every step's real script in a fresh checkout, the actions played locally.

Knows as much of the language as the workflows here use, and fails on anything else.
"""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

Context = dict[str, Any]
Action = Callable[["Job", Context], None]


class StepFailed(AssertionError):
    """A script ended with another exit code than 0."""


def evaluate(text: str, context: Context) -> Any:
    """A value of a workflow: plain text, or text with ${{ expressions }} in it."""
    whole = re.fullmatch(r"\s*\$\{\{(.*?)\}\}\s*", text)
    if whole:
        return expression(whole[1], context)
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(expression(match[1], context)), text)


def expression(text: str, context: Context) -> Any:
    text = text.strip()
    if "||" in text:
        left, right = text.split("||", 1)
        return expression(left, context) or expression(right, context)
    if "&&" in text:
        left, right = text.split("&&", 1)
        return expression(left, context) and expression(right, context)
    if "==" in text:
        left, right = text.split("==", 1)
        return expression(left, context) == expression(right, context)
    if match := re.fullmatch(r"'([^']*)'", text):
        return match[1]
    if match := re.fullmatch(r"fromJSON\((.*)\)", text):
        return json.loads(expression(match[1], context))
    assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", text), f"an expression this runner cannot: {text}"
    value: Any = context
    for part in text.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return value


@dataclass
class Job:
    """One run of one job: its workspace, its step outputs."""

    runner: Runner
    workspace: Path
    context: Context
    workflow: str
    name: str
    environment: Mapping[str, str]


@dataclass
class Runner:
    """tree: what a checkout gives. fresh: the environment of one job, shared with no other.

    choose: which matrix entries are run, to keep a test short.
    """

    tree: Path
    scratch: Path
    fresh: Callable[[], Mapping[str, str]]
    actions: Mapping[str, Action]
    workflows: Mapping[str, Callable[[Context], Context]] = field(default_factory=dict)
    choose: Callable[[Context], bool] = lambda _: True
    artifacts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    ran: list[tuple[str, str, str]] = field(default_factory=list)
    summaries: str = ""
    count: int = 0

    def run(self, workflow: str, inputs: Context, variables: Context | None = None) -> Context:
        """Outputs of the workflow. Raises StepFailed as the first failing script would stop it."""
        path = self.tree / ".github" / "workflows" / workflow
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        context: Context = {"inputs": inputs, "vars": variables or {}, "needs": {}}
        pending = dict(document["jobs"])
        while pending:
            done = set(context["needs"])
            ready = [n for n, job in pending.items() if done.issuperset(_list(job.get("needs")))]
            assert ready, f"{workflow}: jobs wait for each other: {', '.join(pending)}"
            for name in ready:
                outputs = self._job(workflow, name, pending.pop(name), context)
                context["needs"][name] = {"outputs": outputs}
        triggers = document[True]  # YAML 1.1 reads the key `on` as a truth value
        told = (triggers.get("workflow_call") or {}).get("outputs") or {}
        context["jobs"] = context["needs"]
        return {name: evaluate(entry["value"], context) for name, entry in told.items()}

    def _job(self, workflow: str, name: str, job: Context, context: Context) -> Context:
        if "if" in job and not expression(job["if"], context):
            return {}
        if "uses" in job:
            given = {key: evaluate(str(value), context) for key, value in job["with"].items()}
            if job["uses"].startswith("./"):
                return self.run(Path(job["uses"]).name, given, context["vars"])
            return self.workflows[job["uses"].split("@")[0]](given)
        matrix = evaluate(job.get("strategy", {}).get("matrix", ""), context)
        entries = matrix["include"] if matrix else [{}]
        assert entries, f"{workflow}: {name} has an empty matrix"
        outputs: Context = {}
        for entry in filter(self.choose, entries):
            outputs = self._steps(workflow, name, job, {**context, "matrix": entry, "steps": {}})
        return outputs

    def _steps(self, workflow: str, name: str, job: Context, context: Context) -> Context:
        self.count += 1
        workspace = self.scratch / f"job{self.count}"
        workspace.mkdir(parents=True)
        running = Job(self, workspace, context, workflow, name, self.fresh())
        for step in job["steps"]:
            if "if" in step and not expression(step["if"], context):
                continue
            if "uses" in step:
                given = {k: evaluate(str(v), context) for k, v in step.get("with", {}).items()}
                self.actions[step["uses"].split("@")[0]](running, given)
            else:
                context["steps"][step.get("id", "")] = {"outputs": self._script(running, step)}
        return {key: evaluate(text, context) for key, text in job.get("outputs", {}).items()}

    def _script(self, job: Job, step: Context) -> Context:
        title = f"{job.workflow}: {job.name}: {step['name']}"
        assert "${{" not in step["run"], f"{title}: a value is pasted into the script"
        assert step["shell"] == "bash", f"{title}: says no shell, and then pipes may fail unseen"
        texts = step.get("env", {}).items()
        given = {key: str(evaluate(str(text), job.context)) for key, text in texts}
        near = job.workspace.parent
        files = {key: near / f"{key}{self.count}" for key in ("OUTPUT", "STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        script = near / f"script{self.count}.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=job.workspace,
            env={
                **job.environment,
                **given,
                **{f"GITHUB_{key}": str(path) for key, path in files.items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )
        self.ran.append((job.workflow, job.name, step["name"]))
        self.summaries += files["STEP_SUMMARY"].read_text()
        if done.returncode != 0:
            raise StepFailed(f"{title}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        lines = files["OUTPUT"].read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


def _list(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


def checkout(job: Job, _: Context) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(job.runner.tree, job.workspace, dirs_exist_ok=True, ignore=ignored)


def nothing(_: Job, __: Context) -> None:
    """For actions that prepare what a test's machine already has."""


def upload_artifact(job: Job, given: Context) -> None:
    files = {path.name: path.read_bytes() for path in job.workspace.glob(given["path"])}
    assert files or given.get("if-no-files-found") != "error", f"{job.name}: no {given['path']}"
    assert given["name"] not in job.runner.artifacts, f"{given['name']} is uploaded twice"
    job.runner.artifacts[given["name"]] = files


def download_artifact(job: Job, given: Context) -> None:
    folder = job.workspace / given["path"]
    folder.mkdir(parents=True, exist_ok=True)
    names = [n for n in job.runner.artifacts if fnmatch.fnmatchcase(n, given["pattern"])]
    assert names, f"{job.name}: no artifact {given['pattern']}"
    for name in names:
        for file, data in job.runner.artifacts[name].items():
            (folder / file).write_bytes(data)


def scripts(folder: Path) -> set[tuple[str, str, str]]:
    """(workflow, job, step) of every script in the workflow files."""
    found = set()
    for path in sorted(folder.glob("*.yml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, job in document["jobs"].items():
            steps = [step for step in job.get("steps", []) if "run" in step]
            found |= {(path.name, name, step["name"]) for step in steps}
    return found
