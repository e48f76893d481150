# SPDX-License-Identifier: Apache-2.0
"""Every registered name has its page and its row in the table of contents; every link inside docs/ and README works."""

import re
import sys
from pathlib import Path

DEFINITION = re.compile(r"^BOCHNER_\w+\((\w+)\)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def problems(root):
    docs = root / "docs"
    contents = (docs / "README.md").read_text()
    for folder, table in (
        ("kernels", "kernels/kernels.def"),
        ("maps", "maps/maps.def"),
        ("maps", "features/hybrids/hybrids.def"),
        ("couplings", "couplings/couplings.def"),
    ):
        names = DEFINITION.findall((root / "src" / table).read_text())
        if not names:
            yield f"src/{table}: no line was read"
        for name in names:
            if not (docs / folder / f"{name}.md").is_file():
                yield f"docs/{folder}/{name}.md is missing"
            if f"({folder}/{name}.md)" not in contents:
                yield f"docs/README.md has no line for {name}"
    for page in [root / "README.md", *docs.rglob("*.md")]:
        for target in LINK.findall(page.read_text()):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(root)} links to {target}, which does not exist"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
