//! Pytrees: values taken apart into leaves and put together again (jax/_src/tree_util.py). Knows the registered kinds:
//! tuples, lists, dicts (keys sorted), namedtuples, `None`, and classes registered by the program.

mod differences;
mod flatten;
mod keys;
mod prefix;
mod unflatten;

pub use differences::{Difference, differences};
pub use flatten::{PathAndLeaf, flatten, flatten_with_path, one_level};
pub use keys::{classes as key_classes, key_string};
pub use prefix::{broadcast_prefix, up_to};
pub use unflatten::unflatten;

use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// The shape of a pytree.
#[derive(Clone)]
pub enum TreeDef {
    /// A leaf.
    Leaf,
    /// `None`: a node without leaves.
    None,
    /// A tuple.
    Tuple(Vec<TreeDef>),
    /// A list.
    List(Vec<TreeDef>),
    /// A dict; keys sorted as Python sorts them.
    Dict(Vec<Value>, Vec<TreeDef>),
    /// A `collections.OrderedDict`; keys in their own order.
    OrderedDict(Rc<Class>, Vec<Value>, Vec<TreeDef>),
    /// A `collections.defaultdict` with its factory; keys sorted.
    DefaultDict(Rc<Class>, Value, Vec<Value>, Vec<TreeDef>),
    /// A named tuple.
    NamedTuple(Rc<Class>, Vec<TreeDef>),
    /// A class that the program registered, with its auxiliary data.
    Custom(Rc<Registration>, Value, Vec<TreeDef>),
}

/// How a class is taken apart and put together.
pub struct Registration {
    /// The class.
    pub class: Rc<Class>,
    /// What was registered.
    pub kind: RegistrationKind,
}

/// The ways to register a class.
pub enum RegistrationKind {
    /// `register_pytree_node(class, flatten, unflatten)`: `flatten(x) -> (children, aux)`, `unflatten(aux, children)`.
    Functions {
        /// Takes apart.
        flatten: Value,
        /// Puts together.
        unflatten: Value,
        /// Takes apart into `((key, child), ...)` and auxiliary data, for paths; `None` numbers the children.
        with_keys: Value,
    },
    /// `register_pytree_with_keys(class, flatten_with_keys, unflatten)` without a plain `flatten`.
    Keyed {
        /// Takes apart into `((key, child), ...)` and auxiliary data.
        with_keys: Value,
        /// Puts together.
        unflatten: Value,
    },
    /// `register_dataclass(class, data_fields, meta_fields)`.
    Dataclass {
        /// Fields that are children.
        data: Vec<Rc<str>>,
        /// Fields that are auxiliary data.
        meta: Vec<Rc<str>>,
    },
    /// A leaf-less node: `register_static`.
    Static,
}

/// Registered classes of one interpreter.
#[derive(Default)]
pub struct Registry {
    entries: RefCell<Vec<Rc<Registration>>>,
}

impl Registry {
    /// Registers a class.
    ///
    /// # Errors
    /// `ValueError` for one that is registered already.
    pub fn register(&self, interp: &Interp, registration: Registration) -> PyResult<()> {
        if self.find(&registration.class).is_some() {
            let shown = interp.repr(&Value::Class(registration.class))?;
            return Err(interp.value_error(format!("Duplicate custom PyTreeDef type registration for {shown}.")));
        }
        self.entries.borrow_mut().push(Rc::new(registration));
        Ok(())
    }

    fn find(&self, class: &Rc<Class>) -> Option<Rc<Registration>> {
        self.entries.borrow().iter().find(|e| Rc::ptr_eq(&e.class, class)).cloned()
    }
}

impl TreeDef {
    /// Appends a name for each leaf: `path`, `path[0]`, `path['a']`, as JAX writes paths in messages.
    pub fn paths(&self, path: &str, out: &mut Vec<String>) {
        if let TreeDef::Leaf = self {
            out.push(path.to_string());
        }
        let keys: &[Value] = match self {
            TreeDef::Dict(keys, _) | TreeDef::OrderedDict(_, keys, _) | TreeDef::DefaultDict(_, _, keys, _) => keys,
            _ => &[],
        };
        for (index, def) in self.children().iter().enumerate() {
            let key = match keys.get(index) {
                None => index.to_string(),
                Some(Value::Str(text)) => format!("'{text}'"),
                Some(Value::Int(value)) => value.to_string(),
                Some(_) => "?".to_string(),
            };
            def.paths(&format!("{path}[{key}]"), out);
        }
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        match self {
            TreeDef::Leaf => 1,
            TreeDef::None => 0,
            TreeDef::Tuple(defs)
            | TreeDef::List(defs)
            | TreeDef::Dict(_, defs)
            | TreeDef::OrderedDict(_, _, defs)
            | TreeDef::DefaultDict(_, _, _, defs)
            | TreeDef::NamedTuple(_, defs)
            | TreeDef::Custom(_, _, defs) => defs.iter().map(TreeDef::leaves).sum(),
        }
    }

    /// Number of nodes, leaves included.
    pub fn nodes(&self) -> usize {
        1 + self.children().iter().map(TreeDef::nodes).sum::<usize>()
    }

    /// The structures right below this node.
    pub fn children(&self) -> &[TreeDef] {
        match self {
            TreeDef::Leaf | TreeDef::None => &[],
            TreeDef::Tuple(defs)
            | TreeDef::List(defs)
            | TreeDef::Dict(_, defs)
            | TreeDef::OrderedDict(_, _, defs)
            | TreeDef::DefaultDict(_, _, _, defs)
            | TreeDef::NamedTuple(_, defs)
            | TreeDef::Custom(_, _, defs) => defs,
        }
    }

    /// The same node over other children.
    pub fn with_children(&self, children: Vec<TreeDef>) -> TreeDef {
        match self {
            TreeDef::Leaf => TreeDef::Leaf,
            TreeDef::None => TreeDef::None,
            TreeDef::Tuple(_) => TreeDef::Tuple(children),
            TreeDef::List(_) => TreeDef::List(children),
            TreeDef::Dict(keys, _) => TreeDef::Dict(keys.clone(), children),
            TreeDef::OrderedDict(class, keys, _) => TreeDef::OrderedDict(class.clone(), keys.clone(), children),
            TreeDef::DefaultDict(class, factory, keys, _) => {
                TreeDef::DefaultDict(class.clone(), factory.clone(), keys.clone(), children)
            }
            TreeDef::NamedTuple(class, _) => TreeDef::NamedTuple(class.clone(), children),
            TreeDef::Custom(registration, data, _) => TreeDef::Custom(registration.clone(), data.clone(), children),
        }
    }

    /// Every leaf replaced by a structure.
    pub fn compose(&self, inner: &TreeDef) -> TreeDef {
        match self {
            TreeDef::Leaf => inner.clone(),
            def => def.with_children(def.children().iter().map(|child| child.compose(inner)).collect()),
        }
    }

    /// Whether both have the same structure.
    pub fn same(&self, other: &TreeDef, interp: &Interp) -> PyResult<bool> {
        let all = |a: &[TreeDef], b: &[TreeDef]| -> PyResult<bool> {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b) {
                if !a.same(b, interp)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        match (self, other) {
            (TreeDef::Leaf, TreeDef::Leaf) | (TreeDef::None, TreeDef::None) => Ok(true),
            (TreeDef::Tuple(a), TreeDef::Tuple(b)) | (TreeDef::List(a), TreeDef::List(b)) => all(a, b),
            (TreeDef::NamedTuple(a, x), TreeDef::NamedTuple(b, y)) => Ok(Rc::ptr_eq(a, b) && all(x, y)?),
            (TreeDef::DefaultDict(_, f, a, x), TreeDef::DefaultDict(_, g, b, y)) => {
                let (a, b) = (Value::tuple(a.iter().cloned()), Value::tuple(b.iter().cloned()));
                Ok(interp.equals(f, g)? && interp.equals(&a, &b)? && all(x, y)?)
            }
            (TreeDef::Dict(a, x), TreeDef::Dict(b, y))
            | (TreeDef::OrderedDict(_, a, x), TreeDef::OrderedDict(_, b, y)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (a, b) in a.iter().zip(b) {
                    if !interp.equals(a, b)? {
                        return Ok(false);
                    }
                }
                all(x, y)
            }
            (TreeDef::Custom(a, m, x), TreeDef::Custom(b, n, y)) => {
                Ok(Rc::ptr_eq(a, b) && interp.equals(m, n)? && all(x, y)?)
            }
            _ => Ok(false),
        }
    }

    /// As JAX prints it, without the `PyTreeDef(...)` around: `[*, {'a': *}]`.
    pub fn text(&self, interp: &Interp) -> PyResult<String> {
        let join = |defs: &[TreeDef]| -> PyResult<String> {
            Ok(defs.iter().map(|d| d.text(interp)).collect::<PyResult<Vec<_>>>()?.join(", "))
        };
        Ok(match self {
            TreeDef::Leaf => "*".to_string(),
            TreeDef::None => "None".to_string(),
            TreeDef::Tuple(defs) if defs.len() == 1 => format!("({},)", join(defs)?),
            TreeDef::Tuple(defs) => format!("({})", join(defs)?),
            TreeDef::List(defs) => format!("[{}]", join(defs)?),
            TreeDef::Dict(keys, defs) => {
                let mut parts = Vec::new();
                for (key, def) in keys.iter().zip(defs) {
                    parts.push(format!("{}: {}", interp.repr(key)?, def.text(interp)?));
                }
                format!("{{{}}}", parts.join(", "))
            }
            TreeDef::OrderedDict(class, keys, defs) => {
                let keys = interp.repr(&Value::tuple(keys.iter().cloned()))?;
                format!("CustomNode({}[{keys}], [{}])", class.name, join(defs)?)
            }
            TreeDef::DefaultDict(class, factory, keys, defs) => {
                let data = Value::tuple([factory.clone(), Value::tuple(keys.iter().cloned())]);
                format!("CustomNode({}[{}], [{}])", class.name, interp.repr(&data)?, join(defs)?)
            }
            TreeDef::NamedTuple(class, defs) => format!("CustomNode(namedtuple[{}], [{}])", class.name, join(defs)?),
            TreeDef::Custom(registration, auxiliary, defs) => {
                format!("CustomNode({}[{}], [{}])", registration.class.name, interp.str(auxiliary)?, join(defs)?)
            }
        })
    }
}
