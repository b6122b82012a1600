//! Where two structures differ, in JAX's words (`tree_util.equality_errors`).

use super::TreeDef;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// One place where structures differ.
pub struct Difference {
    /// `[1]['a']`; empty for the whole trees.
    pub path: String,
    /// What the first has there.
    pub first: String,
    /// What the second has there.
    pub second: String,
    /// Why they do not match.
    pub why: String,
}

/// Every place where `first` and `second` differ; below such a place nothing more is compared.
pub fn differences(interp: &Interp, first: &TreeDef, second: &TreeDef) -> PyResult<Vec<Difference>> {
    let mut found = Vec::new();
    compare(interp, String::new(), first, second, &mut found)?;
    Ok(found)
}

fn compare(
    interp: &Interp,
    path: String,
    first: &TreeDef,
    second: &TreeDef,
    found: &mut Vec<Difference>,
) -> PyResult<()> {
    if let (TreeDef::Leaf, TreeDef::Leaf) = (first, second) {
        return Ok(());
    }
    let (left, right) = (class_text(interp, first)?, class_text(interp, second)?);
    let mut differ = |first: String, second: String, why: String| {
        found.push(Difference { path: path.clone(), first, second, why });
    };
    if !same_type(first, second) {
        differ(left, right, "their Python types differ".to_string());
        return Ok(());
    }
    let (a, b) = (first.children(), second.children());
    if a.len() != b.len() {
        match first {
            TreeDef::Tuple(_) | TreeDef::List(_) => {
                let name = if matches!(first, TreeDef::Tuple(_)) { "tuple" } else { "list" };
                let text = |defs: &[TreeDef]| format!("{name} of length {}", defs.len());
                differ(text(a), text(b), "the lengths do not match".to_string());
            }
            _ => {
                let text = |class: &str, count: usize| {
                    format!("{class} with {count} child{}", if count > 1 { "ren" } else { "" })
                };
                let unmatched = symmetric_difference(interp, first, second)?;
                let keys = match unmatched.is_empty() {
                    true => String::new(),
                    false => format!(", with the symmetric difference of key sets: {{{unmatched}}}"),
                };
                let why = format!("the numbers of children do not match{keys}");
                differ(text(&left, a.len()), text(&right, b.len()), why);
            }
        }
        return Ok(());
    }
    let (x, y) = (first.metadata(), second.metadata());
    if !interp.equals(&x, &y)? {
        let text = |class: &str, data: &Value| -> PyResult<String> {
            Ok(format!("{class} with pytree metadata {}", interp.str(data)?))
        };
        differ(text(&left, &x)?, text(&right, &y)?, "the pytree node metadata does not match".to_string());
        return Ok(());
    }
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        let key = match keys(first).get(index) {
            Some(key) => interp.repr(key)?,
            None => index.to_string(),
        };
        compare(interp, format!("{path}[{key}]"), a, b, found)?;
    }
    Ok(())
}

fn same_type(first: &TreeDef, second: &TreeDef) -> bool {
    match (first, second) {
        (TreeDef::NamedTuple(a, _), TreeDef::NamedTuple(b, _)) => Rc::ptr_eq(a, b),
        (TreeDef::Custom(a, ..), TreeDef::Custom(b, ..)) => Rc::ptr_eq(a, b),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn class_text(interp: &Interp, def: &TreeDef) -> PyResult<String> {
    match def {
        TreeDef::Leaf => Ok("pytree leaf".to_string()),
        def => interp.repr(&def.class(interp)),
    }
}

fn keys(def: &TreeDef) -> &[Value] {
    match def {
        TreeDef::Dict(keys, _) | TreeDef::OrderedDict(_, keys, _) | TreeDef::DefaultDict(_, _, keys, _) => keys,
        _ => &[],
    }
}

fn symmetric_difference(interp: &Interp, first: &TreeDef, second: &TreeDef) -> PyResult<String> {
    let mut only = Vec::new();
    for (some, others) in [(keys(first), keys(second)), (keys(second), keys(first))] {
        for key in some {
            let mut known = false;
            for other in others {
                known |= interp.equals(key, other)?;
            }
            if !known {
                only.push(interp.repr(key)?);
            }
        }
    }
    Ok(only.join(" "))
}
