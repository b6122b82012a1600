"""Arrays in files: `.npy`, `.npz` (stored, not compressed), and text. The files are those of the program, in memory."""

import io
import os
import re
import zlib

import numpy as np

_MAGIC = b"\x93NUMPY"


def save(file, arr, allow_pickle=True):
  with _opened(file, "wb", ".npy") as stream:
    stream.write(_as_bytes(np.asanyarray(arr)))


def load(file, mmap_mode=None, allow_pickle=False, **kwargs):
  with _opened(file, "rb") as stream:
    content = stream.read()
  if content[:6] == _MAGIC:
    return _from_bytes(content)
  if content[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
    return NpzFile(content)
  if not content:
    raise EOFError("No data left in file")
  raise ValueError("This file contains pickled (object) data, which is not read here: save arrays by numpy.save or numpy.savez")


def savez(file, *args, allow_pickle=True, **kwds):
  arrays = dict(kwds)
  for at, array in enumerate(args):
    name = f"arr_{at}"
    if name in arrays:
      raise ValueError(f"Cannot use un-named variables and keyword {name}")
    arrays[name] = array
  with _opened(file, "wb", ".npz") as stream:
    stream.write(_zipped({f"{name}.npy": _as_bytes(np.asanyarray(array)) for name, array in arrays.items()}))


savez_compressed = savez


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
  dtype = np.dtype(dtype)
  part = bytes(buffer)[offset:]
  if count < 0 and len(part) % dtype.itemsize:
    raise ValueError("buffer size must be a multiple of element size")
  if len(part) < count * dtype.itemsize:
    raise ValueError("buffer is smaller than requested size")
  elements = np.array(list(part if count < 0 else part[:count * dtype.itemsize]), dtype=np.uint8)
  return elements.astype(bool) if dtype == bool else elements.view(dtype)


def _as_bytes(array):
  kind = array.dtype.str if array.dtype.itemsize > 1 else array.dtype.str.replace("<", "|")
  header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {array.shape!r}, }}"
  # What follows begins at a multiple of 64.
  header += " " * (-(len(header) + 11) % 64) + "\n"
  return _MAGIC + b"\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin1") + array.tobytes()


def _from_bytes(content):
  wide = content[6] > 1
  start = 12 if wide else 10
  end = start + int.from_bytes(content[8:start], "little")
  found = re.match(r"\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([^)]*)\)", content[start:end].decode("latin1"))
  if found is None:
    raise ValueError("this array has a structured dtype, which is not read here")
  kind, is_fortran, dims = found.groups()
  shape = tuple(int(dim) for dim in dims.split(",") if dim.strip())
  array = frombuffer(content[end:], np.dtype(kind.lstrip("<|=")))
  if is_fortran == "True":
    return array.reshape(shape[::-1]).transpose()
  return array.reshape(shape)


class NpzFile:
  """The arrays of a `.npz` file, by name."""

  def __init__(self, content):
    self._parts = _unzipped(content)
    self.files = [name.removesuffix(".npy") for name in self._parts]

  def __getitem__(self, name):
    if name not in self.files:
      raise KeyError(f"{name} is not a file in the archive")
    return _from_bytes(self._parts[f"{name}.npy"])

  def __contains__(self, name):
    return name in self.files

  def __iter__(self):
    return iter(self.files)

  def __len__(self):
    return len(self.files)

  def keys(self):
    return list(self.files)

  def values(self):
    return [self[name] for name in self.files]

  def items(self):
    return [(name, self[name]) for name in self.files]

  def __enter__(self):
    return self

  def __exit__(self, *args):
    self.close()

  def close(self):
    pass


def _number(value, size):
  return value.to_bytes(size, "little")


def _zipped(parts):
  """A ZIP archive: each part as it is, with a directory at the end."""
  content, directory = b"", b""
  for name, part in parts.items():
    told = _number(zlib.crc32(part), 4) + _number(len(part), 4) * 2 + _number(len(name), 2) + _number(0, 2)
    # Of the first of January 1980, as numpy's are.
    about = _number(20, 2) + _number(0, 6) + _number(33, 2) + told
    directory += b"PK\x01\x02" + _number(20, 2) + about + _number(0, 10) + _number(len(content), 4) + name.encode()
    content += b"PK\x03\x04" + about + name.encode() + part
  count = _number(len(parts), 2)
  end = b"PK\x05\x06" + _number(0, 4) + count + count + _number(len(directory), 4) + _number(len(content), 4) + _number(0, 2)
  return content + directory + end


def _unzipped(content):
  number = lambda at, size: int.from_bytes(content[at:at + size], "little")
  end = content.rfind(b"PK\x05\x06")
  at, parts = number(end + 16, 4), {}
  for _ in range(number(end + 10, 2)):
    method, size, name_size, more, comment, start = (number(at + place, length) for place, length in ((10, 2), (20, 4), (28, 2), (30, 2), (32, 2), (42, 4)))
    name = content[at + 46:at + 46 + name_size].decode()
    if method != 0:
      raise NotImplementedError(f"{name} is compressed, which is not read here")
    first = start + 30 + number(start + 26, 2) + number(start + 28, 2)
    parts[name] = content[first:first + size]
    at += 46 + name_size + more + comment
  return parts


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
  rows = np.asarray(X)
  rows = rows.reshape(-1, 1) if rows.ndim < 2 else rows
  lines = [comments + header.replace("\n", "\n" + comments)] if header else []
  for row in rows.tolist():
    kinds = fmt if isinstance(fmt, (list, tuple)) else [fmt] * len(row)
    is_whole = isinstance(fmt, str) and fmt.count("%") == len(row) > 1
    lines.append(fmt % tuple(row) if is_whole else delimiter.join(kind % value for kind, value in zip(kinds, row)))
  if footer:
    lines.append(comments + footer.replace("\n", "\n" + comments))
  text = "".join(line + newline for line in lines)
  with _opened(fname, "w") as stream:
    try:
      stream.write(text)
    except TypeError:
      stream.write(text.encode())


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None):
  if hasattr(fname, "__fspath__") or isinstance(fname, (str, io.StringIO, io.BytesIO)):
    with _opened(fname, "r") as stream:
      lines = stream.read()
    lines = (lines.decode() if isinstance(lines, bytes) else lines).split("\n")
  else:
    lines = list(fname)
  number = int if np.dtype(dtype).kind in "iu" else float
  rows = []
  for line in lines[skiprows:]:
    line = (line.split(comments)[0] if comments else line).strip()
    if line and (max_rows is None or len(rows) < max_rows):
      parts = line.split(delimiter)
      wanted = range(len(parts)) if usecols is None else [usecols] if isinstance(usecols, int) else usecols
      rows.append([number(parts[at]) for at in wanted])
  array = np.array(rows, dtype=dtype)
  array = array if ndmin == 2 else array.squeeze()
  array = np.atleast_1d(array) if ndmin == 1 else array
  return array.T if unpack else array


class _Kept:
  """A stream that is somebody else's to close."""

  def __init__(self, stream):
    self.stream = stream

  def __enter__(self):
    return self.stream

  def __exit__(self, *args):
    return False


def _opened(file, mode, ending=""):
  if hasattr(file, "read") or hasattr(file, "write"):
    return _Kept(file)
  path = os.fspath(file)
  return open(path if path.endswith(ending) else path + ending, mode)
