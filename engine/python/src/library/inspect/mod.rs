//! `inspect`: kinds of values; signatures of functions in [`signature`], calls bound to them in [`bound`]. Source text is
//! not kept for programs to read.

mod bound;
mod parameter;
mod signature;

use super::support::{add_class, row, text};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use bound::BOUND;
use parameter::{KINDS, Kind, PARAMETER, empty};
use signature::{SIGNATURE, full_arg_spec, signature};

macro_rules! kind {
    ($name:literal, $doc:literal, $test:expr) => {
        row($name, "(object)", $doc, |interp, args| {
            let test: fn(&Interp, &Value) -> bool = $test;
            Ok(Value::Bool(test(interp, args.get(0))))
        })
    };
}

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "inspect",
    doc: "Kinds of values, and signatures.",
    functions: &[
        kind!("isfunction", "Whether it is a Python function.", |_, value| matches!(value, Value::Function(_))),
        kind!("ismethod", "Whether it is a bound Python method.", |_, value| {
            matches!(value, Value::BoundMethod(method) if !matches!(method.function, Value::Native(_)))
        }),
        kind!("isclass", "Whether it is a class.", |_, value| matches!(value, Value::Class(_))),
        kind!("ismodule", "Whether it is a module.", |_, value| matches!(value, Value::Module(_))),
        kind!("isbuiltin", "Whether it is a builtin function.", |_, value| matches!(value, Value::Native(_))),
        kind!("isroutine", "Whether it is a function or method.", |_, value| {
            matches!(value, Value::Function(_) | Value::Native(_) | Value::BoundMethod(_))
        }),
        kind!("isgenerator", "Whether it is a generator.", |interp, value| interp.type_name(value) == "generator"),
        kind!("isgeneratorfunction", "Whether calling it makes a generator.", |_, value| {
            matches!(value, Value::Function(function) if function.code.scope().is_generator)
        }),
        kind!("iscoroutinefunction", "Whether it is asynchronous.", |_, value| {
            matches!(value, Value::Function(function)
                if matches!(&function.code, crate::function::Code::Def(def) if def.is_async))
        }),
        kind!("isawaitable", "False", |_, _| false),
        kind!("iscoroutine", "False", |_, _| false),
        kind!("isabstract", "Whether it is an abstract class.", |interp, value| match value {
            Value::Class(class) => match class.lookup("__abstractmethods__") {
                Some(names) => interp.len(&names).unwrap_or(0) > 0,
                None => false,
            },
            _ => false,
        }),
        row(
            "signature",
            "(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False)",
            "The parameters of a callable.",
            |interp, args| signature(interp, args.get(0)),
        ),
        row("getsource", "(object)", "Not available.", no_source),
        row("getsourcelines", "(object)", "Not available.", no_source),
        row("getsourcefile", "(object)", "The file of a function.", source_file),
        row("getfile", "(object)", "The file of a function.", source_file),
        row("getmodule", "(object, _filename=None)", "The module of a value.", |interp, args| {
            match interp.find_attr(args.get(0), "__module__")? {
                Some(Value::Str(name)) => interp.import(&name).or(Ok(Value::None)),
                _ => Ok(Value::None),
            }
        }),
        row("getdoc", "(object)", "The documentation, dedented.", |interp, args| {
            match interp.find_attr(args.get(0), "__doc__")? {
                Some(doc) if text(&doc).is_some() => Ok(Value::from(clean(&interp.to_str(&doc)?))),
                _ => Ok(Value::None),
            }
        }),
        row("cleandoc", "(doc)", "Documentation, dedented.", |interp, args| {
            Ok(Value::from(clean(&interp.to_str(args.get(0))?)))
        }),
        row("getmembers", "(object, predicate=None)", "Names and values of attributes.", |interp, args| {
            let [object, predicate] = args.take();
            let mut members = Vec::new();
            for name in interp.attribute_names(&object) {
                let Some(value) = interp.find_attr(&object, &name)? else { continue };
                let wanted = predicate.is_none() || interp.truth(&interp.call_values(&predicate, [value.clone()])?)?;
                if wanted {
                    members.push(Value::tuple([Value::from(name), value]));
                }
            }
            Ok(Value::list(members))
        }),
        row("getmro", "(cls)", "The method resolution order.", |interp, args| interp.get_attr(args.get(0), "__mro__")),
        row("unwrap", "(func, *, stop=None)", "What a function wraps.", |interp, args| {
            let mut function = args.get(0).clone();
            for _ in 0..100 {
                match interp.find_attr(&function, "__wrapped__")? {
                    Some(inner) => function = inner,
                    None => break,
                }
            }
            Ok(function)
        }),
        row("getfullargspec", "(func)", "The parameters of a function, by kind.", full_arg_spec),
        row("stack", "(context=1)", "[]", |_, _| Ok(Value::list([]))),
        row("currentframe", "()", "None", |_, _| Ok(Value::None)),
        row("getattr_static", "(obj, attr, default=...)", "An attribute.", |interp, args| {
            let [object, name, default] = args.take();
            match interp.find_attr(&object, &interp.to_str(&name)?)? {
                Some(value) => Ok(value),
                None if default.is_unset() => Err(interp.attribute_error(interp.str(&name)?)),
                None => Ok(default),
            }
        }),
    ],
    populate: |interp, names| {
        for table in [&SIGNATURE, &PARAMETER] {
            let class = interp.native_class(table);
            class.namespace.borrow_mut().insert("empty".into(), Value::Class(empty(interp)));
            add_class(names, &class);
        }
        for (index, (_, name)) in KINDS.iter().enumerate() {
            let class = interp.native_class(&PARAMETER);
            class.namespace.borrow_mut().insert((*name).into(), Value::object(Kind(index)));
        }
        add_class(names, &interp.native_class(&BOUND));
        add_class(names, &empty(interp));
        names.insert("_empty".into(), Value::Class(empty(interp)));
    },
};

fn no_source(interp: &Interp, _: Arguments) -> PyResult<Value> {
    Err(interp.error(&interp.types().os_error, "could not get source code"))
}

fn source_file(interp: &Interp, args: Arguments) -> PyResult<Value> {
    match args.get(0) {
        Value::Function(function) => {
            Ok(interp.source(function.code.span().file).map_or(Value::None, |source| Value::str(&*source.path)))
        }
        Value::Module(module) if module.path.is_some() => Ok(module.path.as_ref().map_or(Value::None, Value::str)),
        other => Err(interp.type_error(format!("{} is a built-in class", interp.repr(other)?))),
    }
}

/// `inspect.cleandoc`
fn clean(doc: &str) -> String {
    let expanded = doc.replace('\t', "        ");
    let mut lines: Vec<&str> = expanded.split('\n').collect();
    let margin = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    for (at, line) in lines.iter_mut().enumerate() {
        *line = if at == 0 { line.trim_start() } else { line.get(margin..).unwrap_or("") };
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    while lines.first().is_some_and(|line| line.is_empty()) {
        lines.remove(0);
    }
    lines.join("\n")
}
