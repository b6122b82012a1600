//! `jax.tree` and `jax.tree_util`.

use crate::pallas::add_functions;
use crate::tree::{self, Registration, RegistrationKind, Registry, TreeDef};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::any::Any;
use std::rc::Rc;

/// `jax.tree`
pub(super) static TREE: ModuleDef = ModuleDef {
    name: "jax.tree",
    doc: "Functions on pytrees.",
    functions: &[],
    populate: |_interp, namespace| add_functions(namespace, "jax.tree", SHORT),
};

/// `jax.tree_util`
pub(super) static TREE_UTIL: ModuleDef = ModuleDef {
    name: "jax.tree_util",
    doc: "Functions on pytrees, and registration of classes.",
    functions: &[],
    populate: |interp, namespace| {
        add_functions(namespace, "jax.tree_util", LONG);
        add_functions(namespace, "jax.tree_util", REGISTRATION);
        namespace.insert(pallas_syntax::ast::Name::from("PyTreeDef"), Value::Class(interp.native_class(&CLASS)));
    },
};

/// A structure as a value.
pub(super) struct Structure(pub(super) TreeDef);

static CLASS: NativeClass = NativeClass {
    name: "PyTreeDef",
    module: "jaxlib._jax.pytree",
    doc: "The structure of a pytree.",
    methods: &[NativeDef {
        name: "unflatten",
        signature: "(self, leaves)",
        doc: "The pytree with these leaves.",
        run: |interp, args| {
            let [this, leaves] = args.take();
            unflatten(interp, &this, &leaves)
        },
    }],
    properties: &[],
    construct: None,
    instance_check: None,
};

macro_rules! both_names {
    ($($short:literal $long:literal $signature:literal $doc:literal $run:expr;)*) => {
        static SHORT: &[NativeDef] = &[$(NativeDef { name: $short, signature: $signature, doc: $doc, run: $run }),*];
        static LONG: &[NativeDef] = &[$(NativeDef { name: $long, signature: $signature, doc: $doc, run: $run }),*];
        /// The rows that `jax` itself once had (`jax.tree_map`).
        pub(super) static TOP_LEVEL: &[NativeDef] = &[];
    };
}

both_names! {
    "map" "tree_map" "(f, tree, *rest, is_leaf=None)" "Applies a function to the leaves." map;
    "leaves" "tree_leaves" "(tree, is_leaf=None)" "The leaves." |interp, args| {
        let [tree, is_leaf] = args.take();
        let (leaves, _) = tree::flatten(interp, &tree, given(&is_leaf))?;
        Ok(Value::list(leaves))
    };
    "structure" "tree_structure" "(tree, is_leaf=None)" "The structure without the leaves." |interp, args| {
        let [tree, is_leaf] = args.take();
        let (_, def) = tree::flatten(interp, &tree, given(&is_leaf))?;
        Ok(Value::object(Structure(def)))
    };
    "flatten" "tree_flatten" "(tree, is_leaf=None)" "The leaves and the structure." |interp, args| {
        let [tree, is_leaf] = args.take();
        let (leaves, def) = tree::flatten(interp, &tree, given(&is_leaf))?;
        Ok(Value::tuple([Value::list(leaves), Value::object(Structure(def))]))
    };
    "unflatten" "tree_unflatten" "(treedef, leaves)" "A pytree from structure and leaves." |interp, args| {
        let [structure, leaves] = args.take();
        unflatten(interp, &structure, &leaves)
    };
    "all" "tree_all" "(tree, *, is_leaf=None)" "Whether every leaf is true." |interp, args| {
        let [tree, is_leaf] = args.take();
        let (leaves, _) = tree::flatten(interp, &tree, given(&is_leaf))?;
        for leaf in &leaves {
            if !interp.truth(leaf)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    };
    "reduce" "tree_reduce" "(function, tree, initializer=..., is_leaf=None)" "Folds the leaves." reduce;
    "transpose" "tree_transpose" "(outer_treedef, inner_treedef, pytree_to_transpose)" "Swaps two levels of structure." transpose;
}

static REGISTRATION: &[NativeDef] = &[
    NativeDef {
        name: "register_pytree_node",
        signature: "(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None)",
        doc: "Registers a class as a node.",
        run: |interp, args| {
            let [class, flatten, unflatten, _] = args.take();
            let class = class_of(interp, &class)?;
            let kind = RegistrationKind::Functions { flatten, unflatten };
            interp.extension::<Registry>().register(Registration { class, kind });
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "register_pytree_node_class",
        signature: "(cls)",
        doc: "Registers a class with `tree_flatten` and `tree_unflatten`; a decorator.",
        run: |interp, args| {
            let [value] = args.take();
            let class = class_of(interp, &value)?;
            let kind = RegistrationKind::Functions {
                flatten: interp.get_attr(&value, "tree_flatten")?,
                unflatten: interp.get_attr(&value, "tree_unflatten")?,
            };
            interp.extension::<Registry>().register(Registration { class, kind });
            Ok(value)
        },
    },
    NativeDef {
        name: "register_dataclass",
        signature: "(nodetype, data_fields=None, meta_fields=None, drop_fields=())",
        doc: "Registers a dataclass: data fields are children, meta fields are part of the structure.",
        run: register_dataclass,
    },
    NativeDef {
        name: "register_static",
        signature: "(cls)",
        doc: "Registers a class as a node without leaves; a decorator.",
        run: |interp, args| {
            let [value] = args.take();
            let class = class_of(interp, &value)?;
            interp.extension::<Registry>().register(Registration { class, kind: RegistrationKind::Static });
            Ok(value)
        },
    },
];

fn given(value: &Value) -> Option<&Value> {
    (!value.is_none() && !value.is_unset()).then_some(value)
}

fn class_of(interp: &Interp, value: &Value) -> PyResult<Rc<Class>> {
    match value {
        Value::Class(class) => Ok(class.clone()),
        value => {
            let shown = interp.repr(value)?;
            Err(interp.type_error(format!("expected a class, got {shown}")))
        }
    }
}

fn structure<'v>(interp: &Interp, value: &'v Value) -> PyResult<&'v TreeDef> {
    match value.downcast::<Structure>() {
        Some(structure) => Ok(&structure.0),
        None => {
            let shown = interp.repr(value)?;
            Err(interp.type_error(format!("expected a PyTreeDef, got {shown}")))
        }
    }
}

fn map(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, tree, rest, is_leaf] = args.take();
    let (leaves, def) = tree::flatten(interp, &tree, given(&is_leaf))?;
    let mut columns = Vec::new();
    for other in interp.collect(&rest)? {
        columns.push(up_to(interp, &def, &other)?);
    }
    let mut results = Vec::with_capacity(leaves.len());
    for (index, leaf) in leaves.into_iter().enumerate() {
        let arguments = std::iter::once(leaf).chain(columns.iter().map(|c| c[index].clone()));
        results.push(interp.call_values(&function, arguments)?);
    }
    tree::unflatten(interp, &def, &mut results.into_iter())
}

/// The parts of `value` that stand where `def` has leaves.
fn up_to(interp: &Interp, def: &TreeDef, value: &Value) -> PyResult<Vec<Value>> {
    let mut parts = Vec::new();
    collect_up_to(interp, def, value, &mut parts)?;
    Ok(parts)
}

fn collect_up_to(interp: &Interp, def: &TreeDef, value: &Value, parts: &mut Vec<Value>) -> PyResult<()> {
    let children: Vec<Value> = match def {
        TreeDef::Leaf => {
            parts.push(value.clone());
            return Ok(());
        }
        TreeDef::None => match value {
            Value::None => return Ok(()),
            _ => return Err(mismatch(interp, "None", value)),
        },
        TreeDef::Tuple(_) => match value {
            Value::Tuple(items) => items.to_vec(),
            _ => return Err(mismatch(interp, "tuple", value)),
        },
        TreeDef::List(_) => match value {
            Value::List(items) => items.borrow().clone(),
            _ => return Err(mismatch(interp, "list", value)),
        },
        TreeDef::Dict(keys, _) => match value {
            Value::Dict(dict) => {
                let dict = dict.borrow();
                let mut children = Vec::new();
                for key in keys {
                    match dict.get(interp, key)? {
                        Some(child) => children.push(child.clone()),
                        None => return Err(mismatch(interp, "dict with the same keys", value)),
                    }
                }
                if dict.len() != keys.len() {
                    return Err(mismatch(interp, "dict with the same keys", value));
                }
                children
            }
            _ => return Err(mismatch(interp, "dict", value)),
        },
        TreeDef::OrderedDict(..) | TreeDef::NamedTuple(..) | TreeDef::Custom(..) => {
            let (leaves, other) = tree::flatten(interp, value, None)?;
            if !def.same(&other, interp)? {
                return Err(mismatch(interp, "node of the same class", value));
            }
            parts.extend(leaves);
            return Ok(());
        }
    };
    let (TreeDef::Tuple(defs) | TreeDef::List(defs) | TreeDef::Dict(_, defs)) = def else { return Ok(()) };
    if defs.len() != children.len() {
        let what = if matches!(def, TreeDef::Tuple(_)) { "Tuple" } else { "List" };
        let shown = interp.repr(value)?;
        return Err(interp.value_error(format!(
            "{what} arity mismatch: {} != {}; {}: {shown}.",
            children.len(),
            defs.len(),
            what.to_lowercase()
        )));
    }
    for (def, child) in defs.iter().zip(&children) {
        collect_up_to(interp, def, child, parts)?;
    }
    Ok(())
}

fn mismatch(interp: &Interp, expected: &str, value: &Value) -> Box<Stop> {
    let shown = interp.repr(value).unwrap_or_default();
    interp.value_error(format!("Expected {expected}, got {shown}."))
}

fn unflatten(interp: &Interp, def: &Value, leaves: &Value) -> PyResult<Value> {
    let def = structure(interp, def)?;
    let leaves = interp.collect(leaves)?;
    if leaves.len() != def.leaves() {
        let word = if leaves.len() < def.leaves() { "few" } else { "many" };
        return Err(interp.value_error(format!(
            "Too {word} leaves for PyTreeDef; expected {}, got {}",
            def.leaves(),
            leaves.len()
        )));
    }
    tree::unflatten(interp, def, &mut leaves.into_iter())
}

fn reduce(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, tree, initial, is_leaf] = args.take();
    let (leaves, _) = tree::flatten(interp, &tree, given(&is_leaf))?;
    let mut leaves = leaves.into_iter();
    let start = if matches!(initial, Value::Unset | Value::Ellipsis) { leaves.next() } else { Some(initial) };
    let Some(mut result) = start else {
        return Err(interp.type_error("reduce() of empty iterable with no initial value".to_string()));
    };
    for leaf in leaves {
        result = interp.call_values(&function, [result, leaf])?;
    }
    Ok(result)
}

fn transpose(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [outer, inner, value] = args.take();
    let (outer, inner) = (structure(interp, &outer)?, structure(interp, &inner)?);
    let (leaves, _) = tree::flatten(interp, &value, None)?;
    let (rows, columns) = (outer.leaves(), inner.leaves());
    if leaves.len() != rows * columns {
        return Err(interp.type_error("Mismatch: the tree is not outer composed with inner".to_string()));
    }
    let mut parts = Vec::new();
    for column in 0..columns {
        let mut items = (0..rows).map(|row| leaves[row * columns + column].clone());
        parts.push(tree::unflatten(interp, outer, &mut items)?);
    }
    tree::unflatten(interp, inner, &mut parts.into_iter())
}

fn register_dataclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [value, data, meta, _drop] = args.take();
    if value.is_none() {
        return Err(interp.type_error("register_dataclass takes a dataclass".to_string()));
    }
    let class = class_of(interp, &value)?;
    let names =
        |list: &Value| -> PyResult<Vec<Rc<str>>> { interp.collect(list)?.iter().map(|n| interp.to_str(n)).collect() };
    let meta = if meta.is_none() { Vec::new() } else { names(&meta)? };
    let data = if data.is_none() {
        // All fields that are not meta, as the decorator's metadata `static=True` says.
        let fields = interp.get_attr(&value, "__dataclass_fields__")?;
        let all = names(&fields)?;
        let mut data = Vec::new();
        let mut statics = meta.clone();
        for name in all {
            let field = interp.get_item(&fields, &Value::Str(name.clone()))?;
            let metadata = interp.get_attr(&field, "metadata")?;
            let is_static = match interp.contains(&metadata, &Value::from("static"))? {
                true => interp.truth(&interp.get_item(&metadata, &Value::from("static"))?)?,
                false => false,
            };
            if is_static {
                statics.push(name);
            } else if !statics.contains(&name) {
                data.push(name);
            }
        }
        let kind = RegistrationKind::Dataclass { data, meta: statics };
        interp.extension::<Registry>().register(Registration { class, kind });
        return Ok(value);
    } else {
        names(&data)?
    };
    interp.extension::<Registry>().register(Registration { class, kind: RegistrationKind::Dataclass { data, meta } });
    Ok(value)
}

impl Object for Structure {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "num_leaves" => Some(Value::from(self.0.leaves())),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Structure>() else { return Ok(None) };
        let equal = self.0.same(&other.0, interp)?;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("PyTreeDef({})", self.0.text(interp)?)))
    }
}
