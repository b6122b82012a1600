//! `jax.custom_jvp`.

use super::super::custom::{self, CustomRule, ForwardRule};
use super::object::wrapped_attribute;
use super::split::{Leaf, Split, known, nondiff_positions};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::tile::Tile;
use crate::transform::derive::{add_any, zeros_like};
use crate::transform::stage::assemble;
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

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "custom_jvp",
    signature: "(fun, nondiff_argnums=(), nondiff_argnames=())",
    doc: "A function whose tangents are defined by the program.",
    run: |interp, args| {
        let [function, nondiff, names] = args.take();
        let nondiff = nondiff_positions(interp, &function, &nondiff, &names)?;
        Ok(Value::object(CustomJvp { function, nondiff, rule: RefCell::new(None) }))
    },
}];

/// A function with a `jvp` of its own.
pub(super) struct CustomJvp {
    function: Value,
    nondiff: Vec<usize>,
    rule: RefCell<Option<Rule>>,
}

#[derive(Clone)]
enum Rule {
    /// `defjvp`
    Whole(Value),
    /// `defjvps`: one per argument.
    PerArgument(Vec<Value>),
}

static CLASS: NativeClass = NativeClass {
    name: "custom_jvp",
    module: "jax._src.custom_derivatives",
    doc: "A function whose tangents are defined by the program.",
    methods: &[
        NativeDef {
            name: "defjvp",
            signature: "(self, jvp, symbolic_zeros=False)",
            doc: "Defines the tangents: `jvp(primals, tangents) -> (results, tangents)`.",
            run: |_interp, args| {
                let [this, rule, _zeros] = args.take();
                if let Some(object) = this.downcast::<CustomJvp>() {
                    *object.rule.borrow_mut() = Some(Rule::Whole(rule.clone()));
                }
                Ok(rule)
            },
        },
        NativeDef {
            name: "defjvps",
            signature: "(self, *jvps)",
            doc: "Defines the tangents argument by argument: `jvp(tangent, result, *primals) -> tangent`.",
            run: |interp, args| {
                let [this, rules] = args.take();
                let rules = interp.collect(&rules)?;
                if let Some(object) = this.downcast::<CustomJvp>() {
                    *object.rule.borrow_mut() = Some(Rule::PerArgument(rules));
                }
                Ok(Value::None)
            },
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for CustomJvp {
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

impl CustomJvp {
    fn run(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Value> {
        let name = cx.interp.callable_name(&self.function);
        let Some(rule) = self.rule.borrow().clone() else {
            return Err(cx.interp.error(
                &cx.interp.types().attribute_error,
                format!("No JVP defined for custom_jvp function {name} using defjvp."),
            ));
        };
        let call = match Split::new(cx, &self.function, &self.nondiff, args)? {
            Err(value) => return Ok(value),
            Ok(call) => call,
        };
        let forward = Forward { name: name.clone(), function: self.function.clone(), rule, call: call.clone() };
        call.run(cx, &name, CustomRule::Forward(Rc::new(forward)), &self.function)
    }
}

/// The rule of one call.
struct Forward {
    name: String,
    function: Value,
    rule: Rule,
    call: Split,
}

impl ForwardRule for Forward {
    fn jvp(&self, cx: &Context<'_>, primals: &[Tile], tangents: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)> {
        let primal_values = self.call.diff(cx, primals)?;
        let tangent_values = self.tangents(cx, tangents)?;
        match &self.rule {
            Rule::Whole(rule) => {
                let mut arguments: Vec<Value> = self.call.nondiff.iter().map(|(_, value)| value.clone()).collect();
                arguments.push(Value::tuple(primal_values));
                arguments.push(Value::tuple(tangent_values));
                let pair = custom::python(cx, rule, arguments)?;
                let items = match &pair {
                    Value::Tuple(_) | Value::List(_) => cx.interp.collect(&pair)?,
                    _ => Vec::new(),
                };
                let [result, tangent] = items.as_slice() else {
                    return Err(cx.interp.type_error(format!(
                        "Custom JVP rule {} for function {} must produce a pair (list or tuple of length two) \
                         representing primal and tangent outputs, but got {}.",
                        cx.interp.callable_name(rule),
                        self.name,
                        cx.interp.repr(&pair)?
                    )));
                };
                let (result, tangent) = (known(cx, result)?, known(cx, tangent)?);
                if !result.tree.same(&tangent.tree, cx.interp)? {
                    return Err(cx.interp.type_error(format!(
                        "Custom JVP rule {} for function {} must produce primal and tangent outputs with equal container \
                         (pytree) structures, but got {} and {} respectively.",
                        cx.interp.callable_name(rule),
                        self.name,
                        result.tree.text(cx.interp)?,
                        tangent.tree.text(cx.interp)?
                    )));
                }
                Ok((result.tiles, tangent.tiles))
            }
            Rule::PerArgument(rules) => {
                let arguments = self.call.arguments(cx, primals)?;
                let result = known(cx, &custom::python(cx, &self.function, arguments.clone())?)?;
                let mut total: Option<Vec<Tile>> = None;
                for (rule, tangent) in rules.iter().zip(tangent_values) {
                    if rule.is_none() {
                        continue;
                    }
                    let mut call = vec![tangent, assemble(cx, &result.tree, result.tiles.clone())?];
                    call.extend(arguments.iter().cloned());
                    let part = known(cx, &custom::python(cx, rule, call)?)?.tiles;
                    total = Some(match total {
                        None => part,
                        Some(sum) => sum.iter().zip(&part).map(|(a, b)| add_any(cx, a, b)).collect::<PyResult<_>>()?,
                    });
                }
                let tangents = match total {
                    Some(total) => total,
                    None => result.tiles.iter().map(|tile| zeros_like(cx, tile)).collect::<PyResult<_>>()?,
                };
                Ok((result.tiles, tangents))
            }
        }
    }
}

impl Forward {
    /// Tangents in the places of the arguments; zero for Python numbers.
    fn tangents(&self, cx: &Context<'_>, tangents: &[Tile]) -> PyResult<Vec<Value>> {
        let mut leaves = self.call.leaves.iter().map(|leaf| match leaf {
            Leaf::Array(index) => Value::object(ArrayObject { tile: tangents[*index].clone() }),
            Leaf::Number(_) => Value::from(0.0),
        });
        self.call.trees.iter().map(|tree| tree::unflatten(cx.interp, tree, &mut leaves)).collect()
    }
}
