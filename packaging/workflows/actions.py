"""The effects of the actions that the workflows use on the folder of a job, as far as later steps see them. An action
that is not listed here is a fault."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from model import Fault, Job


class Actions:
    """The actions of one run of the workflows: what one job uploads, another one downloads."""

    def __init__(self, scratch: Path, tree: Path) -> None:
        self.scratch, self.tree = scratch, tree
        self.artifacts: dict[tuple[str, str], Path] = {}

    def run(self, uses: str, given: dict[str, str], job: Job, workspace: Path) -> dict[str, str]:
        """Does what an action does; returns its outputs."""
        self.job, self.workspace = job, workspace
        name = uses.partition("@")[0]
        if name == "actions/checkout":
            # Links: no step changes a file of the tree.
            shutil.copytree(self.tree, self.workspace, copy_function=os.link, dirs_exist_ok=True)
        elif name == "actions/upload-artifact":
            self.upload(given)
        elif name == "actions/download-artifact":
            self.download(given)
        elif name in ("actions/cache", "actions/cache/restore", "actions/cache/save"):
            if not given.get("path", "").strip() or not given.get("key"):
                raise Fault("a cache wants a path and a key")
            return {"cache-hit": ""}
        elif name == "actions/upload-pages-artifact":
            if not (self.workspace / given["path"] / "index.html").is_file():
                raise Fault(f"{given['path']} has no index.html")
        elif name == "actions/deploy-pages":
            self.may("pages", "id-token")
            return {"page_url": "https://example.org/"}
        elif name == "actions/attest-build-provenance":
            self.may("id-token", "attestations", *(["packages"] if given.get("push-to-registry") == "true" else []))
            self.attested(given)
        elif name == "pypa/gh-action-pypi-publish":
            self.may("id-token")
            if not any(self.workspace.glob("dist/*.whl")) or any(
                path.suffix != ".whl" for path in self.workspace.glob("dist/*")
            ):
                raise Fault("dist/ has something else than wheels")
        else:
            raise Fault(f"{name} is an action that the dry run does not know: {job.workflow}")
        return {}

    def may(self, *scopes: str) -> None:
        for scope in scopes:
            if self.job.definition["permissions"].get(scope) != "write":
                raise Fault(f"the job may not write {scope}")

    def upload(self, given: dict[str, str]) -> None:
        key = (self.job.workflow, given["name"])
        if key in self.artifacts:
            raise Fault(f"two jobs upload {given['name']}")
        found = sorted(path for path in self.workspace.glob(given["path"].rstrip("/")))
        if len(found) == 1 and found[0].is_dir():
            found = sorted(found[0].iterdir())
        if not found:
            raise Fault(f"there is no {given['path']}")
        self.artifacts[key] = Path(tempfile.mkdtemp(dir=self.scratch))
        for path in found:
            shutil.copy2(path, self.artifacts[key])

    def download(self, given: dict[str, str]) -> None:
        to = self.workspace / given["path"]
        names = [name for workflow, name in self.artifacts if workflow == self.job.workflow]
        if "name" in given:
            if given["name"] not in names:
                raise Fault(f"no job before this one uploads {given['name']}")
            shutil.copytree(self.artifacts[self.job.workflow, given["name"]], to, dirs_exist_ok=True)
            return
        pattern = re.escape(given["pattern"]).replace(r"\*", ".*")
        for name in names:
            if re.fullmatch(pattern, name):
                shutil.copytree(self.artifacts[self.job.workflow, name], to / name)

    def attested(self, given: dict[str, str]) -> None:
        if "subject-checksums" in given:
            path = self.workspace / given["subject-checksums"]
            if not path.is_file() or not path.read_text().strip():
                raise Fault(f"there is no {given['subject-checksums']}")
        elif not re.fullmatch(r"sha256:[0-9a-f]{64}", given.get("subject-digest", "")) or not given.get("subject-name"):
            raise Fault("an attestation wants checksums, or a name and a digest")
