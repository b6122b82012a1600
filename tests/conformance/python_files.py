"""Files of a program, in a temporary folder."""
import glob
import io
import json
import os
import pathlib
import shutil
import tempfile

with tempfile.TemporaryDirectory() as name:
  folder = pathlib.Path(name)
  path = folder / "a.txt"
  with open(path, "w") as file:
    print("first", file=file)
    print(file.write("second\nthird"), file.tell(), file.writable(), file.readable(), file.closed)
    file.flush()
    print(path.stat().st_size, os.path.getsize(path))
  print(file.closed, os.path.basename(file.name), file.mode)
  with open(path) as file:
    print(file.readline(), end="")
    print([line.rstrip() for line in file])
    file.seek(0)
    print(repr(file.read(3)), repr(file.read()))
  with open(path, "a") as file:
    file.write("!\n")
  with open(path, "r+") as file:
    file.write("FIRST")
    file.truncate()
  print(repr(path.read_text()))
  with open(folder / "b.bin", "wb") as file:
    print(file.write(b"\x00\x01\xff"))
  print((folder / "b.bin").read_bytes(), (folder / "c.txt").write_text("täst"), (folder / "c.txt").read_bytes())
  with open(folder / "d.json", "w") as file:
    json.dump({"block": [8, 128], "dtype": None}, file)
  with open(folder / "d.json") as file:
    print(json.load(file))

  os.makedirs(folder / "x" / "y")
  (folder / "x" / "y" / "e.py").touch()
  (folder / "x" / "f.py").write_text("pass\n")
  print(sorted(os.listdir(folder)), (folder / "x").is_dir(), (folder / "x").is_file(), path.exists())
  print([each.name for each in sorted(folder.iterdir())], sorted(str(each.relative_to(folder)) for each in folder.rglob("*.py")))
  print(sorted(each.name for each in folder.glob("*.[tj]*")), [os.path.basename(each) for each in glob.glob(f"{name}/x/*.py")])
  print(sorted(os.path.relpath(each, name) for each in glob.glob(f"{name}/**/*.py", recursive=True)))
  for at, folders, files in sorted(os.walk(folder)):
    print(os.path.relpath(at, name), sorted(folders), sorted(files))
  shutil.copytree(folder / "x", folder / "z")
  os.replace(folder / "z" / "f.py", folder / "z" / "g.py")
  print((folder / "z" / "y").rename(folder / "w").name, sorted(os.listdir(folder / "z")), os.listdir(folder / "w"))
  shutil.move(str(path), str(folder / "z"))
  print(path.exists(), (folder / "z" / "a.txt").read_text())
  os.chdir(folder / "z")
  print(os.path.exists("a.txt"), pathlib.Path("a.txt").resolve() == (folder / "z" / "a.txt").resolve(), os.path.basename(os.getcwd()))
  os.chdir("/")


  def refused(what, *args, **kwargs):
    try:
      print(what(*args, **kwargs))
    except (OSError, ValueError, TypeError) as error:
      print(type(error).__name__, getattr(error, "errno", None), str(error).replace(name, "..."))


  refused(open, folder / "none.txt")
  refused(open, folder / "none" / "a.txt", "w")
  refused(open, folder)
  refused(open, folder / "c.txt", "x")
  refused(open, folder / "c.txt", "rw")
  refused(open, folder / "c.txt", "q")
  refused(os.mkdir, folder / "x")
  refused(os.makedirs, folder / "x", exist_ok=True)
  refused(os.rmdir, folder / "x")
  refused(os.remove, folder / "none.txt")
  refused(os.listdir, folder / "c.txt")
  refused(os.listdir, folder / "none")
  refused((folder / "none.txt").unlink)
  refused((folder / "none.txt").unlink, missing_ok=True)
  refused((folder / "x").mkdir)
  refused((folder / "m" / "n").mkdir)
  refused((folder / "m" / "n").mkdir, parents=True)
  refused((folder / "c.txt").write_text, b"bytes")
  with open(folder / "c.txt") as file:
    refused(file.write, "x")
  with open(folder / "c.txt", "w") as file:
    refused(file.read)
    refused(file.write, 3)
  refused(file.read)
  # What nobody closes is there all the same.
  open(folder / "late.txt", "w").write("late")
  print((folder / "late.txt").read_text())
print(os.path.exists(name))

with tempfile.NamedTemporaryFile("w+", suffix=".txt") as file:
  file.write("kept\n")
  file.seek(0)
  print(file.read(), os.path.splitext(file.name)[1], os.path.exists(file.name), end="")
print(os.path.exists(file.name))
print(isinstance(tempfile.mkdtemp(prefix="kernels"), str), io.open is open)
