//! Trees matched against a structure that may be a prefix of theirs: `flatten_up_to`, `tree_broadcast`, and the words for
//! trees that do not match.

use super::TreeDef;
use super::flatten::{flatten, keys, one_level};
use super::keys::key_string;
use pallas_python::interp::Interp;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use std::rc::Rc;

/// The parts of `value` that stand where `def` has leaves. `name` is what messages call the tree.
///
/// # Errors
/// `ValueError` that names the first place where `value` differs from `def`.
pub fn up_to(interp: &Interp, def: &TreeDef, value: &Value, name: &str) -> PyResult<Vec<Value>> {
    let mut parts = Vec::new();
    Matcher { interp, name, path: Vec::new(), parts: &mut parts }.collect(def, value)?;
    Ok(parts)
}

/// The leaves of `prefix`, each repeated for every leaf of `full` that stands below it.
pub fn broadcast_prefix(
    interp: &Interp,
    prefix: &Value,
    full: &Value,
    is_leaf: Option<&Value>,
) -> PyResult<Vec<Value>> {
    let (leaves, def) = flatten(interp, prefix, is_leaf)?;
    let parts = up_to(interp, &def, full, "broadcast_prefix tree")?;
    let mut repeated = Vec::new();
    for (leaf, part) in leaves.iter().zip(&parts) {
        let (below, _) = flatten(interp, part, None)?;
        repeated.extend(below.iter().map(|_| leaf.clone()));
    }
    Ok(repeated)
}

struct Matcher<'a> {
    interp: &'a Interp,
    name: &'a str,
    path: Vec<Value>,
    parts: &'a mut Vec<Value>,
}

impl Matcher<'_> {
    fn collect(&mut self, def: &TreeDef, value: &Value) -> PyResult<()> {
        if matches!(def, TreeDef::Leaf) {
            self.parts.push(value.clone());
            return Ok(());
        }
        let interp = self.interp;
        let Some((node, children)) = one_level(interp, value)? else {
            return Err(self.types_differ(def, value));
        };
        let same_type = match (def, &node) {
            (TreeDef::NamedTuple(a, _), TreeDef::NamedTuple(b, _)) => Rc::ptr_eq(a, b),
            (TreeDef::Custom(a, ..), TreeDef::Custom(b, ..)) => Rc::ptr_eq(a, b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        if !same_type {
            return Err(self.types_differ(def, value));
        }
        let defs = def.children();
        if matches!(def, TreeDef::Tuple(_) | TreeDef::List(_)) && defs.len() != children.len() {
            return Err(self.error(
                "different lengths of",
                &format!("{} at key path", interp.type_name(value)),
                &format!(
                    "At that key path, the prefix pytree {} has a subtree of type {} of length {}, but the full pytree \
                     has a subtree of the same type but of length {}.",
                    self.name,
                    interp.type_name(value),
                    defs.len(),
                    children.len()
                ),
            ));
        }
        let (expected, found) = (def.metadata(), node.metadata());
        if !interp.equals(&expected, &found)? {
            let class = interp.repr(&Value::Class(interp.type_of(value)))?;
            return Err(self.error(
                "different pytree metadata",
                "at key path",
                &format!(
                    "At that key path, the prefix pytree {} has a subtree of type\n    {class}\nwith metadata\n    {}\n\
                     but at the same key path the full pytree has a subtree of the same type but with metadata\n    {}\n",
                    self.name,
                    interp.repr(&expected)?,
                    interp.repr(&found)?
                ),
            ));
        }
        let keys = keys(interp, value, &node, children.len())?;
        for ((def, child), key) in defs.iter().zip(&children).zip(keys) {
            self.path.push(key);
            self.collect(def, child)?;
            self.path.pop();
        }
        Ok(())
    }

    fn types_differ(&self, def: &TreeDef, value: &Value) -> Box<Stop> {
        let interp = self.interp;
        let shown = |class: Value| interp.repr(&class).unwrap_or_default();
        self.error(
            "different types",
            "at key path",
            &format!(
                "At that key path, the prefix pytree {} has a subtree of type\n    {}\nbut at the same key path the full \
                 pytree has a subtree of different type\n    {}.",
                self.name,
                shown(def.class(interp)),
                shown(Value::Class(interp.type_of(value)))
            ),
        )
    }

    fn error(&self, what: &str, place: &str, explanation: &str) -> Box<Stop> {
        let path = key_string(self.interp, &self.path, false, "").unwrap_or_default();
        self.interp
            .value_error(format!("pytree structure error: {what} {place}\n    {}{path}\n{explanation}", self.name))
    }
}

impl TreeDef {
    /// The class of this node's values.
    pub fn class(&self, interp: &Interp) -> Value {
        match self {
            TreeDef::Leaf => Value::None,
            TreeDef::None => Value::Class(interp.type_of(&Value::None)),
            TreeDef::Tuple(_) => Value::Class(interp.type_of(&Value::tuple([]))),
            TreeDef::List(_) => Value::Class(interp.type_of(&Value::list([]))),
            TreeDef::Dict(..) => Value::Class(interp.types().dict.clone()),
            TreeDef::OrderedDict(class, ..) | TreeDef::DefaultDict(class, ..) | TreeDef::NamedTuple(class, _) => {
                Value::Class(class.clone())
            }
            TreeDef::Custom(registration, ..) => Value::Class(registration.class.clone()),
        }
    }

    /// What a node knows besides its children: the keys of a dict, the auxiliary data of a registered class.
    pub fn metadata(&self) -> Value {
        match self {
            TreeDef::Dict(keys, _) | TreeDef::OrderedDict(_, keys, _) => Value::tuple(keys.iter().cloned()),
            TreeDef::DefaultDict(_, factory, keys, _) => {
                Value::tuple([factory.clone(), Value::tuple(keys.iter().cloned())])
            }
            TreeDef::Custom(_, data, _) => data.clone(),
            _ => Value::None,
        }
    }
}
