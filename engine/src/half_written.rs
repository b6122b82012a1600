//! What is found in statements that do not parse: nothing but that. They cannot run, and what is evaluated of them, for hovers and
//! completion, is what can be made of a few words: the name in front of `=` in a call that is not closed looks like a value, and what
//! the call has not been given yet looks missing. Headers of blocks are not meant: what stands in the block parses by itself.

use crate::fixes::tree;
use pallas_ir::Finding;
use pallas_syntax::Span;
use pallas_syntax::ast::{Module, StmtKind};

/// Drops findings about guesses. The syntax errors themselves are to be added afterwards.
pub(crate) fn drop_guesses(findings: &mut Vec<Finding>, module: &Module) {
    if module.errors.is_empty() {
        return;
    }
    let mut broken: Vec<Span> = Vec::new();
    tree::in_statements(&module.body, &mut |statement| {
        let is_block = matches!(
            statement.kind,
            StmtKind::FunctionDef(_)
                | StmtKind::ClassDef(_)
                | StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::If { .. }
                | StmtKind::With { .. }
                | StmtKind::Match { .. }
                | StmtKind::Try { .. }
        );
        let span = statement.span;
        if !is_block && module.errors.iter().any(|error| error.span.file == span.file && span.touches(error.span.start))
        {
            broken.push(span);
        }
    });
    findings.retain(|finding| !broken.iter().any(|statement| statement.covers(finding.span)));
}
