//! What an editor shows, as plain data: diagnostics, hovers, lenses, hints, completion, outlines and links made from an
//! [`Analysis`]. Knows no LSP types, does no I/O, and never fails: what cannot be said is absent.

mod assumptions;
mod calls;
mod calls_to_say;
pub mod completion;
mod cursor;
pub mod diagnostics;
mod drawing;
pub mod hover;
mod imports;
pub mod inlay_hints;
pub mod kernel_ir;
mod launch_hints;
mod launches;
pub mod lenses;
pub mod links;
mod locate;
pub mod members;
mod ranges;
pub mod rename;
pub mod signature;
pub mod symbols;
pub mod tests;
mod walk;

pub use calls_to_say::call_to_say;
pub use completion::{Completion, CompletionKind, completions};
pub use diagnostics::{Diagnostic, Note, Tag, diagnostics};
pub use hover::{Hover, fact_hover, hover};
pub use inlay_hints::{Hint, HintKind, inlay_hints};
pub use kernel_ir::{Which, generated_code, kernel_at, kernel_ir};
pub use lenses::{Lens, lenses};
pub use links::{Links, links};
pub use members::members;
pub use rename::{Renamable, Renamed, renamable, rename};
pub use signature::{SignatureHelp, signature_help};
pub use symbols::{Symbol, SymbolKind, symbols};
pub use tests::{Test, tests};

pub use pallas_engine::{Analysis, Edit, Finding, Fix, Severity, Span};
