//! Standard modules that are best said in Python: classes over arithmetic and over files, nothing that a kernel computes with.

use crate::embedded::EmbeddedModule;

/// Every module.
pub(crate) static MODULES: &[EmbeddedModule] = &[
    EmbeddedModule { name: "IPython", text: include_str!("ipython.py"), is_package: true },
    EmbeddedModule { name: "IPython.display", text: include_str!("ipython_display.py"), is_package: false },
    EmbeddedModule { name: "concurrent.futures", text: include_str!("futures.py"), is_package: false },
    EmbeddedModule { name: "contextvars", text: include_str!("contextvars.py"), is_package: false },
    EmbeddedModule { name: "datetime", text: include_str!("datetime.py"), is_package: false },
    EmbeddedModule { name: "glob", text: include_str!("glob.py"), is_package: false },
    EmbeddedModule { name: "hashlib", text: include_str!("hashlib.py"), is_package: false },
    EmbeddedModule { name: "shutil", text: include_str!("shutil.py"), is_package: false },
    EmbeddedModule { name: "tempfile", text: include_str!("tempfile.py"), is_package: false },
];
