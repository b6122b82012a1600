//! Arrays in files: rows for what `files.py` does, which is written over `open`.

use crate::written::{forward, rows};
use pallas_python::native::NativeDef;

rows! { pub(super) ROWS "numpy.lib.npyio":
    "save" "(file, arr, allow_pickle=True)" "Puts an array into a file.";
    "savez" "(file, *args, allow_pickle=True, **kwds)" "Puts several arrays into a file.";
    "savez_compressed" "(file, *args, allow_pickle=True, **kwds)" "Puts several arrays into a file; not compressed here.";
    "load" "(file, mmap_mode=None, allow_pickle=False, **kwargs)" "The array, or the arrays, of a file.";
    "frombuffer" "(buffer, dtype=..., count=-1, offset=0, *, like=None)" "An array of the elements that bytes are.";
    "savetxt"
    "(fname, X, fmt='%.18e', delimiter=' ', newline='\\n', header='', footer='', comments='# ', encoding=None)"
    "Puts an array into a file of text.";
    "loadtxt"
    "(fname, dtype=..., comments='#', delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0, encoding=None, max_rows=None)"
    "The array of a file of text.";
}
