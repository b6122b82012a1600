//! The functions of `typing`.

use super::alias::{Alias, annotation_text};
use crate::class::Namespace;
use crate::interp::Interp;
use crate::library::support::{callable, dict, entries};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) fn overload(_: &Interp, _: Arguments) -> PyResult<Value> {
    Ok(callable("_overload_dummy", |interp, _| {
        Err(interp.not_implemented_error(
            "You should not call an overloaded function. A series of @overload-decorated functions outside a stub \
             module should always be followed by an implementation that is not @overload-ed.",
        ))
    }))
}

/// Sets a mark where the value takes attributes.
fn mark(interp: &Interp, value: &Value, name: &str) -> PyResult<()> {
    match interp.set_attr(value, name, Value::Bool(true)) {
        Err(stop)
            if interp.stop_is(&stop, &interp.types().attribute_error)
                || interp.stop_is(&stop, &interp.types().type_error) =>
        {
            Ok(())
        }
        result => result,
    }
}

pub(super) fn mark_final(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    mark(interp, &target, "__final__")?;
    Ok(target)
}

pub(super) fn mark_override(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    mark(interp, &target, "__override__")?;
    Ok(target)
}

pub(super) fn dataclass_transform(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [keywords] = args.take();
    Ok(callable("decorator", move |interp, mut args| {
        let Some(target) = args.positional.pop() else {
            return Err(interp.type_error("decorator() missing 1 required positional argument: 'cls_or_fn'"));
        };
        interp.set_attr(&target, "__dataclass_transform__", keywords.clone())?;
        Ok(target)
    }))
}

pub(super) fn deprecated(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [message, ..] = args.take::<3>();
    Ok(callable("decorator", move |interp, mut args| {
        let Some(target) = args.positional.pop() else {
            return Err(interp.type_error("decorator() missing 1 required positional argument: 'arg'"));
        };
        interp.set_attr(&target, "__deprecated__", message.clone())?;
        Ok(target)
    }))
}

pub(super) fn assert_never(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let shown = interp.repr(args.get(0))?;
    Err(interp.assertion_error(format!("Expected code to be unreachable, but got: {shown}")))
}

pub(super) fn reveal_type(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [value] = args.take();
    interp.host().write_stderr(&format!("Runtime type is '{}'\n", interp.type_name(&value)));
    Ok(value)
}

pub(super) fn get_origin(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    if let Some(alias) = target.downcast::<Alias>() {
        let annotated = interp.find_attr(&target, "__metadata__")?.is_some();
        return if annotated { Ok(alias.base.clone()) } else { interp.get_attr(&target, "__origin__") };
    }
    match interp.type_name(&target).as_str() {
        "UnionType" => Ok(Value::Class(interp.types().union_type.clone())),
        "GenericAlias" | "_SpecialForm" | "ParamSpecArgs" => {
            Ok(interp.find_attr(&target, "__origin__")?.unwrap_or(Value::None))
        }
        _ => Ok(Value::None),
    }
}

pub(super) fn get_args(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    if let Some(alias) = target.downcast::<Alias>() {
        let name = interp.find_attr(&target, "_name")?;
        let is_callable = matches!(name, Some(Value::Str(name)) if &*name == "Callable");
        // Callable[[int], str] gives ([int], str).
        return Ok(match alias.args.split_last() {
            Some((result, parameters)) if is_callable && !matches!(parameters, [Value::Ellipsis]) => {
                Value::tuple([Value::list(parameters.to_vec()), result.clone()])
            }
            _ => Value::Tuple(alias.args.clone()),
        });
    }
    match interp.type_name(&target).as_str() {
        "UnionType" | "GenericAlias" => interp.get_attr(&target, "__args__"),
        _ => Ok(Value::tuple([])),
    }
}

pub(super) fn get_type_hints(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target, globals, locals, extras] = args.take();
    let extras = interp.truth(&extras)?;
    let mut sources = Vec::new();
    match &target {
        Value::Class(class) => {
            for class in class.ancestors.iter().rev().chain(std::iter::once(class)) {
                if let Some(annotations) = class.namespace.borrow().get("__annotations__") {
                    let module = interp.import(&class.module).ok();
                    sources.push((annotations.clone(), module));
                }
            }
        }
        other => {
            if let Some(annotations) = interp.find_attr(other, "__annotations__")? {
                let module = match other {
                    Value::Function(function) => Some(Value::Module(function.module.clone())),
                    Value::Module(_) => Some(other.clone()),
                    _ => None,
                };
                sources.push((annotations, module));
            } else if !interp.is_callable(other) {
                return Err(
                    interp.type_error(format!("{} is not a module, class, method, or function.", interp.repr(other)?))
                );
            }
        }
    }
    let result = dict();
    for (annotations, module) in sources {
        let names = match (&globals, &module) {
            (Value::None, Some(module)) => interp.find_attr(module, "__dict__")?.unwrap_or_else(dict),
            (Value::None, None) => dict(),
            (globals, _) => globals.clone(),
        };
        for (name, annotation) in entries(interp, &annotations)? {
            let mut hint = match annotation_text(&annotation) {
                Some(text) => evaluate(interp, &text, &names, &locals)?,
                None if annotation.is_none() => Value::Class(interp.types().none_type.clone()),
                None => annotation,
            };
            if !extras && interp.find_attr(&hint, "__metadata__")?.is_some() && hint.downcast::<Alias>().is_some() {
                hint = interp.get_attr(&hint, "__origin__")?;
            }
            interp.set_item(&result, &name, hint)?;
        }
    }
    Ok(result)
}

/// The type that an annotation's text means, with these globals and locals.
fn evaluate(interp: &Interp, text: &str, globals: &Value, locals: &Value) -> PyResult<Value> {
    let mut names = Namespace::default();
    for mapping in [Some(globals.clone()), locals.clone().given()].into_iter().flatten() {
        for (name, value) in entries(interp, &mapping)? {
            if let Value::Str(name) = name {
                names.insert((&*name).into(), value);
            }
        }
    }
    interp.eval_text("<annotation>", &format!("({text})"), names).unwrap_or_else(|| {
        let shown = interp.repr(&Value::str(text))?;
        let message = format!("Forward reference must be an expression -- got {shown}");
        Err(interp.error(&interp.types().syntax_error, message))
    })
}
