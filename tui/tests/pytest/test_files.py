"""Files of tests: they are written, read and removed below `tmp_path`."""
import json
import os
import pathlib
import shutil
import tempfile

import pytest


def test_text(tmp_path):
    path = tmp_path / "inner" / "a.txt"
    with pytest.raises(FileNotFoundError):
        path.write_text("1")
    path.parent.mkdir()
    assert path.write_text("1\n2\n") == 4
    with open(path) as file:
        assert list(file) == ["1\n", "2\n"]
    assert path.read_text() == "1\n2\n"
    assert [each.name for each in tmp_path.iterdir()] == ["inner"]


def test_folders_are_fresh(tmp_path):
    assert list(tmp_path.iterdir()) == []


def test_json(tmp_path):
    with open(tmp_path / "a.json", "w") as file:
        json.dump({"block": [8, 128]}, file)
    assert json.loads((tmp_path / "a.json").read_text()) == {"block": [8, 128]}


def test_modes(tmp_path):
    path = tmp_path / "a"
    with open(path, "wb") as file:
        file.write(b"\x00\xff")
    with open(path, "ab") as file:
        file.write(b"1")
    assert path.read_bytes() == b"\x00\xff1"
    with pytest.raises(FileExistsError):
        open(path, "x")
    with open(path, "rb") as file, pytest.raises(OSError, match="write"):
        file.write(b"2")


def test_shared(tmp_path_factory):
    one, other = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("data")
    (one / "a.txt").touch()
    assert os.listdir(one) == ["a.txt"] and os.listdir(other) == []


def test_inside_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("here.txt", "w") as file:
        file.write("x")
    assert os.path.exists(tmp_path / "here.txt") and pathlib.Path.cwd() == tmp_path


def test_temporary():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(shutil.copyfile(_written(folder, "a.py"), os.path.join(folder, "b.py")), os.path.join(folder, "c.txt"))
        assert sorted(path.name for path in pathlib.Path(folder).glob("*.py")) == ["a.py", "b.py"]
    assert not os.path.exists(folder)


def _written(folder, name):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("pass\n")
    return path


def test_elsewhere(tmp_path):
    with pytest.raises(OSError):
        (tmp_path / "none" / "a.txt").read_text()
    with pytest.raises(FileNotFoundError):
        os.remove(tmp_path / "none")
    with pytest.raises(NotADirectoryError):
        os.listdir(_written(tmp_path, "file"))
    with pytest.raises(IsADirectoryError):
        tmp_path.read_text()


def test_fails_where_it_reads(tmp_path):
    (tmp_path / "absent.txt").read_text()
