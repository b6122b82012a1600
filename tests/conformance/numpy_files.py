"""Arrays in files: saved, read again, and compared."""
import io
import os
import tempfile

import numpy as np

with tempfile.TemporaryDirectory() as folder:
  path = os.path.join(folder, "x")
  x = np.arange(12, dtype=np.float32).reshape(3, 4)
  np.save(path, x)
  print(sorted(os.listdir(folder)), os.path.getsize(path + ".npy"))
  again = np.load(path + ".npy")
  print(again, again.dtype, again.shape)
  y = again * 2
  np.savez(os.path.join(folder, "both.npz"), np.arange(3), y=y, flag=np.array([True, False]))
  with np.load(os.path.join(folder, "both.npz")) as both:
    print(both.files, len(both), "y" in both)
    for name in sorted(both.keys()):
      print(name, both[name].dtype, both[name].tolist())
    try:
      both["z"]
    except KeyError as error:
      print("KeyError", error)
  for dtype in ("int8", "uint16", "int64", "float16", "float64", "bool"):
    np.save(path, np.array([[0, 1], [2, 3]]).astype(dtype))
    same = np.load(path + ".npy")
    print(same.dtype, same.tolist())
  np.save(path, np.float32(1.5))
  print(np.load(path + ".npy"), np.load(path + ".npy").shape)

  text = os.path.join(folder, "x.txt")
  np.savetxt(text, x, fmt="%.2f", delimiter=",", header="a,b,c,d")
  with open(text) as file:
    print(file.read(), end="")
  print(np.loadtxt(text, delimiter=","))
  print(np.loadtxt(text, delimiter=",", usecols=(1, 3), skiprows=2, dtype=np.float32))
  np.savetxt(text, np.arange(3))
  print(np.loadtxt(text), open(text).readline(), end="")

stream = io.BytesIO()
np.save(stream, np.arange(4))
stream.seek(0)
print(np.load(stream))
print(np.loadtxt(io.StringIO("1 2\n3 4\n"), dtype=int))
try:
  np.load("no such file.npy")
except FileNotFoundError as error:
  print(error)
