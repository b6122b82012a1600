//! Inlay hints in kernels: the type of each Ref parameter, and the shape of each value that is assigned.

use crate::walk;
use pallas_engine::{Analysis, Span};

/// A hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Byte offset that it follows.
    pub offset: u32,
    /// What it says, with its leading colon: `: f32[8,128]`.
    pub label: String,
    /// What it is about.
    pub kind: HintKind,
}

/// What a hint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintKind {
    /// A Ref parameter of a kernel.
    Ref,
    /// A value that is assigned.
    Value,
}

/// Hints inside a span of the analysed file, in order.
pub fn inlay_hints(analysis: &Analysis, within: Span) -> Vec<Hint> {
    let mut hints = Vec::new();
    walk::functions(&analysis.module.body, &mut |def| {
        let mut is_kernel = false;
        for param in def.params.iter() {
            // The parameter's span covers annotation and default; its name stands first.
            let Some(fact) = analysis.facts.get(param.span).or_else(|| analysis.facts.get(name_span(param))) else {
                continue;
            };
            let Some(ty) = fact.ty.as_ref().filter(|ty| ty.starts_with("ref<")) else { continue };
            is_kernel = true;
            if param.annotation.is_none() {
                hints.push(Hint { offset: name_span(param).end, label: format!(": {ty}"), kind: HintKind::Ref });
            }
        }
        if !is_kernel {
            return;
        }
        walk::assigned_names(&def.body, &mut |target| {
            if let Some(ty) = analysis.facts.get(target.span).and_then(|fact| fact.ty.as_ref()) {
                hints.push(Hint { offset: target.span.end, label: format!(": {ty}"), kind: HintKind::Value });
            }
        });
    });
    hints.retain(|hint| within.start <= hint.offset && hint.offset <= within.end);
    hints.sort_by_key(|hint| hint.offset);
    hints.dedup();
    hints
}

fn name_span(param: &pallas_engine::syntax::ast::Param) -> Span {
    Span { end: param.span.start + param.name.len() as u32, ..param.span }
}
