//! Names that are taken: what a variable would be mixed up with under its new name.

use super::files::File;
use pallas_engine::syntax::ast::Name;
use pallas_engine::syntax::names::{Mention, ScopeKind, VariableId};

/// Refuses a new name under which a mention of the variable would find another one, or a mention of another one this.
pub(super) fn check(file: &File, variable: VariableId, new: &str) -> Result<(), String> {
    let names = &file.names;
    let (renamed, new) = (&names.variables[variable], Name::from(new));
    let old = &renamed.name;
    let others = || names.variables.iter().filter(|other| other.name == new);
    let place = |mention: &Mention| file.line(mention.span);
    let where_ = |what: &str| format!("{what} of {}", short(&file.path));
    if let Some(other) = others().find(|other| other.scope == renamed.scope)
        && let Some(mention) = other.bindings().next()
    {
        let scope = match names.scopes[renamed.scope].kind {
            ScopeKind::Module => "this file",
            ScopeKind::Class => "this class",
            _ => "this function",
        };
        return Err(format!("`{new}` is a name of {scope} already, in {}", where_(&place(mention))));
    }
    for mention in &renamed.mentions {
        let found = names.found_in(mention.scope, &new);
        if found != renamed.scope && is_within(file, found, renamed.scope) {
            return Err(format!(
                "`{old}` in {} would be another `{new}`, that of the function around it there",
                where_(&place(mention))
            ));
        }
    }
    for other in others() {
        // Whoever looks for it and comes by the variable's scope first would find the variable.
        let comes_by = |mention: &&Mention| {
            let mut asked = std::iter::once(mention.scope).chain(names.around(mention.scope));
            let is_first = asked.find(|scope| *scope == renamed.scope || *scope == other.scope) == Some(renamed.scope);
            let is_unbound = other.scope == renamed.scope && other.bindings().next().is_none();
            is_first && (other.scope != renamed.scope || is_unbound)
        };
        if let Some(mention) = other.mentions.iter().find(comes_by) {
            return Err(format!("`{new}` in {} means something else, and would mean this", where_(&place(mention))));
        }
    }
    Ok(())
}

/// Whether a scope lies in another, or is it.
fn is_within(file: &File, scope: usize, around: usize) -> bool {
    std::iter::successors(Some(scope), |scope| file.names.scopes[*scope].parent).any(|scope| scope == around)
}

/// The last part of a path.
pub(super) fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
