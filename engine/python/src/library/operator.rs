//! `operator`: the operators as functions, and the callables that fetch items, attributes or call methods.

use super::support::{callable::callable_in, row, text, variadic};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use std::rc::Rc;

macro_rules! binary {
    ($name:literal, $op:ident) => {
        row($name, "(a, b, /)", concat!("The operator ", stringify!($op), " as a function."), |interp, args| {
            interp.binary(BinaryOp::$op, args.get(0), args.get(1))
        })
    };
}
macro_rules! in_place {
    ($name:literal, $op:ident) => {
        row($name, "(a, b, /)", concat!("The augmented ", stringify!($op), " as a function."), |interp, args| {
            interp.binary_in_place(BinaryOp::$op, args.get(0), args.get(1))
        })
    };
}
macro_rules! compare {
    ($name:literal, $op:ident) => {
        row($name, "(a, b, /)", concat!("The comparison ", stringify!($op), " as a function."), |interp, args| {
            interp.compare(CompareOp::$op, args.get(0), args.get(1))
        })
    };
}
macro_rules! unary {
    ($name:literal, $op:ident) => {
        row($name, "(a, /)", concat!("The operator ", stringify!($op), " as a function."), |interp, args| {
            interp.unary(UnaryOp::$op, args.get(0))
        })
    };
}

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "operator",
    doc: "The operators as functions.",
    functions: &[
        binary!("add", Add),
        binary!("sub", Sub),
        binary!("mul", Mult),
        binary!("matmul", MatMult),
        binary!("truediv", Div),
        binary!("floordiv", FloorDiv),
        binary!("mod", Mod),
        binary!("pow", Pow),
        binary!("lshift", LShift),
        binary!("rshift", RShift),
        binary!("and_", BitAnd),
        binary!("or_", BitOr),
        binary!("xor", BitXor),
        in_place!("iadd", Add),
        in_place!("isub", Sub),
        in_place!("imul", Mult),
        in_place!("imatmul", MatMult),
        in_place!("itruediv", Div),
        in_place!("ifloordiv", FloorDiv),
        in_place!("imod", Mod),
        in_place!("ipow", Pow),
        in_place!("ilshift", LShift),
        in_place!("irshift", RShift),
        in_place!("iand", BitAnd),
        in_place!("ior", BitOr),
        in_place!("ixor", BitXor),
        compare!("eq", Eq),
        compare!("ne", NotEq),
        compare!("lt", Lt),
        compare!("le", LtE),
        compare!("gt", Gt),
        compare!("ge", GtE),
        compare!("is_", Is),
        compare!("is_not", IsNot),
        row("contains", "(a, b, /)", "b in a.", |interp, args| interp.compare(CompareOp::In, args.get(1), args.get(0))),
        unary!("neg", Neg),
        unary!("pos", Pos),
        unary!("inv", Invert),
        unary!("invert", Invert),
        unary!("not_", Not),
        row("truth", "(a, /)", "Whether a is true.", |interp, args| interp.truth(args.get(0)).map(Value::Bool)),
        row("abs", "(a, /)", "The absolute value.", |interp, args| {
            interp.call_values(&super::support::builtin(interp, "abs")?, [args.get(0).clone()])
        }),
        row("index", "(a, /)", "a as an integer, by __index__.", |interp, args| match args.get(0) {
            unknown @ Value::Unknown(_) => Ok(unknown.clone()),
            value => interp.to_int(value).map(Value::Int),
        }),
        row("concat", "(a, b, /)", "a + b for sequences.", |interp, args| sequence(interp, args, BinaryOp::Add)),
        row("iconcat", "(a, b, /)", "a += b for sequences.", |interp, args| {
            interp.binary_in_place(BinaryOp::Add, args.get(0), args.get(1))
        }),
        row("getitem", "(a, b, /)", "a[b].", |interp, args| interp.get_item(args.get(0), args.get(1))),
        row("setitem", "(a, b, c, /)", "a[b] = c.", |interp, args| {
            interp.set_item(args.get(0), args.get(1), args.get(2).clone())?;
            Ok(Value::None)
        }),
        row("delitem", "(a, b, /)", "del a[b].", |interp, args| {
            interp.delete_item(args.get(0), args.get(1))?;
            Ok(Value::None)
        }),
        row("countOf", "(a, b, /)", "How often b is in a.", count_of),
        row("indexOf", "(a, b, /)", "Where b is first in a.", index_of),
        row("length_hint", "(obj, default=0, /)", "An estimate of the number of items.", length_hint),
        row("call", "(obj, /, *args, **kwargs)", "obj(*args, **kwargs).", |interp, args| {
            let [function, positional, keywords] = args.take();
            let mut call = CallArgs::positional(variadic(&positional).iter().cloned());
            call.keywords.extend(super::support::keywords(&keywords));
            interp.call(&function, call)
        }),
    ],
    populate: |interp, names| {
        for table in [&ITEM_GETTER, &ATTRIBUTE_GETTER, &METHOD_CALLER] {
            super::support::add_class(names, &interp.native_class(table));
        }
        // `operator.__add__` and its siblings are the same functions.
        for (dunder, name) in DUNDERS {
            if let Some(function) = names.get(*name).cloned() {
                names.insert((*dunder).into(), function);
            }
        }
    },
};

const DUNDERS: &[(&str, &str)] = &[
    ("__add__", "add"),
    ("__sub__", "sub"),
    ("__mul__", "mul"),
    ("__matmul__", "matmul"),
    ("__truediv__", "truediv"),
    ("__floordiv__", "floordiv"),
    ("__mod__", "mod"),
    ("__pow__", "pow"),
    ("__lshift__", "lshift"),
    ("__rshift__", "rshift"),
    ("__and__", "and_"),
    ("__or__", "or_"),
    ("__xor__", "xor"),
    ("__eq__", "eq"),
    ("__ne__", "ne"),
    ("__lt__", "lt"),
    ("__le__", "le"),
    ("__gt__", "gt"),
    ("__ge__", "ge"),
    ("__neg__", "neg"),
    ("__pos__", "pos"),
    ("__invert__", "invert"),
    ("__not__", "not_"),
    ("__abs__", "abs"),
    ("__index__", "index"),
    ("__getitem__", "getitem"),
    ("__setitem__", "setitem"),
    ("__delitem__", "delitem"),
    ("__contains__", "contains"),
    ("__concat__", "concat"),
    ("__call__", "call"),
];

fn sequence(interp: &Interp, args: Arguments, op: BinaryOp) -> PyResult<Value> {
    let [a, b] = args.take();
    if !a.is_unknown() && interp.find_attr(&a, "__getitem__")?.is_none() {
        return Err(interp.type_error(format!("'{}' object can't be concatenated", interp.type_name(&a))));
    }
    interp.binary(op, &a, &b)
}

fn count_of(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [items, value] = args.take();
    let iterator = interp.iter(&items)?;
    let mut count = 0usize;
    while let Some(item) = interp.next(&iterator)? {
        count += usize::from(interp.equals(&item, &value)?);
    }
    Ok(count.into())
}

fn index_of(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [items, value] = args.take();
    let iterator = interp.iter(&items)?;
    let mut at = 0usize;
    while let Some(item) = interp.next(&iterator)? {
        if interp.equals(&item, &value)? {
            return Ok(at.into());
        }
        at += 1;
    }
    Err(interp.value_error("sequence.index(x): x not in sequence"))
}

fn length_hint(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [object, default] = args.take();
    if interp.find_attr(&object, "__len__")?.is_some() {
        return interp.len(&object).map(Value::from);
    }
    match interp.find_attr(&object, "__length_hint__")? {
        Some(hint) => interp.call_values(&hint, []),
        None => Ok(default),
    }
}

static ITEM_GETTER: NativeClass = NativeClass {
    name: "itemgetter",
    module: "operator",
    doc: "itemgetter(item, /, *items): a function that fetches items of its argument.",
    methods: &[],
    properties: &[],
    construct: Some(item_getter),
    instance_check: None,
};

static ATTRIBUTE_GETTER: NativeClass = NativeClass {
    name: "attrgetter",
    module: "operator",
    doc: "attrgetter(attr, /, *attrs): a function that fetches attributes, dotted ones too.",
    methods: &[],
    properties: &[],
    construct: Some(attribute_getter),
    instance_check: None,
};

static METHOD_CALLER: NativeClass = NativeClass {
    name: "methodcaller",
    module: "operator",
    doc: "methodcaller(name, /, *args, **kwargs): a function that calls a method of its argument.",
    methods: &[],
    properties: &[],
    construct: Some(method_caller),
    instance_check: None,
};

/// The one argument of a getter.
fn target(interp: &Interp, name: &str, args: CallArgs) -> PyResult<Value> {
    let count = args.positional.len();
    if !args.keywords.is_empty() {
        return Err(interp.type_error(format!("{name}() takes no keyword arguments")));
    }
    match args.positional.into_iter().next() {
        Some(target) if count == 1 => Ok(target),
        _ => Err(interp.type_error(format!("{name} expected 1 argument, got {count}"))),
    }
}

fn item_getter(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let keys = args.positional;
    if keys.is_empty() {
        return Err(interp.type_error("itemgetter expected 1 argument, got 0"));
    }
    Ok(callable_in(&ITEM_GETTER, "itemgetter", move |interp, args| {
        let target = target(interp, "itemgetter", args)?;
        match keys.as_slice() {
            [key] => interp.get_item(&target, key),
            keys => {
                let items = keys.iter().map(|key| interp.get_item(&target, key)).collect::<PyResult<Vec<_>>>()?;
                Ok(Value::tuple(items))
            }
        }
    }))
}

fn attribute_getter(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if let Some(unknown) = super::support::unknown(&args.positional) {
        return Ok(unknown);
    }
    let mut paths = Vec::new();
    for name in &args.positional {
        match text(name) {
            Some(name) => paths.push(name),
            None => return Err(interp.type_error("attribute name must be a string")),
        }
    }
    if paths.is_empty() {
        return Err(interp.type_error("attrgetter expected 1 argument, got 0"));
    }
    Ok(callable_in(&ATTRIBUTE_GETTER, "attrgetter", move |interp, args| {
        let target = target(interp, "attrgetter", args)?;
        let fetch = |path: &str| path.split('.').try_fold(target.clone(), |value, name| interp.get_attr(&value, name));
        match paths.as_slice() {
            [path] => fetch(path),
            paths => {
                let values = paths.iter().map(|path| fetch(path)).collect::<PyResult<Vec<_>>>()?;
                Ok(Value::tuple(values))
            }
        }
    }))
}

fn method_caller(interp: &Interp, _: &Rc<Class>, mut args: CallArgs) -> PyResult<Value> {
    if args.positional.is_empty() {
        return Err(interp.type_error("methodcaller needs at least one argument, the method name"));
    }
    let Some(name) = text(&args.positional.remove(0)) else {
        return Err(interp.type_error("method name must be a string"));
    };
    Ok(callable_in(&METHOD_CALLER, "methodcaller", move |interp, call| {
        let target = target(interp, "methodcaller", call)?;
        interp.call(&interp.get_attr(&target, &name)?, args.clone())
    }))
}
