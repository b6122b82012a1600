"""Copies, moves and removes files and folders of the program."""

import os


class Error(OSError):
    pass


class SameFileError(Error):
    pass


def _into(src, dst):
    """The path that a copy gets: inside of a folder, if that is where it goes."""
    return os.path.join(dst, os.path.basename(src)) if os.path.isdir(dst) else os.fspath(dst)


def copyfile(src, dst, *, follow_symlinks=True):
    if os.path.abspath(src) == os.path.abspath(dst):
        raise SameFileError(f"{src!r} and {dst!r} are the same file")
    with open(src, "rb") as source, open(dst, "wb") as target:
        target.write(source.read())
    return dst


def copy(src, dst, *, follow_symlinks=True):
    dst = _into(src, dst)
    return copyfile(src, dst)


copy2 = copy


def copyfileobj(fsrc, fdst, length=0):
    fdst.write(fsrc.read())


def ignore_patterns(*patterns):
    import pathlib

    return lambda folder, names: {name for name in names if any(pathlib.Path(name).match(each) for each in patterns)}


def copytree(src, dst, symlinks=False, ignore=None, copy_function=copy2, ignore_dangling_symlinks=False, dirs_exist_ok=False):
    os.makedirs(dst, exist_ok=dirs_exist_ok)
    names = os.listdir(src)
    left_out = ignore(src, names) if ignore is not None else ()
    for name in names:
        if name in left_out:
            continue
        one, other = os.path.join(src, name), os.path.join(dst, name)
        if os.path.isdir(one):
            copytree(one, other, symlinks, ignore, copy_function, ignore_dangling_symlinks, dirs_exist_ok)
        else:
            copy_function(one, other)
    return dst


def move(src, dst, copy_function=copy2):
    dst = _into(src, dst)
    os.rename(src, dst)
    return dst


def rmtree(path, ignore_errors=False, onerror=None, *, onexc=None):
    try:
        for folder, folders, files in os.walk(path, topdown=False):
            for name in files:
                os.remove(os.path.join(folder, name))
            os.rmdir(folder)
        if not ignore_errors and os.path.exists(path):
            raise NotADirectoryError(20, "Not a directory", os.fspath(path))
    except OSError:
        if not ignore_errors:
            raise


def which(cmd, mode=1, path=None):
    return None


def disk_usage(path):
    raise OSError("shutil.disk_usage is not available: programs run here without the disk")


def make_archive(*args, **kwargs):
    raise OSError("shutil.make_archive is not available: programs run here without the disk")
