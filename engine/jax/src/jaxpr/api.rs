//! `jax.make_jaxpr`, and what it gives: closed jaxprs with their equations and variables, as far as programs look at them.

use super::parameters::primitive;
use super::print::Jaxpr;
use crate::api::struct_type;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::pallas::spec;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree;
use pallas_ir::{Function, OpId, TensorType, Type, ValueId};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `jax`.
pub static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "make_jaxpr",
    signature: "(fun, static_argnums=(), axis_env=None, return_shape=False)",
    doc: "A function that shows what `fun` does to arrays, as a jaxpr.",
    run: make_jaxpr,
}];

/// `jax.make_jaxpr(f)`
struct Maker {
    function: Value,
    statics: Vec<i64>,
    with_shape: bool,
}

/// What of a traced function is shown.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// With its constants.
    Closed,
    /// Without.
    Open,
    /// One equation.
    Equation(OpId),
    /// The primitive of an equation.
    Primitive(OpId),
    /// A variable.
    Variable(ValueId),
}

/// A traced function, or part of one.
struct Shown {
    function: Rc<Function>,
    part: Part,
}

const fn class(name: &'static str, doc: &'static str) -> NativeClass {
    NativeClass {
        name,
        module: "jax._src.core",
        doc,
        methods: &[],
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

static CLOSED: NativeClass =
    class("ClosedJaxpr", "What a function does to arrays, with the arrays that it closes over.");
static OPEN: NativeClass = class("Jaxpr", "What a function does to arrays.");
static EQUATION: NativeClass = class("JaxprEqn", "One operation of a jaxpr.");
static PRIMITIVE: NativeClass = class("Primitive", "An operation of JAX.");
static VARIABLE: NativeClass = class("Var", "A variable of a jaxpr.");

static MAKER: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "Shows what a function does to arrays.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn make_jaxpr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, statics, _axes, with_shape] = args.take();
    if function.is_unknown() {
        return Ok(function);
    }
    if !interp.is_callable(&function) {
        let shown = interp.repr(&function)?;
        return Err(interp.type_error(format!("Expected a callable value, got {shown}")));
    }
    let statics = match &statics {
        Value::Int(_) => vec![interp.to_i64(&statics)?],
        several => interp.collect(several)?.iter().map(|n| interp.to_i64(n)).collect::<PyResult<_>>()?,
    };
    let with_shape = interp.truth(&with_shape)?;
    Ok(Value::object(Maker { function, statics, with_shape }))
}

impl Object for Maker {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&MAKER)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.make(&Context::jax(interp), args))
    }
}

impl Maker {
    fn make(&self, cx: &Context<'_>, mut args: CallArgs) -> PyResult<Value> {
        let interp = cx.interp;
        let count = args.positional.len() as i64;
        let is_static = |index: usize| self.statics.iter().any(|&n| n == index as i64 || n + count == index as i64);
        let dynamic: Vec<usize> = (0..args.positional.len()).filter(|&index| !is_static(index)).collect();
        let mut values: Vec<Value> = dynamic.iter().map(|&index| args.positional[index].clone()).collect();
        values.extend(args.keywords.iter().map(|(_, value)| value.clone()));
        let (leaves, def) = tree::flatten(interp, &Value::tuple(values), None)?;
        let origin = format!("{} for jit", crate::pallas::launch::origin_of(cx, &self.function));
        let trace = Trace::new(cx, TraceKind::Jit, "make_jaxpr", origin, None);
        let mut tracers = Vec::with_capacity(leaves.len());
        for leaf in &leaves {
            if leaf.is_unknown() {
                return Ok(leaf.clone());
            }
            let ty = match convert::try_tile(cx, leaf)? {
                Some(tile) => tile.ty(),
                None => match spec::declared(cx, leaf)? {
                    Some((shape, dtype)) => TensorType::new(dtype, shape),
                    None => return Err(convert::not_an_array(cx, leaf, "make_jaxpr")),
                },
            };
            tracers.extend(
                trace.tile(trace.param(Type::Tensor(ty), None)).map(|tile| Value::object(ArrayObject { tile })),
            );
        }
        let mut traced = interp.collect(&tree::unflatten(interp, &def, &mut tracers.into_iter())?)?.into_iter();
        for index in dynamic {
            if let Some(value) = traced.next() {
                args.positional[index] = value;
            }
        }
        for ((_, slot), value) in args.keywords.iter_mut().zip(traced) {
            *slot = value;
        }
        let (yields, shapes) = trace.within(cx, || {
            let result = interp.call(&self.function, args)?;
            let (leaves, def) = tree::flatten(interp, &result, None)?;
            let mut yields = Vec::with_capacity(leaves.len());
            let mut shapes = Vec::with_capacity(leaves.len());
            for leaf in &leaves {
                let tile = convert::tile(cx, leaf, "make_jaxpr")?;
                shapes.push(struct_type::declared(&tile.ty()));
                yields.push(cx.value_in(&trace, &tile)?);
            }
            Ok((yields, tree::unflatten(interp, &def, &mut shapes.into_iter())?))
        })?;
        let function = Rc::new(trace.finish(yields));
        let jaxpr = Value::object(Shown { function, part: Part::Closed });
        Ok(if self.with_shape { Value::tuple([jaxpr, shapes]) } else { jaxpr })
    }
}

impl Shown {
    fn part(&self, part: Part) -> Value {
        Value::object(Shown { function: self.function.clone(), part })
    }

    fn variables(&self, values: &[ValueId]) -> Value {
        Value::list(values.iter().map(|&value| self.part(Part::Variable(value))))
    }

    fn types(&self, values: &[ValueId]) -> Value {
        let types = values.iter().filter_map(|&value| self.function.ty(value).tensor());
        Value::list(types.map(struct_type::value))
    }

    fn jaxpr_attribute(&self, name: &str) -> Option<Value> {
        let body = self.function.region(self.function.body);
        let jaxpr = Jaxpr::new(&self.function);
        let constants: Vec<ValueId> = jaxpr.constants.iter().map(|(value, _)| *value).collect();
        Some(match (name, self.part) {
            ("eqns", _) => Value::list(jaxpr.equations().into_iter().map(|op| self.part(Part::Equation(op)))),
            ("jaxpr", Part::Closed) => self.part(Part::Open),
            ("consts" | "literals", Part::Closed) => Value::list(
                jaxpr
                    .constants
                    .iter()
                    .map(|(_, array)| Value::object(ArrayObject { tile: Tile::concrete(array.clone()) })),
            ),
            ("in_avals", Part::Closed) => self.types(&body.params),
            ("out_avals", Part::Closed) => self.types(&body.yields),
            ("invars", Part::Open) => self.variables(&body.params),
            ("outvars", Part::Open) => self.variables(&body.yields),
            ("constvars", Part::Open) => self.variables(&constants),
            _ => return None,
        })
    }

    fn equation_attribute(&self, id: OpId, name: &str) -> Option<Value> {
        let op = self.function.op(id);
        Some(match name {
            "primitive" => self.part(Part::Primitive(id)),
            "invars" => self.variables(&op.operands),
            "outvars" => self.variables(&op.results),
            _ => return None,
        })
    }

    fn text(&self) -> String {
        match self.part {
            Part::Closed | Part::Open => Jaxpr::new(&self.function).text(),
            Part::Equation(id) => Jaxpr::new(&self.function).equation_text(self.function.op(id)),
            Part::Primitive(id) => primitive(self.function.op(id)).to_string(),
            Part::Variable(value) => format!("Var(id={}):{}", value.0, self.function.ty(value)),
        }
    }
}

impl Object for Shown {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(match self.part {
            Part::Closed => &CLOSED,
            Part::Open => &OPEN,
            Part::Equation(_) => &EQUATION,
            Part::Primitive(_) => &PRIMITIVE,
            Part::Variable(_) => &VARIABLE,
        })
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        match self.part {
            Part::Closed => vec!["jaxpr", "consts", "in_avals", "out_avals", "eqns"],
            Part::Open => vec!["eqns", "invars", "outvars", "constvars"],
            Part::Equation(_) => vec!["primitive", "invars", "outvars"],
            Part::Primitive(_) => vec!["name"],
            Part::Variable(_) => vec!["aval"],
        }
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match self.part {
            Part::Closed | Part::Open => self.jaxpr_attribute(name),
            Part::Equation(id) => self.equation_attribute(id, name),
            Part::Primitive(id) => (name == "name").then(|| Value::from(primitive(self.function.op(id)))),
            Part::Variable(value) if name == "aval" => self.function.ty(value).tensor().map(struct_type::value),
            Part::Variable(_) => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.text()))
    }
}
