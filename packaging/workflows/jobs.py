"""Runs the jobs of the workflows here: each step's script in bash, in a folder that is its job's, as GitHub would."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from actions import Actions
from model import Fault, Job, Nothing, evaluate, fill, read, workflows


class Run:
    """All jobs of one event."""

    def __init__(self, repository: Path, scratch: Path, tree: Path, github: dict[str, str]) -> None:
        self.repository, self.scratch = repository, scratch
        self.github: dict[str, Any] = {
            **github,
            "sha": "0" * 40,
            "token": "token",
            "event": {"pull_request": {"number": ""}},
            "workflow": "workflow",
        }
        self.actions = Actions(scratch, tree)
        self.prepared: set[tuple[Any, ...]] = set()
        self.steps = 0

    def workflows(self, only: set[str] | None = None) -> list[str]:
        """Runs the workflows, or these jobs of them; returns the faults."""
        wrong = []
        for workflow in workflows(self.repository):
            if self.github["ref_type"] not in self.kinds_of_ref(workflow.definition["on"]):
                continue
            done: dict[str, bool] = {}
            for job in workflow.jobs:
                if only is not None and job.name not in only:
                    done[job.name] = True
                    continue
                if lacking := [need for need in job.needs if need not in done]:
                    wrong.append(f"{job.title}: needs {lacking[0]}, which is no job before it")
                    continue
                try:
                    done[job.name] = done.get(job.name, True) and self.job(job, all(done[need] for need in job.needs))
                except Fault as fault:
                    wrong.append(f"{job.title}: {fault}")
                    done[job.name] = True  # later jobs run all the same, to report all faults
        return wrong

    @staticmethod
    def kinds_of_ref(on: Any) -> set[str]:
        """The kinds of refs that start a workflow: a tag, or a commit of a branch, also by schedule or by hand."""
        push = on.get("push", {}) if isinstance(on, dict) else {}
        return {"tag"} if push and "tags" in push else {"branch"}

    def job(self, job: Job, needed: bool) -> bool:
        """Runs a job; false if it is left out."""
        contexts: dict[str, Any] = {
            "github": self.github,
            "matrix": job.matrix,
            "vars": {"PUBLISH_WHEELS": "true", "DEBFULLNAME": "", "DEBEMAIL": ""},
            "steps": {},
        }
        runner = fill(job.definition["runs-on"], contexts)
        contexts["runner"] = {"arch": "ARM64" if runner.endswith("-arm") else "X64", "os": "Linux"}
        if not needed or not evaluate(str(job.definition.get("if", "'yes'")), contexts):
            return False
        workspace = Path(tempfile.mkdtemp(dir=self.scratch))
        development = workspace.with_name(workspace.name + "-dev")
        definition = read(self.repository / ".github/workflows" / job.workflow)
        env = {name: fill(value, contexts) for name, value in definition.get("env", {}).items()}
        env |= {name: fill(value, contexts) for name, value in job.definition.get("env", {}).items()}
        # The folder in which a job keeps the downloads of set-up is a folder of this run.
        kept = env.get("MEMORY_SEARCH_DEV", "/var/tmp/memory_search")
        contexts["env"] = env
        self.here = {"workspace": workspace, "kept": kept, "development": development, "job": job, "runner": runner}
        for step in job.steps:
            self.step(step, contexts, env)
        environment = job.definition.get("environment", "")
        fill(environment.get("url", "") if isinstance(environment, dict) else environment, contexts)
        shutil.rmtree(workspace)
        return True

    def step(self, step: dict[str, Any], contexts: dict[str, Any], env: dict[str, str]) -> None:
        if not evaluate(str(step.get("if", "'yes'")), contexts):
            contexts["steps"][step.get("id")] = {"outputs": Nothing()}
            return
        self.steps += 1
        title = step.get("name") or step.get("uses") or step["run"].strip().split("\n")[0]
        try:
            if "run" in step:
                own = {name: fill(value, contexts) for name, value in step.get("env", {}).items()}
                outputs = self.shell(step["run"], env | own)
            else:
                given = {name: self.place(fill(value, contexts)) for name, value in step.get("with", {}).items()}
                if step["uses"].startswith("./"):
                    path = self.here["workspace"] / step["uses"] / "action.yml"
                    outputs = self.own_action(path, given, contexts, env)
                else:
                    outputs = self.actions.run(step["uses"], given, self.here["job"], self.here["workspace"])
        except Fault as fault:
            raise Fault(f"{title}: {fault}") from None
        if "id" in step:
            contexts["steps"][step["id"]] = {"outputs": outputs}

    def place(self, text: str) -> str:
        return text.replace(self.here["kept"], str(self.here["development"]))

    def shell(self, text: str, env: dict[str, str]) -> dict[str, str]:
        """Runs a script as GitHub does; returns what it wrote as outputs."""
        workspace, output = self.here["workspace"], self.scratch / "output"
        output.write_text("")
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        environment = {name: self.place(value) for name, value in env.items()} | {
            "PATH": str(self.scratch / "bin"),
            "HOME": str(home),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "Somebody",
            "GITHUB_REPOSITORY": "Somebody/memory_search",
            "GITHUB_SERVER_URL": "https://example.org",
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_REF_NAME": self.github["ref_name"],
            "GITHUB_REF_TYPE": self.github["ref_type"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "DRY_RUN_LOG": str(self.scratch / "log"),
            "DRY_RUN_JOB": self.here["job"].title,
            "DRY_RUN_PROCESSOR": "aarch64" if self.here["runner"].endswith("-arm") else "x86_64",
        }
        bash = ["bash", "--noprofile", "--norc", "-e", "-u", "-o", "pipefail", "-c", text]
        place: dict[str, Any] = {"cwd": workspace, "env": environment, "stdin": subprocess.DEVNULL}
        try:
            done = subprocess.run(bash, **place, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            raise Fault("does not end within two minutes, dry as it is") from None
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-8:]
            raise Fault(f"status {done.returncode}: " + "\n    ".join(said))
        return dict(line.split("=", 1) for line in output.read_text().splitlines())

    def own_action(
        self, path: Path, given: dict[str, str], contexts: dict[str, Any], env: dict[str, str]
    ) -> dict[str, str]:
        if not path.is_file():
            raise Fault(f"{path.parent.name} is not in the job's folder: actions/checkout comes before it")
        action = read(path)
        inputs = {name: str(value.get("default", "")) for name, value in action.get("inputs", {}).items()}
        if unknown := given.keys() - inputs.keys():
            raise Fault(f"the action has no input {sorted(unknown)[0]}")
        # An action with the same inputs runs once: for the next job it would do the same, and no step looks for its
        # results.
        once = (path.parent.name, self.here["runner"], *sorted((inputs | given).items()))
        if once in self.prepared:
            return {}
        self.prepared.add(once)
        own = {**contexts, "inputs": inputs | given, "steps": {}}
        for step in action["runs"]["steps"]:
            self.step(step, own, env)
        return {}
