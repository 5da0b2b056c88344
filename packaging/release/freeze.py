#!/usr/bin/env python3
"""Copies the install script of this version to sql/releases, where updates and their tests start from, and notes its
checksum there. By this checksum `make release` finds a released script that has changed. For a version that is
complete.

freeze.py           refuses a version that is frozen already
freeze.py --again   replaces it: only while nobody has the version
"""

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import versions


def freeze(repository: Path = versions.REPOSITORY, again: bool = False) -> Path:
    version = versions.version(repository)
    script = repository / f"sql/memory_search--{version}.sql"
    frozen = repository / f"sql/releases/{script.name}"
    if not script.exists():
        raise SystemExit(f"{script.name} is missing: write it by 'make install-script'")
    if frozen.exists() and not again:
        raise SystemExit(
            f"{version} is frozen already. For a new version change the one in Cargo.toml, write"
            f" sql/memory_search--{version}--NEW.sql, remove {script.name} from sql, and run 'make install-script';"
            f" as long as nobody has {version}: freeze.py --again"
        )
    remark = f"-- memory_search {version} as it was released: what updates start from, and tests of them. Never changed.\n"
    frozen.parent.mkdir(exist_ok=True)
    frozen.write_text(remark + script.read_text().partition("\n")[2])
    # Only the script's own line changes; the lines of earlier versions stay.
    sums = frozen.parent / "SHA256SUMS"
    lines = sums.read_text().splitlines() if sums.exists() else []
    lines = [line for line in lines if line.split()[1] != frozen.name]
    lines.append(f"{hashlib.sha256(frozen.read_bytes()).hexdigest()}  {frozen.name}")
    sums.write_text("\n".join(lines) + "\n")
    return frozen


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--again"]):
        raise SystemExit(__doc__)
    print(f"frozen: {freeze(again=bool(sys.argv[1:])).relative_to(versions.REPOSITORY)}")
