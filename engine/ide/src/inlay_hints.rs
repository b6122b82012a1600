//! Inlay hints: in kernels the type of each Ref parameter and the shape of each value that is assigned, at launches what is
//! computed of them.

use crate::assumptions::assumption;
use crate::launch_hints::launch_hints;
use crate::locate::name_span;
use crate::walk;
use pallas_engine::{Analysis, Fact, Span};

/// A hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Byte offset that it follows.
    pub offset: u32,
    /// What it says, with what leads to it: `: f32[8,128]`, ` = (4, 4)`.
    pub label: String,
    /// What it is about.
    pub kind: HintKind,
    /// What there is to know besides, for who points at it.
    pub tooltip: Option<String>,
}

/// What a hint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintKind {
    /// A Ref parameter of a kernel.
    Ref,
    /// A value that is assigned.
    Value,
    /// The grid of a launch, or the shape of blocks.
    Launch,
}

/// Hints inside a span of the analysed file, in order.
pub fn inlay_hints(analysis: &Analysis, within: Span) -> Vec<Hint> {
    let mut hints = Vec::new();
    if !analysis.speaks_of_jax() {
        return hints;
    }
    walk::functions(&analysis.module.body, &mut |def| {
        let mut is_kernel = false;
        for param in def.params.iter() {
            // The parameter's span covers annotation and default; its name stands first.
            let Some(fact) = analysis.facts.get(param.span).or_else(|| analysis.facts.get(name_span(param))) else {
                continue;
            };
            if !fact.ty.as_ref().is_some_and(|ty| ty.starts_with("ref<")) {
                continue;
            }
            is_kernel = true;
            if param.annotation.is_none() {
                hints.push(Hint {
                    offset: analysis.place(name_span(param)).end,
                    label: label(fact),
                    kind: HintKind::Ref,
                    tooltip: assumption(analysis, fact),
                });
            }
        }
        if !is_kernel {
            return;
        }
        walk::assigned_names(&def.body, &mut |target| {
            // `_` says that nobody looks at it.
            if let Some(fact) = analysis.facts.get(target.span).filter(|fact| fact.ty.is_some())
                && analysis.module.slice(target.span) != "_"
            {
                hints.push(Hint {
                    offset: analysis.place(target.span).end,
                    label: label(fact),
                    kind: HintKind::Value,
                    tooltip: assumption(analysis, fact),
                });
            }
        });
    });
    hints.extend(launch_hints(analysis));
    hints.retain(|hint| within.start <= hint.offset && hint.offset <= within.end);
    hints.sort_by_key(|hint| hint.offset);
    hints.dedup();
    hints
}

/// `: f32[8,128]`; of what had several types the last, and that there are more: a hint must be short, a hover says all.
/// `?` behind what holds for made-up arguments only.
fn label(fact: &Fact) -> String {
    let more = if fact.others.is_empty() { "" } else { " | ..." };
    let mark = if fact.assumed.is_some() { "?" } else { "" };
    format!(": {}{more}{mark}", fact.text())
}
