//! The outline of a file: its kernels and its launches, in order. Other functions are listed by other language servers.

use crate::lenses::grid;
use crate::walk;
use pallas_engine::{Analysis, Span};

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// `add_kernel`, or `pallas_call(add_kernel)`.
    pub name: String,
    /// Which of them.
    pub kind: SymbolKind,
    /// Its grid, or its Refs.
    pub detail: String,
    /// All of it.
    pub span: Span,
    /// Its name.
    pub name_span: Span,
}

/// Which kind of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function that is launched.
    Kernel,
    /// A place that launches one.
    Launch,
}

/// The outline.
pub fn symbols(analysis: &Analysis) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::new();
    if !analysis.speaks_of_jax() {
        return symbols;
    }
    walk::functions(&analysis.module.body, &mut |def| {
        let Some(launch) = analysis.launches.iter().find(|launch| launch.spans.kernel == Some(def.name_span)) else {
            return;
        };
        let refs: Vec<&str> = launch.operands.iter().map(|operand| &*operand.name).collect();
        symbols.push(Symbol {
            name: def.name.to_string(),
            kind: SymbolKind::Kernel,
            detail: format!("kernel of {}", refs.join(", ")),
            span: analysis.module.place(def.span),
            name_span: analysis.module.place(def.name_span),
        });
    });
    for launch in analysis.launches.iter().filter(|launch| analysis.module.holds(launch.spans.call)) {
        let span = analysis.module.place(launch.spans.call);
        if symbols.iter().any(|symbol| symbol.span == span) {
            continue;
        }
        symbols.push(Symbol {
            name: format!("launch {}", launch.kernel.name),
            kind: SymbolKind::Launch,
            detail: grid(launch),
            span,
            name_span: span,
        });
    }
    symbols.sort_by_key(|symbol| symbol.span.start);
    symbols
}
