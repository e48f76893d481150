# SPDX-License-Identifier: Apache-2.0
"""The rules of the project that can be checked in a file's text: who may include whom, where lane code lives, how long
files are.

    layout.py PROJECT   prints one line per violation, exits with 1 if there is any

    core <- simd, theory <- kernels, couplings, maps <- features <- accuracy <- plan
         <- learners, attention, sampling, codes <- models <- cli, python;  core <- data <- models
"""

import re
import sys
from pathlib import Path

from function_lengths import function_lengths

PLUG_IN_FOLDERS = ("kernels", "couplings", "maps")
# Rooms of tools, which users never see; all others have a page docs/ROOM.md or a folder docs/ROOM/.
WITHOUT_PAGE = {"core", "simd", "data"}
# Public headers that declare what a room above core does: only that room and those above it may include them.
PROMISED_BY = {
    "theory.h": "theory",
    "array.h": "data",
    "table.h": "data",
    "row_source.h": "data",
    "features.h": "features",
    "compose.h": "features",
    "error_report.h": "plan",
    "plan.h": "plan",
    "gaussian_process.h": "learners",
    "gram.h": "learners",
    "kernel_pca.h": "learners",
    "kernel_ridge.h": "learners",
    "linear_classifier.h": "learners",
    "attention.h": "attention",
    "softmax_sampler.h": "sampling",
    "binary_embedding.h": "codes",
    "preprocessing.h": "models",
    "model.h": "models",
}

# Files that may name plug-ins beside the registries and their rooms: one for each room or face, and that of the laws of
# probability, which have names of their own. Words that are names and something else: a requirement of plans, a part of
# a report.
NAMES_LIVE_IN = {"defaults.h", "law.cpp"}
OTHER_WORDS = {("plan", "positive"), ("cli", "ridge")}

MAX_FILE_LINES = 500
MAX_PUBLIC_HEADERS = 30
MAX_FUNCTION_LINES = 60
MEASURED_FOLDERS = ("include", "src", "cli", "python", "tests", "bench", "examples")

CPP = {".h", ".cpp", ".def"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
LANE_CODE = re.compile(r"\bhwy/|\bhwy::|\bHWY_|\b\w*mmintrin\.h|\barm_(neon|sve)\.h")


def files(root, folder, suffixes):
    return sorted(path for path in (root / folder).rglob("*") if path.suffix in suffixes and "build" not in path.parts)


def includes(path):
    """(whether it is in quotes, target) of each include."""
    return [(quote == '"', target) for quote, target in INCLUDE.findall(path.read_text())]


def plug_ins(root, folder):
    """The names registered in FOLDER.def: first argument of each line."""
    registry = root / "src" / folder / f"{folder.split('/')[-1]}.def"
    return set(re.findall(r'^\s*\w+\(\s*"?(\w+)', registry.read_text(), re.MULTILINE)) if registry.exists() else set()


ROOM = re.compile(r"^\| `src/(\w+)/` \|[^|]*\|([^|]*)\|([^|]*)\|$", re.MULTILINE)


def rooms(root):
    """Room of src/ -> (rooms it may include besides its own and the public headers, files of its loops): the table in
    docs/design.md."""
    table = ROOM.findall((root / "docs/design.md").read_text())
    return {room: (set(re.findall(r"\w+", below)), re.findall(r"`([^`]+)`", loops)) for room, below, loops in table}


def room_violations(root):
    table = rooms(root)
    found = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    page = root / "docs/design.md"
    for room in sorted(found - set(table)):
        yield root / "src" / room, "is not a room of docs/design.md"
    for room, (below, loops) in table.items():
        if room not in found:
            yield page, f"src/{room} does not exist"
        if room not in WITHOUT_PAGE and not any((root / "docs" / name).exists() for name in (room, f"{room}.md")):
            yield page, f"src/{room} has neither docs/{room}.md nor docs/{room}/"
        for lower in sorted(below - set(table)):
            yield page, f"src/{room} may include {lower}, which is no room"
        for loop in loops:
            if not (root / "src" / room / loop).exists():
                yield page, f"src/{room} has no file {loop}"


def reachable(may_include, room):
    """The room and all below it."""
    below = {room}
    for lower in may_include.get(room, ()):
        below |= reachable(may_include, lower)
    return below


def check_source_include(root, may_include, folder, target, names):
    """What is wrong with `#include "target"` in src/folder, or None."""
    top, _, rest = target.partition("/")
    if top == "bochner":
        if rest == "bochner.h":
            return "includes every public header; name the one that is needed"
        if rest in PROMISED_BY and PROMISED_BY[rest] not in reachable(may_include, folder):
            return f"{target} is promised by src/{PROMISED_BY[rest]}, which is not below src/{folder}"
        return None
    if (folder, top) == ("simd", "hwy") or (not rest and (root / "src" / folder / target).exists()):
        return None
    if top != folder and top not in may_include[folder]:
        return f"src/{folder} may include {', '.join(sorted(may_include[folder] | {folder, 'bochner'}))}; not {target}"
    if folder == "features" and top in PLUG_IN_FOLDERS and Path(rest).stem in names[top]:
        return f"{target} is a plug-in; features knows interfaces and registries only"
    return None


def source_violations(root):
    names = {folder: plug_ins(root, folder) for folder in PLUG_IN_FOLDERS}
    may_include = {room: below for room, (below, loops) in rooms(root).items()}
    for path in files(root, "src", CPP):
        folder = path.relative_to(root / "src").parts[0]
        if folder not in may_include:
            continue
        for quoted, target in includes(path):
            problem = check_source_include(root, may_include, folder, target, names) if quoted else None
            if not quoted and (target.startswith("bochner/") or target.split("/")[0] in may_include):
                problem = f'our own {target} is included in quotes, "like/this.h"'
            if target == "iostream":
                problem = "the library does not print"
            if problem:
                yield path, problem


def public_violations(root):
    headers = [path for path in files(root, "include/bochner", {".h", ".in"}) if path.name != "bochner.h"]
    if len(headers) > MAX_PUBLIC_HEADERS:
        yield root / "include/bochner", f"{len(headers)} public headers; at most {MAX_PUBLIC_HEADERS}"
    for path in files(root, "include/bochner", {".h", ".in"}):
        for quoted, target in includes(path):
            if not (target.startswith("bochner/") if quoted else re.fullmatch(r"[a-z_0-9]+", target)):
                yield path, f"includes {target}; public headers include the standard library and each other"


def face_violations(root):
    """cli and python may include only public headers."""
    known = rooms(root)
    for face in ("cli", "python", "examples"):
        for path in files(root, face, CPP):
            for quoted, target in includes(path):
                own = quoted and any((folder / target).exists() for folder in (path.parent, root / face, root))
                if target.startswith("bochner/") or own:
                    continue
                if quoted or target.split("/")[0] in known:
                    yield path, f"includes {target}; {face} includes bochner/ and its own files only"


def lane_violations(root):
    for folder in ("include", "src", "cli", "python", "examples"):
        for path in files(root, folder, CPP):
            found = LANE_CODE.search(path.read_text())
            if found and path.relative_to(root).parts[:2] != ("src", "simd"):
                yield path, f"{found.group()}: lane code lives in src/simd only"


def unit(path):
    """A header and its source count as one."""
    return path.with_suffix("")


def cycles(graph):
    """Sets of two or more nodes that reach each other (Tarjan)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in number:
                visit(target)
                lowest[node] = min(lowest[node], lowest[target])
            elif target in stack:
                lowest[node] = min(lowest[node], number[target])
        if lowest[node] == number[node]:
            component = [stack.pop()]
            while component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def cycle_violations(root):
    graph = {}
    for path in files(root, "src", CPP):
        included = (root / "src" / target for quoted, target in includes(path))
        targets = {unit(target) for target in included if target.is_file()}
        graph.setdefault(unit(path), set()).update(targets - {unit(path)})
    for cycle in cycles(graph):
        names = ", ".join(str(node.relative_to(root / "src")) for node in cycle)
        yield next(cycle[0].parent.glob(cycle[0].name + ".*")), f"files include each other in a circle: {names}"


COMMENT = re.compile(r"//[^\n]*")
WORD = re.compile(r'"(\w+)"')


def name_violations(root):
    """Generic code asks plug-ins for properties; it does not know their names."""
    names = set().union(*(plug_ins(root, folder) for folder in PLUG_IN_FOLDERS), plug_ins(root, "features/hybrids"))
    for folder in ("src", "cli"):
        for path in files(root, folder, {".h", ".cpp"}):
            parts = path.relative_to(root).parts
            room = parts[1] if folder == "src" else folder
            if room in PLUG_IN_FOLDERS or "hybrids" in parts or path.name in NAMES_LIVE_IN:
                continue
            for number, line in enumerate(path.read_text().split("\n"), 1):
                for word in WORD.findall(COMMENT.sub("", line)):
                    if word in names and (room, word) not in OTHER_WORDS:
                        yield path, f"line {number} knows the plug-in '{word}' by name; ask it for a property"


def length_violations(root):
    for folder in MEASURED_FOLDERS:
        for path in files(root, folder, CPP | {".py", ".sh", ".cmake"}):
            text = path.read_text()
            lines = text.count("\n")
            if lines > MAX_FILE_LINES:
                yield path, f"{lines} lines; at most {MAX_FILE_LINES}"
            if path.suffix in CPP:
                for line, length in function_lengths(text):
                    if length > MAX_FUNCTION_LINES:
                        yield path, f"function at line {line} has {length} lines; at most {MAX_FUNCTION_LINES}"


def violations(root):
    checks = (
        room_violations,
        source_violations,
        cycle_violations,
        public_violations,
        face_violations,
        lane_violations,
        name_violations,
        length_violations,
    )
    return [f"{path.relative_to(root)}: {problem}" for check in checks for path, problem in check(root)]


def main():
    found = violations(Path(sys.argv[1]).resolve())
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
