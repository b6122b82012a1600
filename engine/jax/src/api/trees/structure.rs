//! `PyTreeDef`: the structure of a pytree as a value.

use crate::tree::{self, TreeDef};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// A structure as a value.
pub(crate) struct Structure(pub(crate) TreeDef);

static CLASS: NativeClass = NativeClass {
    name: "PyTreeDef",
    module: "jaxlib._jax.pytree",
    doc: "The structure of a pytree.",
    methods: &[
        NativeDef {
            name: "unflatten",
            signature: "(self, leaves)",
            doc: "The pytree with these leaves.",
            run: |interp, args| {
                let [this, leaves] = args.take();
                super::unflatten(interp, &this, &leaves)
            },
        },
        NativeDef {
            name: "flatten_up_to",
            signature: "(self, xs)",
            doc: "The parts of a tree that stand where this structure has leaves.",
            run: |interp, args| {
                let [this, tree] = args.take();
                let def = super::structure(interp, &this)?;
                Ok(Value::list(tree::up_to(interp, def, &tree, "flatten_up_to tree")?))
            },
        },
        NativeDef {
            name: "compose",
            signature: "(self, inner)",
            doc: "This structure with another in place of every leaf.",
            run: |interp, args| {
                let [this, inner] = args.take();
                let def = super::structure(interp, &this)?.compose(super::structure(interp, &inner)?);
                Ok(Value::object(Structure(def)))
            },
        },
        NativeDef {
            name: "children",
            signature: "(self)",
            doc: "The structures right below.",
            run: |interp, args| children(interp, args.get(0)),
        },
        NativeDef {
            name: "node_data",
            signature: "(self)",
            doc: "The class of the node and what it knows besides its children; None for a leaf.",
            run: |interp, args| {
                let def = super::structure(interp, args.get(0))?;
                Ok(match (def, def.metadata()) {
                    (TreeDef::Leaf, _) => Value::None,
                    (TreeDef::Dict(..), Value::Tuple(keys)) => {
                        Value::tuple([def.class(interp), Value::list(keys.iter().cloned())])
                    }
                    (def, data) => Value::tuple([def.class(interp), data]),
                })
            },
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// Rows of `jax.tree_util`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "treedef_children",
        signature: "(treedef)",
        doc: "The structures right below.",
        run: |interp, args| children(interp, args.get(0)),
    },
    NativeDef {
        name: "treedef_is_leaf",
        signature: "(treedef)",
        doc: "Whether a structure is a single leaf.",
        run: |interp, args| Ok(Value::Bool(super::structure(interp, args.get(0))?.nodes() == 1)),
    },
    NativeDef {
        name: "treedef_tuple",
        signature: "(treedefs)",
        doc: "The structure of a tuple of trees with these structures.",
        run: |interp, args| {
            let defs = interp.collect(args.get(0))?;
            let defs = defs.iter().map(|def| super::structure(interp, def).cloned()).collect::<PyResult<Vec<_>>>()?;
            Ok(Value::object(Structure(TreeDef::Tuple(defs))))
        },
    },
];

/// `PyTreeDef`
pub(super) fn class(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&CLASS))
}

fn children(interp: &Interp, value: &Value) -> PyResult<Value> {
    let def = super::structure(interp, value)?;
    Ok(Value::list(def.children().iter().map(|def| Value::object(Structure(def.clone())))))
}

impl Object for Structure {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "num_leaves" => Some(Value::from(self.0.leaves())),
            "num_nodes" => Some(Value::from(self.0.nodes())),
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

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.0.leaves() as u64 * 31 + self.0.nodes() as u64))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("PyTreeDef({})", self.0.text(interp)?)))
    }
}
