//! `jax.closure_convert`: a function whose captured values become arguments.

use super::object::{Leaves, arrays, types};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::transform::eval::Plain;
use crate::transform::stage::{Outcome, Staged, assemble, stage};
use crate::transform::walk::{Env, Walker};
use crate::tree::{self, TreeDef};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `jax` and `jax.custom_derivatives`.
pub(super) static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "closure_convert",
    signature: "(fun, *example_args)",
    doc: "`fun` with the traced values that it captures as further arguments, and a list of these values.",
    run: closure_convert,
}];

/// The function that takes captured values as arguments.
struct Converted {
    staged: Staged,
    tree: TreeDef,
    count: usize,
}

static CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A function without captured values.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn closure_convert(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, examples] = args.take();
    let cx = Context::jax(interp);
    let flat = match arrays(&cx, &examples)? {
        Leaves::Unknown(value) => return Ok(value),
        Leaves::Arrays(flat) => flat,
    };
    let outcome = stage(&cx, "closure_convert", true, &types(&flat.tiles), |params| {
        let mut leaves = params.into_iter().map(|tile| Value::object(ArrayObject { tile }));
        let arguments = tree::unflatten(interp, &flat.tree, &mut leaves)?;
        interp.call(&function, CallArgs::positional(interp.collect(&arguments)?))
    })?;
    let staged = match outcome {
        Outcome::Unknown(value) => return Ok(value),
        Outcome::Staged(staged) => staged,
    };
    let captured: Vec<Value> =
        staged.lifted.iter().map(|tile| Value::object(ArrayObject { tile: tile.clone() })).collect();
    let converted = Converted { staged, tree: flat.tree, count: captured.len() };
    Ok(Value::tuple([Value::object(converted), Value::list(captured)]))
}

impl Object for Converted {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.run(&Context::jax(interp), args.positional.into_vec()))
    }
}

impl Converted {
    fn run(&self, cx: &Context<'_>, mut given: Vec<Value>) -> PyResult<Value> {
        let captured = given.split_off(given.len().saturating_sub(self.count));
        let mut tiles = Vec::new();
        let mut trees = Vec::with_capacity(2);
        for values in [Value::tuple(given), Value::tuple(captured)] {
            match arrays(cx, &values)? {
                Leaves::Unknown(value) => return Ok(value),
                Leaves::Arrays(flat) => {
                    tiles.extend(flat.tiles);
                    trees.push(flat.tree);
                }
            }
        }
        if !trees[0].same(&self.tree, cx.interp)? {
            return Err(cx.interp.type_error(format!(
                "The inputs to the closure produced by closure_convert must have the same Pytree structure as the example \
                 arguments passed when closure_convert was called. Expected PyTreeDef({}), but got PyTreeDef({})",
                self.tree.text(cx.interp)?,
                trees[0].text(cx.interp)?
            )));
        }
        let function = &self.staged.function;
        let mut env = Env::new(function);
        env.set_all(function.params(), tiles);
        let results = Plain.region(cx, function, function.body, &mut env)?;
        assemble(cx, &self.staged.tree, results)
    }
}
