//! Renaming: all mentions of a variable, in its file and in those of the project that import it; and of a parameter also where calls
//! name it (`kernel(block=8)`, `functools.partial(kernel, block=8)`, `pl.run_scoped(body, acc=...)`) and where strings do
//! (`static_argnames="block"`). What cannot be followed is refused, with the reason; nothing is renamed in part.
//!
//! Reads trees of whole files, so that the places of other files and of this one are alike. Attributes of objects are not followed.

mod captured;
mod collect;
mod files;
mod keywords;
mod mentioned;
mod target;

use crate::Analysis;
use files::World;
use pallas_engine::Span;
use pallas_engine::syntax::is_keyword;
use std::ops::Range;
use std::sync::Arc;

/// The Python files that a name may be used in.
pub trait Project {
    /// Their paths.
    fn paths(&self) -> Vec<String>;
    /// The text of one, as the editor has it.
    fn read(&self, path: &str) -> Option<Arc<str>>;
}

/// A name that can be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamable {
    /// The mention at the cursor.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Its path.
    pub path: Arc<str>,
    /// Its text before.
    pub text: Arc<str>,
    /// What is replaced by what, in order.
    pub edits: Vec<(Range<usize>, String)>,
}

/// What would be renamed at a byte offset: nothing, where no name stands there; else a refusal says why it cannot be.
pub fn renamable(analysis: &Analysis, offset: u32, project: &dyn Project) -> Result<Option<Renamable>, String> {
    let world = World::new(analysis, project);
    let Some(found) = target::at(&world, &analysis.source.path, offset)? else { return Ok(None) };
    let name = analysis.source.slice(found.here).to_string();
    Ok(Some(Renamable { span: found.here, name }))
}

/// The edits that give the name at a byte offset another one.
pub fn rename(analysis: &Analysis, offset: u32, new: &str, project: &dyn Project) -> Result<Vec<Renamed>, String> {
    is_a_name(new)?;
    let world = World::new(analysis, project);
    let found = target::at(&world, &analysis.source.path, offset)?;
    let found = found.ok_or("there is no name here that could be renamed")?;
    if found.target.name() == new {
        return Ok(Vec::new());
    }
    collect::edits(&world, &found.target, new)
}

/// Whether this is a name in Python.
fn is_a_name(new: &str) -> Result<(), String> {
    let mut characters = new.chars();
    let begins = characters.next().is_some_and(|first| first == '_' || first.is_alphabetic());
    if !begins || !characters.all(|c| c == '_' || c.is_alphanumeric()) {
        return Err(format!("`{new}` is no name: letters, digits and `_`, and no digit first"));
    }
    if is_keyword(new) {
        return Err(format!("`{new}` is a word that Python keeps for itself"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_a_name;

    #[test]
    fn names_are_pythons() {
        for name in ["x", "_", "x_ref2", "größe"] {
            assert_eq!(is_a_name(name), Ok(()));
        }
        for (name, why) in
            [("", "no name"), ("2x", "no name"), ("a b", "no name"), ("a.b", "no name"), ("for", "keeps")]
        {
            assert!(is_a_name(name).is_err_and(|text| text.contains(why)), "{name}");
        }
    }
}
