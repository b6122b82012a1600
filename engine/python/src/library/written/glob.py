"""Paths by pattern, among the files of the program."""

import os
import pathlib


def has_magic(s):
    return any(each in s for each in "*?[")


def escape(pathname):
    return "".join(f"[{each}]" if each in "*?[" else each for each in pathname)


def iglob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    return iter(glob(pathname, root_dir=root_dir, recursive=recursive, include_hidden=include_hidden))


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    if not has_magic(pathname):
        path = os.path.join(root_dir, pathname) if root_dir else pathname
        return [pathname] if os.path.exists(path) else []
    parts = pathname.split("/")
    plain = next(at for at, part in enumerate(parts) if has_magic(part))
    folder = "/".join(parts[:plain]) or ("/" if pathname.startswith("/") else ".")
    rest = [part if recursive or part != "**" else "*" for part in parts[plain:]]
    base = os.path.join(root_dir, folder) if root_dir else folder
    found = (str(path) for path in pathlib.Path(base).glob("/".join(rest)))
    if not include_hidden:
        found = (path for path in found if not any(part.startswith(".") for part in path[len(base):].split("/")))
    if root_dir:
        found = (os.path.relpath(path, root_dir) for path in found)
    return list(found)
