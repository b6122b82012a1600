//! `jax.custom_batching`: functions whose `vmap` is defined by the program.

use super::super::custom::{self, CustomRule, MappingRule};
use super::object::{Transformation, transformed, wrapped_attribute};
use super::split::{Leaf, Split, known};
use crate::context::Context;
use crate::tile::Tile;
use crate::transform::batch::Lane;
use crate::transform::walk::in_python;
use crate::tree;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Rows of `jax.custom_batching`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "custom_vmap",
        signature: "(fun)",
        doc: "A function whose `vmap` is defined by the program.",
        run: |_interp, args| {
            let [function] = args.take();
            Ok(Value::object(CustomVmap { function, rule: RefCell::new(None) }))
        },
    },
    NativeDef {
        name: "sequential_vmap",
        signature: "(f)",
        doc: "A function that `vmap` calls for one lane after the other.",
        run: |interp, args| {
            let [function] = args.take();
            transformed(interp, function, Sequential)
        },
    },
];

/// The lanes of the launches inside become programs that run one after the other in any case.
struct Sequential;

impl Transformation for Sequential {
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value> {
        cx.interp.call(function, args)
    }
}

/// A function with a `vmap` of its own.
struct CustomVmap {
    function: Value,
    rule: RefCell<Option<Value>>,
}

static CLASS: NativeClass = NativeClass {
    name: "custom_vmap",
    module: "jax._src.custom_batching",
    doc: "A function whose `vmap` is defined by the program.",
    methods: &[NativeDef {
        name: "def_vmap",
        signature: "(self, vmap_rule)",
        doc: "Defines the mapping: `rule(axis_size, in_batched, *args) -> (results, out_batched)`.",
        run: |_interp, args| {
            let [this, rule] = args.take();
            if let Some(object) = this.downcast::<CustomVmap>() {
                *object.rule.borrow_mut() = Some(rule.clone());
            }
            Ok(rule)
        },
    }],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for CustomVmap {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        match name {
            "fun" => Ok(Some(self.function.clone())),
            _ => wrapped_attribute(interp, &self.function, name),
        }
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.run(&Context::jax(interp), args))
    }
}

impl CustomVmap {
    fn run(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Value> {
        let name = cx.interp.callable_name(&self.function);
        let Some(rule) = self.rule.borrow().clone() else {
            return Err(cx.interp.error(
                &cx.interp.types().attribute_error,
                format!("No batching rule defined for custom_vmap function {name} using def_vmap."),
            ));
        };
        let call = match Split::new(cx, &self.function, &[], args)? {
            Err(value) => return Ok(value),
            Ok(call) => call,
        };
        let mapping = Mapping { rule, call: call.clone() };
        call.run(cx, &name, CustomRule::Mapping(Rc::new(mapping)), &self.function)
    }
}

/// The rule of one call.
struct Mapping {
    rule: Value,
    call: Split,
}

impl MappingRule for Mapping {
    fn map(&self, cx: &Context<'_>, operands: &[Lane], size: usize) -> PyResult<Vec<Lane>> {
        let tiles: Vec<Tile> = operands.iter().map(|lane| lane.tile.clone()).collect();
        let mut arguments = vec![Value::from(size as i64), Value::list(self.flags(cx, operands)?)];
        arguments.extend(self.call.diff(cx, &tiles)?);
        let pair = custom::python(cx, &self.rule, arguments)?;
        let items = cx.interp.collect(&pair)?;
        let [results, batched] = items.as_slice() else {
            return Err(cx.interp.value_error("a custom vmap rule must return results and their batching".to_string()));
        };
        in_python(cx, || {
            let results = known(cx, results)?;
            let (flags, tree) = tree::flatten(cx.interp, batched, None)?;
            if !tree.same(&results.tree, cx.interp)? {
                return Err(cx.interp.value_error(format!(
                    "structure of output value and output batching specification returned by custom vmap rule ({}) do \
                     not match.\nOutput values: PyTreeDef({})\nBatching spec: PyTreeDef({})",
                    cx.interp.callable_name(&self.rule),
                    results.tree.text(cx.interp)?,
                    tree.text(cx.interp)?
                )));
            }
            let flags = flags.iter().map(|flag| cx.interp.truth(flag)).collect::<PyResult<Vec<_>>>()?;
            Ok(results.tiles.into_iter().zip(flags).map(|(tile, batched)| Lane { tile, batched }).collect())
        })
    }
}

impl Mapping {
    /// Which leaves of each argument have lanes.
    fn flags(&self, cx: &Context<'_>, operands: &[Lane]) -> PyResult<Vec<Value>> {
        let mut leaves = self.call.leaves.iter().map(|leaf| match leaf {
            Leaf::Array(index) => Value::from(operands[*index].batched),
            Leaf::Number(_) => Value::from(false),
        });
        self.call.trees.iter().map(|tree| tree::unflatten(cx.interp, tree, &mut leaves)).collect()
    }
}
