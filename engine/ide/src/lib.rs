//! What an editor shows, as plain data: diagnostics, hovers, lenses and inlay hints made from an [`Analysis`]. Knows no LSP types, does no I/O,
//! and never fails: what cannot be said is absent.

mod assumptions;
pub mod diagnostics;
pub mod hover;
pub mod inlay_hints;
mod launches;
pub mod lenses;
mod locate;
mod walk;

pub use diagnostics::{Diagnostic, Note, diagnostics};
pub use hover::{Hover, hover};
pub use inlay_hints::{Hint, HintKind, inlay_hints};
pub use lenses::{Lens, lenses};

pub use pallas_engine::{Analysis, Finding, Fix, Severity, Span};
