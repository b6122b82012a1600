//! The builtin functions and the methods of builtin types, as tables.
