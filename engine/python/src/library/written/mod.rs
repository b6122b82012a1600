//! Standard modules that are best said in Python: classes over arithmetic, nothing that a kernel computes with.

use crate::embedded::EmbeddedModule;

/// Every module.
pub(crate) static MODULES: &[EmbeddedModule] = &[
    EmbeddedModule { name: "contextvars", text: include_str!("contextvars.py"), is_package: false },
    EmbeddedModule { name: "datetime", text: include_str!("datetime.py"), is_package: false },
];
