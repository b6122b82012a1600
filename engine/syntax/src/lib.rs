//! Python source to an AST with spans, incrementally and with tolerance for errors.
