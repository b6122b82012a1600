//! Hover, hints and diagnostics as plain data; knows no LSP types.
