//! Functions that nobody calls, as somebody who wants them analysed sees them: a line above those that were not reached, and an edit
//! that writes the call down, to be made right, as the comment that analysis heeds: `# pallas: call(x=f32[8, 128])`.

use crate::lenses::Lens;
use pallas_engine::syntax::ast::{FunctionDef, Stmt, StmtKind};
use pallas_engine::{Analysis, Edit, Fix, Span};
use std::ops::Range;

/// Longer reasons are cut off: a lens is one line.
const LONGEST: usize = 100;
/// How a reason begins that is about the arguments themselves.
const NONE_MADE_UP: &str = "no argument can be made up";

/// A line above every function that leads to a launch and was not reached: `not checked: ...`.
pub(crate) fn unreached(analysis: &Analysis) -> Vec<Lens> {
    let lens = |assumed: &pallas_engine::Assumed| {
        let problem = assumed.problem.as_ref()?;
        let (def, _) = function(analysis, assumed.definition)?;
        let reason = match problem.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &problem[..end]),
            None => problem.clone(),
        };
        Some(Lens {
            span: analysis.place(def.name_span),
            title: match assumed.is_given() {
                true => format!("not checked: {reason}"),
                false if problem.starts_with(NONE_MADE_UP) => {
                    format!("not checked: nobody calls it here, and {reason}")
                }
                false => format!("not checked: nobody calls it here, and with made-up arguments {reason}"),
            },
            kernel: String::new(),
            is_launched: false,
        })
    };
    analysis.assumed.iter().filter_map(lens).collect()
}

/// For the function whose head, decorators and parameters included, a range touches: an edit that writes what it was called with above it.
pub fn call_to_say(analysis: &Analysis, range: &Range<usize>) -> Option<Fix> {
    analysis.assumed.iter().find_map(|assumed| {
        let (def, whole) = function(analysis, assumed.definition)?;
        let head = analysis.place(whole);
        let body = analysis.place(def.body.first()?.span);
        let text = analysis.source.text.get(head.start as usize..body.start as usize)?;
        let head = Span { end: body.start - u32::try_from(text.len() - text.trim_end().len()).ok()?, ..head };
        let touches = head.start as usize <= range.end && range.start <= head.end as usize;
        if !touches || assumed.comment.is_empty() {
            return None;
        }
        let at = Span { end: head.start, ..head };
        // A method is indented, and so is what is said of it.
        let line = analysis.source.text[..head.start as usize].rsplit('\n').next().unwrap_or_default();
        let edit = Edit { span: at, replacement: format!("{}\n{line}", assumed.comment) };
        Some(Fix { title: format!("say what `{}` is called with", assumed.function), edits: vec![edit] })
    })
}

/// A function of the module by the place of its definition, with all of its statement, decorators included.
fn function(analysis: &Analysis, definition: Span) -> Option<(&FunctionDef, Span)> {
    let is_it = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::FunctionDef(def) if def.span == definition);
    let stmt = analysis.module.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::FunctionDef(_) => Some(stmt).filter(|stmt| is_it(stmt)),
        StmtKind::ClassDef(class) => class.body.iter().find(|stmt| is_it(stmt)),
        _ => None,
    })?;
    match &stmt.kind {
        StmtKind::FunctionDef(def) => Some((&**def, stmt.span)),
        _ => None,
    }
}
