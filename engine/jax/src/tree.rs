//! Pytrees: values taken apart into leaves and put together again (jax/_src/tree_util.py). Knows the registered kinds:
//! tuples, lists, dicts (keys sorted), namedtuples, `None`, and classes registered by the program.

use pallas_python::CallArgs;
use pallas_python::class::Class;
use pallas_python::dict::Dict;
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
    /// Registers a class; a second registration replaces the first.
    pub fn register(&self, registration: Registration) {
        let mut entries = self.entries.borrow_mut();
        entries.retain(|e| !Rc::ptr_eq(&e.class, &registration.class));
        entries.push(Rc::new(registration));
    }

    fn find(&self, class: &Rc<Class>) -> Option<Rc<Registration>> {
        self.entries.borrow().iter().find(|e| Rc::ptr_eq(&e.class, class)).cloned()
    }
}

/// Takes a pytree apart. `is_leaf`, where given, stops at values for which it is true.
pub fn flatten(interp: &Interp, value: &Value, is_leaf: Option<&Value>) -> PyResult<(Vec<Value>, TreeDef)> {
    let mut leaves = Vec::new();
    let def = flatten_into(interp, value, is_leaf, &mut leaves)?;
    Ok((leaves, def))
}

fn flatten_into(interp: &Interp, value: &Value, is_leaf: Option<&Value>, leaves: &mut Vec<Value>) -> PyResult<TreeDef> {
    if let Some(test) = is_leaf {
        let verdict = interp.call_values(test, [value.clone()])?;
        if interp.truth(&verdict)? {
            leaves.push(value.clone());
            return Ok(TreeDef::Leaf);
        }
    }
    let children = |values: &[Value], leaves: &mut Vec<Value>| {
        values.iter().map(|v| flatten_into(interp, v, is_leaf, leaves)).collect::<PyResult<Vec<_>>>()
    };
    match value {
        Value::None => Ok(TreeDef::None),
        Value::Tuple(items) => Ok(TreeDef::Tuple(children(items, leaves)?)),
        Value::List(items) => {
            let items = items.borrow().clone();
            Ok(TreeDef::List(children(&items, leaves)?))
        }
        Value::Dict(dict) => {
            let entries: Vec<(Value, Value)> = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            let entries = sorted(interp, entries)?;
            let (keys, values): (Vec<Value>, Vec<Value>) = entries.into_iter().unzip();
            let children = children(&values, leaves)?;
            Ok(TreeDef::Dict(keys, children))
        }
        Value::Instance(instance) => {
            let class = instance.class.borrow().clone();
            if let Some(registration) = interp.extension::<Registry>().find(&class) {
                return flatten_custom(interp, value, registration, is_leaf, leaves);
            }
            let payload = instance.payload.borrow().clone();
            match payload {
                Value::Dict(dict) if &*class.name == "OrderedDict" && &*class.module == "collections" => {
                    let (keys, values): (Vec<Value>, Vec<Value>) =
                        dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).unzip();
                    let children = children(&values, leaves)?;
                    Ok(TreeDef::OrderedDict(class, keys, children))
                }
                Value::Tuple(items) if class.lookup("_fields").is_some() => {
                    Ok(TreeDef::NamedTuple(class, children(&items, leaves)?))
                }
                _ => {
                    leaves.push(value.clone());
                    Ok(TreeDef::Leaf)
                }
            }
        }
        _ => {
            leaves.push(value.clone());
            Ok(TreeDef::Leaf)
        }
    }
}

fn flatten_custom(
    interp: &Interp,
    value: &Value,
    registration: Rc<Registration>,
    is_leaf: Option<&Value>,
    leaves: &mut Vec<Value>,
) -> PyResult<TreeDef> {
    let (children, auxiliary) = match &registration.kind {
        RegistrationKind::Static => (Vec::new(), value.clone()),
        RegistrationKind::Dataclass { data, meta } => {
            let get = |names: &[Rc<str>]| names.iter().map(|n| interp.get_attr(value, n)).collect::<PyResult<Vec<_>>>();
            (get(data)?, Value::tuple(get(meta)?))
        }
        RegistrationKind::Functions { flatten, .. } => {
            let pair = interp.call_values(flatten, [value.clone()])?;
            let parts = interp.collect(&pair)?;
            let [children, auxiliary] = parts.as_slice() else {
                return Err(
                    interp.value_error("a pytree's flatten function must return (children, aux_data)".to_string())
                );
            };
            (interp.collect(children)?, auxiliary.clone())
        }
    };
    let defs =
        children.iter().map(|child| flatten_into(interp, child, is_leaf, leaves)).collect::<PyResult<Vec<_>>>()?;
    Ok(TreeDef::Custom(registration, auxiliary, defs))
}

/// Dict entries in the order of their keys, as Python's `sorted` puts them.
fn sorted(interp: &Interp, entries: Vec<(Value, Value)>) -> PyResult<Vec<(Value, Value)>> {
    let mut sorted: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut at = sorted.len();
        while at > 0 {
            let less = interp.compare(pallas_syntax::ast::CompareOp::Lt, &entry.0, &sorted[at - 1].0)?;
            if !interp.truth(&less)? {
                break;
            }
            at -= 1;
        }
        sorted.insert(at, entry);
    }
    Ok(sorted)
}

/// Puts a pytree together from its leaves; leaves beyond those needed are left.
pub fn unflatten(interp: &Interp, def: &TreeDef, leaves: &mut impl Iterator<Item = Value>) -> PyResult<Value> {
    fn all(interp: &Interp, defs: &[TreeDef], leaves: &mut impl Iterator<Item = Value>) -> PyResult<Vec<Value>> {
        let mut values = Vec::with_capacity(defs.len());
        for def in defs {
            values.push(unflatten(interp, def, leaves)?);
        }
        Ok(values)
    }
    Ok(match def {
        TreeDef::Leaf => match leaves.next() {
            Some(leaf) => leaf,
            None => return Err(interp.value_error("Too few leaves for PyTreeDef".to_string())),
        },
        TreeDef::None => Value::None,
        TreeDef::Tuple(defs) => Value::tuple(all(interp, defs, leaves)?),
        TreeDef::List(defs) => Value::list(all(interp, defs, leaves)?),
        TreeDef::Dict(keys, defs) => {
            let mut dict = Dict::default();
            for (key, value) in keys.iter().zip(all(interp, defs, leaves)?) {
                dict.insert(interp, key.clone(), value)?;
            }
            Value::Dict(Rc::new(RefCell::new(dict)))
        }
        TreeDef::OrderedDict(class, keys, defs) => {
            let values = all(interp, defs, leaves)?;
            let pairs = keys.iter().zip(values).map(|(key, value)| Value::tuple([key.clone(), value]));
            interp.call_values(&Value::Class(class.clone()), [Value::list(pairs)])?
        }
        TreeDef::NamedTuple(class, defs) => {
            let values = all(interp, defs, leaves)?;
            interp.call(&Value::Class(class.clone()), CallArgs::positional(values))?
        }
        TreeDef::Custom(registration, auxiliary, defs) => {
            let children = all(interp, defs, leaves)?;
            unflatten_custom(interp, registration, auxiliary, children)?
        }
    })
}

fn unflatten_custom(
    interp: &Interp,
    registration: &Registration,
    auxiliary: &Value,
    children: Vec<Value>,
) -> PyResult<Value> {
    match &registration.kind {
        RegistrationKind::Static => Ok(auxiliary.clone()),
        RegistrationKind::Functions { unflatten, .. } => {
            interp.call_values(unflatten, [auxiliary.clone(), Value::tuple(children)])
        }
        RegistrationKind::Dataclass { data, meta } => {
            let mut args = CallArgs::default();
            let names = data.iter().chain(meta);
            for (name, value) in names.zip(children.into_iter().chain(interp.collect(auxiliary)?)) {
                args.keywords.push((pallas_syntax::ast::Name::from(&**name), value));
            }
            interp.call(&Value::Class(registration.class.clone()), args)
        }
    }
}

impl TreeDef {
    /// Appends a name for each leaf: `path`, `path[0]`, `path['a']`, as JAX writes paths in messages.
    pub fn paths(&self, path: &str, out: &mut Vec<String>) {
        match self {
            TreeDef::Leaf => out.push(path.to_string()),
            TreeDef::None => {}
            TreeDef::Dict(keys, defs) | TreeDef::OrderedDict(_, keys, defs) => {
                for (key, def) in keys.iter().zip(defs) {
                    let key = match key {
                        Value::Str(text) => format!("'{text}'"),
                        Value::Int(value) => value.to_string(),
                        _ => "?".to_string(),
                    };
                    def.paths(&format!("{path}[{key}]"), out);
                }
            }
            TreeDef::Tuple(defs) | TreeDef::List(defs) | TreeDef::NamedTuple(_, defs) | TreeDef::Custom(_, _, defs) => {
                for (index, def) in defs.iter().enumerate() {
                    def.paths(&format!("{path}[{index}]"), out);
                }
            }
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
            | TreeDef::NamedTuple(_, defs)
            | TreeDef::Custom(_, _, defs) => defs.iter().map(TreeDef::leaves).sum(),
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
            TreeDef::NamedTuple(class, defs) => format!("CustomNode(namedtuple[{}], [{}])", class.name, join(defs)?),
            TreeDef::Custom(registration, auxiliary, defs) => {
                format!("CustomNode({}[{}], [{}])", registration.class.name, interp.str(auxiliary)?, join(defs)?)
            }
        })
    }
}
