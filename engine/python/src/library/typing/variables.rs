//! `TypeVar`, `ParamSpec`, `TypeVarTuple`, `NewType`, `ForwardRef`.

use super::alias::Alias;
use super::special::or_union;
use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::support::{add_class, arguments, form};
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::rc::Rc;

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Type,
    Parameters,
    Tuple,
}

struct Variable {
    kind: Kind,
    name: Rc<str>,
    bound: Value,
    constraints: Value,
    /// `~`, `+` or `-`, as `repr` shows it.
    variance: char,
}

const fn table(name: &'static str, doc: &'static str, construct: crate::class::ConstructFn) -> NativeClass {
    NativeClass {
        name,
        module: "typing",
        doc,
        methods: &[],
        properties: &[],
        construct: Some(construct),
        instance_check: None,
    }
}

static TYPE_VAR: NativeClass = table(
    "TypeVar",
    "TypeVar(name, *constraints, bound=None): a type variable.",
    |i, _, a| {
        let form = const {
            &form(
                "TypeVar",
                "(name, *constraints, bound=None, covariant=False, contravariant=False, infer_variance=False, default=None)",
            )
        };
        let [name, constraints, bound, covariant, contravariant, _, _] = arguments(i, form, a)?.take();
        let (covariant, contravariant) = (i.truth(&covariant)?, i.truth(&contravariant)?);
        if covariant && contravariant {
            return Err(i.value_error("Bivariant types are not supported."));
        }
        if matches!(&constraints, Value::Tuple(constraints) if constraints.len() == 1) {
            return Err(i.type_error("A single constraint is not allowed"));
        }
        let variance = if covariant {
            '+'
        } else if contravariant {
            '-'
        } else {
            '~'
        };
        Ok(Value::object(Variable { kind: Kind::Type, name: i.to_str(&name)?, bound, constraints, variance }))
    },
);

static PARAM_SPEC: NativeClass = table("ParamSpec", "ParamSpec(name): a variable for parameters.", |i, _, a| {
    let form =
        const { &form("ParamSpec", "(name, *, bound=None, covariant=False, contravariant=False, default=None)") };
    let [name, bound, ..] = arguments(i, form, a)?.take::<5>();
    let constraints = Value::tuple([]);
    Ok(Value::object(Variable { kind: Kind::Parameters, name: i.to_str(&name)?, bound, constraints, variance: '~' }))
});

static TYPE_VAR_TUPLE: NativeClass =
    table("TypeVarTuple", "TypeVarTuple(name): a variable for several types.", |i, _, a| {
        let [name, _] = arguments(i, const { &form("TypeVarTuple", "(name, *, default=None)") }, a)?.take();
        let (bound, constraints) = (Value::None, Value::tuple([]));
        Ok(Value::object(Variable { kind: Kind::Tuple, name: i.to_str(&name)?, bound, constraints, variance: ' ' }))
    });

static FORWARD_REF: NativeClass = table("ForwardRef", "ForwardRef(arg): a type known by its text only.", |i, _, a| {
    let [text, ..] =
        arguments(i, const { &form("ForwardRef", "(arg, is_argument=True, module=None, *, is_class=False)") }, a)?
            .take::<4>();
    Ok(forward_reference(i.to_str(&text)?))
});

pub(super) fn populate(interp: &Interp, names: &mut Namespace) {
    for table in [&TYPE_VAR, &PARAM_SPEC, &TYPE_VAR_TUPLE, &FORWARD_REF] {
        add_class(names, &interp.native_class(table));
    }
    let types = interp.types();
    let any_str = Variable {
        kind: Kind::Type,
        name: "AnyStr".into(),
        bound: Value::None,
        constraints: Value::tuple([Value::Class(types.bytes.clone()), Value::Class(types.str.clone())]),
        variance: '~',
    };
    names.insert("AnyStr".into(), Value::object(any_str));
    for (name, variance) in
        [("T", '~'), ("KT", '~'), ("VT", '~'), ("T_co", '+'), ("V_co", '+'), ("VT_co", '+'), ("T_contra", '-')]
    {
        names.insert(
            name.into(),
            Value::object(Variable {
                kind: Kind::Type,
                name: name.into(),
                bound: Value::None,
                constraints: Value::tuple([]),
                variance,
            }),
        );
    }
}

impl Object for Variable {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(match self.kind {
            Kind::Type => &TYPE_VAR,
            Kind::Parameters => &PARAM_SPEC,
            Kind::Tuple => &TYPE_VAR_TUPLE,
        })
    }

    fn get_attr(&self, this: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "__name__" => Value::Str(self.name.clone()),
            "__bound__" => self.bound.clone(),
            "__constraints__" => self.constraints.clone(),
            "__covariant__" => Value::Bool(self.variance == '+'),
            "__contravariant__" => Value::Bool(self.variance == '-'),
            "__module__" => Value::str("typing"),
            "args" | "kwargs" if self.kind == Kind::Parameters => {
                Value::object(Part { owner: this.clone(), shown: format!("{}.{name}", self.name) })
            }
            _ => return Ok(None),
        }))
    }

    fn iterate(&self, this: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        // `*Ts` inside a subscript gives Unpack[Ts].
        (self.kind == Kind::Tuple).then(|| {
            let unpack = super::forms::form(interp, "Unpack")?;
            let unpacked = interp.get_item(&unpack, this)?;
            Ok(crate::library::support::iterator_of(vec![unpacked]))
        })
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        or_union(interp, this, op, other, reflected)
    }

    fn repr(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match self.kind {
            Kind::Tuple => self.name.to_string(),
            _ => format!("{}{}", self.variance, self.name),
        }))
    }
}

/// `P.args` and `P.kwargs`
struct Part {
    owner: Value,
    shown: String,
}

static PART: NativeClass = NativeClass {
    name: "ParamSpecArgs",
    module: "typing",
    doc: "P.args or P.kwargs.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Part {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&PART)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "__origin__").then(|| self.owner.clone()))
    }

    fn repr(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.shown.clone()))
    }
}

/// The type variables inside types, each once, in order.
pub(super) fn free(args: &[Value]) -> Vec<Value> {
    fn walk(args: &[Value], found: &mut Vec<Value>) {
        for arg in args {
            if arg.downcast::<Variable>().is_some() {
                let address = crate::library::support::address(arg);
                if !found.iter().any(|known| crate::library::support::address(known) == address) {
                    found.push(arg.clone());
                }
            } else if let Some(alias) = arg.downcast::<Alias>() {
                walk(&alias.args, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(args, &mut found);
    found
}

/// Whether a value may stand for all parameters of a `Callable`.
pub(super) fn is_parameters(value: &Value) -> bool {
    value.downcast::<Variable>().is_some_and(|variable| variable.kind == Kind::Parameters)
}

struct ForwardRef {
    text: Rc<str>,
}

pub(super) fn forward_reference(text: Rc<str>) -> Value {
    Value::object(ForwardRef { text })
}

pub(super) fn forward_text(value: &Value) -> Option<Rc<str>> {
    value.downcast::<ForwardRef>().map(|reference| reference.text.clone())
}

impl Object for ForwardRef {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&FORWARD_REF)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "__forward_arg__").then(|| Value::Str(self.text.clone())))
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        or_union(interp, this, op, other, reflected)
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, _: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<ForwardRef>() else { return Ok(None) };
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(self.text == other.text)),
            CompareOp::NotEq => Some(Value::Bool(self.text != other.text)),
            _ => None,
        })
    }

    fn hash(&self, _: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(interp.hash(&Value::Str(self.text.clone())))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("ForwardRef({})", interp.repr(&Value::Str(self.text.clone()))?)))
    }
}

struct NewType {
    name: Rc<str>,
    module: String,
    supertype: Value,
}

static NEW_TYPE: NativeClass = NativeClass {
    name: "NewType",
    module: "typing",
    doc: "A name for a type.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

pub(super) fn new_type(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [name, supertype] = args.take();
    let module = crate::library::collections::namedtuple::current_module(interp);
    Ok(Value::object(NewType { name: interp.to_str(&name)?, module, supertype }))
}

impl Object for NewType {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&NEW_TYPE)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "__name__" | "__qualname__" => Value::Str(self.name.clone()),
            "__supertype__" => self.supertype.clone(),
            "__module__" => Value::str(&self.module),
            _ => return Ok(None),
        }))
    }

    fn call(&self, _: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(match args.positional.as_slice() {
            [value] => Ok(value.clone()),
            values => Err(interp.type_error(format!(
                "NewType.__call__() takes 2 positional arguments but {} were given",
                values.len() + 1
            ))),
        })
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        or_union(interp, this, op, other, reflected)
    }

    fn repr(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("{}.{}", self.module, self.name)))
    }
}
