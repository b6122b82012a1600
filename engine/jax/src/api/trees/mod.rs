//! `jax.tree` and `jax.tree_util`: functions on pytrees. Structures as values and registration are beside this file.

mod partial;
mod registration;
mod structure;

use crate::pallas::add_functions;
use crate::python_types;
use crate::tree::{self, TreeDef};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

pub(crate) use structure::Structure;

/// `jax.tree`
pub(super) static TREE: ModuleDef = ModuleDef {
    name: "jax.tree",
    doc: "Functions on pytrees.",
    functions: &[],
    populate: |_interp, namespace| {
        add_functions(namespace, "jax.tree", SHORT);
        add_functions(namespace, "jax.tree", registration::SHORT);
    },
};

/// `jax.tree_util`
pub(super) static TREE_UTIL: ModuleDef = ModuleDef {
    name: "jax.tree_util",
    doc: "Functions on pytrees, and registration of classes.",
    functions: &[],
    populate: |interp, namespace| {
        add_functions(namespace, "jax.tree_util", LONG);
        add_functions(namespace, "jax.tree_util", registration::FUNCTIONS);
        add_functions(namespace, "jax.tree_util", LONG_ONLY);
        add_functions(namespace, "jax.tree_util", structure::FUNCTIONS);
        namespace.insert(Name::from("PyTreeDef"), structure::class(interp));
        for (name, class) in tree::key_classes(interp) {
            namespace.insert(Name::from(name), class);
        }
        // Types for annotations.
        python_types::share(interp, namespace, "typing", &[("KeyEntry", "Any"), ("KeyPath", "Any")]);
        if let Ok(class) = partial::class(interp) {
            namespace.insert(Name::from("Partial"), class);
        }
    },
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
    "leaves_with_path" "tree_leaves_with_path" "(tree, is_leaf=None, is_leaf_takes_path=False)"
    "The leaves with the paths that lead to them." |interp, args| {
        let [tree, is_leaf, _] = args.take();
        let (leaves, _) = tree::flatten_with_path(interp, &tree, given(&is_leaf))?;
        Ok(Value::list(leaves.into_iter().map(keyed)))
    };
    "flatten_with_path" "tree_flatten_with_path" "(tree, is_leaf=None, is_leaf_takes_path=False)"
    "The leaves with the paths that lead to them, and the structure." |interp, args| {
        let [tree, is_leaf, _] = args.take();
        let (leaves, def) = tree::flatten_with_path(interp, &tree, given(&is_leaf))?;
        Ok(Value::tuple([Value::list(leaves.into_iter().map(keyed)), Value::object(Structure(def))]))
    };
    "map_with_path" "tree_map_with_path" "(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False)"
    "Applies a function to the paths and the leaves." map_with_path;
    "broadcast" "tree_broadcast" "(prefix_tree, full_tree, is_leaf=None)"
    "The leaves of a prefix, repeated to a tree's structure." |interp, args| {
        let [prefix, full, is_leaf] = args.take();
        let leaves = tree::broadcast_prefix(interp, &prefix, &full, given(&is_leaf))?;
        let (_, def) = tree::flatten(interp, &full, None)?;
        tree::unflatten(interp, &def, &mut leaves.into_iter())
    };
    "reduce_associative" "tree_reduce_associative" "(operation, tree, *, identity=..., is_leaf=None)"
    "Folds the leaves pairwise." reduce_associative;
    "transpose" "tree_transpose" "(outer_treedef, inner_treedef=None, pytree_to_transpose=None)" "Swaps two levels of structure." transpose;
}

fn given(value: &Value) -> Option<&Value> {
    (!value.is_none() && !value.is_unset()).then_some(value)
}

pub(super) fn structure<'v>(interp: &Interp, value: &'v Value) -> PyResult<&'v TreeDef> {
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
        columns.push(tree::up_to(interp, &def, &other, "tree_map tree")?);
    }
    let mut results = Vec::with_capacity(leaves.len());
    for (index, leaf) in leaves.into_iter().enumerate() {
        let arguments = std::iter::once(leaf).chain(columns.iter().map(|c| c[index].clone()));
        results.push(interp.call_values(&function, arguments)?);
    }
    tree::unflatten(interp, &def, &mut results.into_iter())
}

fn unflatten(interp: &Interp, def: &Value, leaves: &Value) -> PyResult<Value> {
    let def = structure(interp, def)?;
    let leaves = interp.collect(leaves)?;
    if leaves.len() != def.leaves() {
        let (expected, given) = (def.leaves(), leaves.len());
        return Err(interp.value_error(match given < expected {
            true => format!("Too few leaves for PyTreeDef; expected {expected}, got {given}"),
            false => format!("Too many leaves for PyTreeDef; expected {expected}."),
        }));
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
    let outer = structure(interp, &outer)?;
    let found;
    let inner = match given(&inner) {
        Some(inner) => structure(interp, inner)?,
        None => {
            // The structure of the first part stands for all.
            let parts = tree::up_to(interp, outer, &value, "tree_transpose tree")?;
            let (_, def) = tree::flatten(interp, parts.first().unwrap_or(&Value::None), None)?;
            found = def;
            &found
        }
    };
    let (leaves, def) = tree::flatten(interp, &value, None)?;
    let (rows, columns) = (outer.leaves(), inner.leaves());
    let expected = outer.compose(inner);
    if !def.same(&expected, interp)? {
        return Err(interp.type_error(format!(
            "Mismatch\nPyTreeDef({})\n!=\nPyTreeDef({})",
            def.text(interp)?,
            expected.text(interp)?
        )));
    }
    let mut parts = Vec::new();
    for column in 0..columns {
        let mut items = (0..rows).map(|row| leaves[row * columns + column].clone());
        parts.push(tree::unflatten(interp, outer, &mut items)?);
    }
    tree::unflatten(interp, inner, &mut parts.into_iter())
}

fn keyed((path, leaf): (Vec<Value>, Value)) -> Value {
    Value::tuple([Value::tuple(path), leaf])
}

fn map_with_path(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, tree, rest, is_leaf, _] = args.take();
    let (leaves, def) = tree::flatten_with_path(interp, &tree, given(&is_leaf))?;
    let mut columns = Vec::new();
    for other in interp.collect(&rest)? {
        columns.push(tree::up_to(interp, &def, &other, "tree_map_with_path tree")?);
    }
    let mut results = Vec::with_capacity(leaves.len());
    for (index, (path, leaf)) in leaves.into_iter().enumerate() {
        let others = columns.iter().map(|column| column[index].clone());
        results.push(interp.call_values(&function, [Value::tuple(path), leaf].into_iter().chain(others))?);
    }
    tree::unflatten(interp, &def, &mut results.into_iter())
}

/// Neighbours are combined, then neighbours of the results, until one is left.
fn reduce_associative(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, tree, identity, is_leaf] = args.take();
    let (mut values, _) = tree::flatten(interp, &tree, given(&is_leaf))?;
    if values.is_empty() {
        return match identity {
            Value::Unset | Value::Ellipsis => {
                Err(interp.type_error("Must specify identity for parallel reduction of empty tree."))
            }
            identity => Ok(identity),
        };
    }
    while values.len() > 1 {
        let mut next = Vec::with_capacity(values.len().div_ceil(2));
        for pair in values.chunks(2) {
            next.push(match pair {
                [a, b] => interp.call_values(&function, [a.clone(), b.clone()])?,
                rest => rest.first().cloned().unwrap_or(Value::None),
            });
        }
        values = next;
    }
    Ok(values.pop().unwrap_or(Value::None))
}

/// Rows that only `jax.tree_util` has.
static LONG_ONLY: &[NativeDef] = &[
    NativeDef {
        name: "keystr",
        signature: "(keys, *, simple=False, separator='')",
        doc: "A path as text.",
        run: |interp, args| {
            let [keys, simple, separator] = args.take();
            let keys = interp.collect(&keys)?;
            let simple = interp.truth(&simple)?;
            Ok(Value::from(tree::key_string(interp, &keys, simple, &interp.to_str(&separator)?)?))
        },
    },
    NativeDef {
        name: "_structural_differences",
        signature: "(tree1, tree2)",
        doc: "Where two structures differ: the path as text, what each has there, and why they do not match.",
        run: |interp, args| {
            let [first, second] = args.take();
            let found = tree::differences(interp, structure(interp, &first)?, structure(interp, &second)?)?;
            let texts = |each: tree::Difference| [each.path, each.first, each.second, each.why].map(Value::from);
            Ok(Value::list(found.into_iter().map(|each| Value::tuple(texts(each)))))
        },
    },
    NativeDef {
        name: "all_leaves",
        signature: "(iterable, is_leaf=None)",
        doc: "Whether every item is a leaf.",
        run: |interp, args| {
            let [items, is_leaf] = args.take();
            for item in interp.collect(&items)? {
                let (_, def) = tree::flatten(interp, &item, given(&is_leaf))?;
                if !matches!(def, TreeDef::Leaf) {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        },
    },
    NativeDef {
        name: "flatten_one_level",
        signature: "(tree)",
        doc: "The children of a node and what it knows besides.",
        run: |interp, args| match tree::one_level(interp, args.get(0))? {
            Some((node, children)) => {
                let data = match (&node, node.metadata()) {
                    (TreeDef::Dict(..), Value::Tuple(keys)) => Value::list(keys.iter().cloned()),
                    (_, data) => data,
                };
                Ok(Value::tuple([Value::list(children), data]))
            }
            None => {
                let class = interp.repr(&Value::Class(interp.type_of(args.get(0))))?;
                Err(interp.value_error(format!("can't tree-flatten type: {class}")))
            }
        },
    },
];
