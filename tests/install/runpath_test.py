# SPDX-License-Identifier: Apache-2.0
"""The loader looks for the libraries of built and installed files only in absolute folders, or in folders relative to
the file itself. Anything else, above all an empty entry, means the current folder, where anyone may be able to write.

    runpath_test.py files FILE...            these files; a folder stands for all in it
    runpath_test.py extension FOLDER         the Python extension as it is built in the folder, and as it is installed
    runpath_test.py shared PROJECT BUILD     the shared library and a command line linked with it, built and installed;
                                             the objects are those that BUILD has compiled for the static library
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def runpath(path):
    """The entries of RPATH and RUNPATH of an ELF file; none if it has no dynamic section."""
    listing = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
    entries = []
    for line in listing.splitlines():
        if "(RUNPATH)" in line or "(RPATH)" in line:
            entries += line[line.index("[") + 1 : line.rindex("]")].split(":")
    return entries


def is_safe(entry):
    return entry.startswith(("/", "$ORIGIN/")) or entry == "$ORIGIN"


def problems(files, forbidden=None):
    """One line for each entry that is relative, or lies in the folder `forbidden`, which others may lack."""
    for file in files:
        entries = runpath(file)
        print(f"{file}: {':'.join(entries) or 'no RUNPATH'}")
        for entry in entries:
            if not is_safe(entry):
                yield f"{file}: the entry '{entry}' is neither absolute nor relative to the file"
            elif forbidden and Path(entry).is_relative_to(forbidden):
                yield f"{file}: the entry '{entry}' lies in the folder of the build"


def elf_files(places):
    found = [file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*")))]
    return [file for file in found if is_elf(file)]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{words[0]} {words[1]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def link_shared(project, build, scratch):
    """Configures the shared build and runs its link commands on the objects of `build`, without a compiler."""
    options = ["-DBUILD_SHARED_LIBS=ON", "-DBOCHNER_BUILD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release"]
    run("cmake", "-S", project, "-B", scratch, "-G", "Ninja", *options)
    for objects in ("CMakeFiles/bochner.dir", "cli/CMakeFiles/bochner_cli.dir"):
        shutil.rmtree(scratch / objects, ignore_errors=True)
        (scratch / objects).symlink_to(build / objects)
    for command in run("ninja", "-C", scratch, "-t", "commands", "bochner", "bochner_cli").splitlines():
        if " -c " not in command:
            run("sh", "-c", command, cwd=scratch)


def check_shared(project, build):
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder).resolve() / "build"
        scratch.mkdir()
        link_shared(project, build, scratch)
        prefix = Path(folder).resolve() / "prefix"
        run("cmake", "--install", scratch, "--prefix", prefix)
        compiled = scratch / "CMakeFiles"  # also programs by which CMake tries the compiler
        built = [file for file in elf_files([scratch]) if not file.is_relative_to(compiled) and file.suffix != ".o"]
        installed = elf_files([prefix])
        found = [*problems(built), *problems(installed, scratch)]
        if len(built) != 2 or len(installed) != 2:
            found.append(f"{len(built)} files built and {len(installed)} installed; expected a library and a program")
        for place in (scratch, prefix):
            print(run(place / "bin/bochner", "--version", cwd=folder).strip())
        return found


def extension_files(folder):
    """Found without an import, which would need numpy."""
    package = Path(importlib.util.find_spec("bochner").origin).parent
    return elf_files([package]) + [file for file in elf_files([folder]) if file.suffix == ".so"]


def main(what, *places):
    paths = [Path(place).resolve() for place in places]
    if what == "shared":
        return check_shared(*paths)
    files = extension_files(*paths) if what == "extension" else elf_files(paths)
    return list(problems(files)) if files else ["no ELF file was found"]


if __name__ == "__main__":
    FOUND = main(*sys.argv[1:])
    print("\n".join(FOUND))
    sys.exit(1 if FOUND else 0)
