#!/usr/bin/env python3
"""Packs pallas-tui and pallas-lsp as a wheel, so that `pip install`, `uv tool install` and `pipx install` put them on PATH.

    wheel.py [--debug] [--into FOLDER] [TARGET...]      for this machine by default, into target/wheels

TARGET is one of those of `programs` beside this file, which builds them. A wheel holds programs only: no module of Python, and any
Python 3 may install it. What a Linux must have of glibc is read from the programs, and is part of the wheel's name, so that pip refuses it
elsewhere. Does not publish anything.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = "pallas_workbench"
# Wheels are the same byte by byte if their programs are.
LONG_AGO = (1980, 1, 1, 0, 0, 0)
# Platforms by their names for wheels; `{glibc}` is what the programs ask for.
# https://packaging.python.org/en/latest/specifications/platform-compatibility-tags
TAGS = {
    "linux-x64": "manylinux_{glibc}_x86_64",
    "linux-arm64": "manylinux_{glibc}_aarch64",
    "alpine-x64": "musllinux_1_2_x86_64",
    "alpine-arm64": "musllinux_1_2_aarch64",
    "darwin-x64": "macosx_10_12_x86_64",
    "darwin-arm64": "macosx_11_0_arm64",
    "win32-x64": "win_amd64",
    "win32-arm64": "win_arm64",
}


def glibc(programs):
    """The oldest glibc that has all that the programs ask for, as `2_34`."""
    versions = [found for program in programs for found in re.findall(rb"\0GLIBC_2\.(\d+)(?=\0)", program.read_bytes())]
    return f"2_{max(map(int, versions), default=17)}"


def metadata(version):
    """What pip shows of the wheel, with the README as its description."""
    head = [
        "Metadata-Version: 2.4",
        "Name: pallas-workbench",
        f"Version: {version}",
        "Summary: Checks, runs and profiles JAX Pallas kernels: a language server and a terminal program",
        "Keywords: jax,pallas,kernel,profiler,lsp",
        "License-Expression: MIT OR Apache-2.0",
        "License-File: LICENSE-APACHE",
        "License-File: LICENSE-MIT",
        "Requires-Python: >=3",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def pack(target, into, debug):
    """Packs the wheel of one platform into a folder; the path of the wheel."""
    with (ROOT / "Cargo.toml").open("rb") as file:
        version = tomllib.load(file)["workspace"]["package"]["version"]
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into) as folder:
        # What it prints, Cargo's progress, goes to standard error: standard output is the paths of wheels.
        subprocess.run([HERE / "programs", *["--debug"] * debug, target, f"{folder}/programs"], check=True, stdout=sys.stderr)
        programs = sorted(pathlib.Path(folder, "programs").iterdir())
        tag = f"py3-none-{TAGS[target].format(glibc=glibc(programs))}"
        info = f"{NAME}-{version}.dist-info"
        files = {f"{NAME}-{version}.data/scripts/{program.name}": program.read_bytes() for program in programs}
        files[f"{info}/METADATA"] = metadata(version).encode()
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: pallas-workbench\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            files[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()
        record = f"{info}/RECORD"
        files[record] = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in files.items()).encode() + f"{record},,\n".encode()
        unfinished = pathlib.Path(folder, "wheel")
        with zipfile.ZipFile(unfinished, "w") as wheel:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, LONG_AGO)
                entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
                wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=1 if debug else 9)
        # Under its name it is whole, or not there.
        return unfinished.rename(into / f"{NAME}-{version}-{tag}.whl")


def digest(data):
    """A file's digest, as RECORD has it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debug", action="store_true", help="programs as `cargo build` makes them")
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "target" / "wheels", metavar="FOLDER")
    parser.add_argument("targets", nargs="*", choices=[[], *TAGS], metavar="TARGET")
    arguments = parser.parse_args()
    host = subprocess.run([HERE / "programs", "--host"], check=True, capture_output=True, text=True).stdout.strip()
    for target in arguments.targets or [host]:
        try:
            print(pack(target, arguments.into, arguments.debug))
        except subprocess.CalledProcessError as error:
            # Why is said already, by what failed.
            sys.exit(error.returncode)


if __name__ == "__main__":
    main()
