"""Files and folders of a test, as `absltest` hands them out: in memory, as all files are that a program writes."""

import os


class _TempFile:
    def __init__(self, path):
        self._path = path

    full_path = property(lambda self: self._path)

    def __fspath__(self):
        return self._path

    def open_text(self, mode="rt", encoding="utf8", errors="strict"):
        return open(self._path, mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode="rb"):
        return open(self._path, mode)

    def read_text(self, encoding="utf8", errors="strict"):
        with self.open_text(encoding=encoding, errors=errors) as file:
            return file.read()

    def read_bytes(self):
        with self.open_bytes() as file:
            return file.read()

    def write_text(self, text, mode="w", encoding="utf8", errors="strict"):
        with self.open_text(mode, encoding, errors) as file:
            file.write(text)

    def write_bytes(self, data, mode="wb"):
        with self.open_bytes(mode) as file:
            file.write(data)


class _TempDir:
    def __init__(self, path):
        self._path = path

    full_path = property(lambda self: self._path)

    def __fspath__(self):
        return self._path

    def create_file(self, file_path=None, content=None, mode="w", encoding="utf8", errors="strict"):
        path = os.path.join(self._path, file_path) if file_path else os._temporary(self._path, "tmp", "")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file = _TempFile(path)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content or "", mode, encoding, errors)
        return file

    def mkdir(self, dir_path=None):
        path = os.path.join(self._path, dir_path) if dir_path else os._temporary(self._path, "tmp", "")
        os.makedirs(path, exist_ok=True)
        return _TempDir(path)


def folder_of(test):
    """The folder of a test, which is its own."""
    return _TempDir(os.path.join("/tmp/absl_testing", type(test).__name__, test._testMethodName))
