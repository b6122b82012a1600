//! `lax.neg_p` and its kin: the ops under the names of JAX's primitives, bound as they are. Only ops of tiles that take no
//! attributes are offered: the parameters of the others are JAX's own affair.

use crate::context::Context;
use crate::convert;
use crate::tile::Tile;
use pallas_ir::{Attributes, Op, OpKind, ops};
use pallas_python::class::{Class, Namespace, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

/// One of them.
struct Primitive(Op);

static CLASS: NativeClass = NativeClass {
    name: "Primitive",
    module: "jax._src.core",
    doc: "An operation of JAX.",
    methods: &[NativeDef {
        name: "bind",
        signature: "(self, *args, **params)",
        doc: "Applies the operation as it is, without promotion.",
        run: bind,
    }],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// An op under its primitive's name.
pub(crate) fn value(op: Op) -> Value {
    Value::object(Primitive(op))
}

/// Adds them to the module.
pub(super) fn populate(namespace: &mut Namespace) {
    for def in ops::ALL.iter().filter(|def| def.attributes.is_empty() && matches!(def.kind, OpKind::Pure { .. })) {
        namespace.insert(Name::from(format!("{}_p", def.name)), value(Op(def)));
    }
}

fn bind(interp: &Interp, args: Arguments) -> PyResult<Value> {
    // Parameters such as `accuracy` ask for what the CPU does anyway.
    let [this, operands, _params] = args.take();
    let Some(Primitive(op)) = this.downcast::<Primitive>() else {
        return Err(interp.type_error("bind() takes a primitive".to_string()));
    };
    let cx = Context::jax(interp);
    let tiles: Vec<Tile> =
        interp.collect(&operands)?.iter().map(|value| convert::tile(&cx, value, op.0.name)).collect::<PyResult<_>>()?;
    let tiles = if *op == Op(&ops::THREEFRY2X32) { convert::broadcast(&cx, op.0.name, &tiles)? } else { tiles };
    let operands: Vec<&Tile> = tiles.iter().collect();
    let mut results = cx.bind_all(op.0, &operands, Attributes::default())?;
    match results.len() {
        1 => Ok(convert::value(&cx, results.remove(0))),
        _ => Ok(Value::list(results.into_iter().map(|tile| convert::value(&cx, tile)))),
    }
}

impl Object for Primitive {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::from(self.0.0.name)),
            "multiple_results" => Some(Value::Bool(self.0 == Op(&ops::THREEFRY2X32))),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.0.name.to_string()))
    }
}
