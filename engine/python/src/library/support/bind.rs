//! Binding of calls: to a signature written in a native table, and to parameters known only at run time, for the
//! functions that CPython generates as source (`__init__` of dataclasses, `__new__` of named tuples), whose errors
//! read like those of any Python function.

use crate::call::CallArgs;
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef, NativeFunction};
use crate::raise::PyResult;
use crate::signature::missing_arguments;
use crate::value::Value;
use pallas_syntax::ast::Name;

/// The name and signature of a constructor or of a closure, to bind a call to: `const { &form("chain", "(*iterables)") }`.
pub(in crate::library) const fn form(name: &'static str, signature: &'static str) -> NativeDef {
    NativeDef { name, signature, doc: "", run: |_, _| Ok(Value::None) }
}

/// Binds a call to a native signature; used by the constructors of native classes and by closures.
pub(in crate::library) fn arguments(interp: &Interp, form: &'static NativeDef, args: CallArgs) -> PyResult<Arguments> {
    let function = NativeFunction::new(form, "");
    function.signature().bind(interp, &function, args)
}

/// A parameter of a generated function.
#[derive(Clone)]
pub(in crate::library) struct Parameter {
    /// Its name.
    pub(in crate::library) name: Name,
    /// `Value::Unset` where it must be given.
    pub(in crate::library) default: Value,
    /// After `*`.
    pub(in crate::library) keyword_only: bool,
}

/// Binds a call to the parameters of a generated Python function, one value per parameter. `function` is its qualified
/// name; `has_self` counts the receiver in the numbers that errors name, as Python does.
pub(in crate::library) fn python_arguments(
    interp: &Interp,
    function: &str,
    parameters: &[Parameter],
    has_self: bool,
    args: CallArgs,
) -> PyResult<Vec<Value>> {
    let mut values = vec![Value::Unset; parameters.len()];
    let positional: Vec<usize> = (0..parameters.len()).filter(|&index| !parameters[index].keyword_only).collect();
    let given = args.positional.len();
    for (value, &index) in args.positional.into_iter().zip(&positional) {
        values[index] = value;
    }
    for (name, value) in args.keywords {
        let Some(index) = parameters.iter().position(|parameter| parameter.name == name) else {
            return Err(interp.type_error(format!("{function}() got an unexpected keyword argument '{name}'")));
        };
        if !values[index].is_unset() {
            return Err(interp.type_error(format!("{function}() got multiple values for argument '{name}'")));
        }
        values[index] = value;
    }
    if given > positional.len() {
        return Err(too_many(interp, function, parameters, has_self, given, &values));
    }
    for keyword_only in [false, true] {
        let missing: Vec<&str> = parameters
            .iter()
            .zip(&values)
            .filter(|(parameter, value)| {
                parameter.keyword_only == keyword_only && parameter.default.is_unset() && value.is_unset()
            })
            .map(|(parameter, _)| &*parameter.name)
            .collect();
        if !missing.is_empty() {
            return Err(interp.type_error(missing_arguments(function, missing.into_iter(), keyword_only)));
        }
    }
    for (value, parameter) in values.iter_mut().zip(parameters) {
        if value.is_unset() {
            *value = parameter.default.clone();
        }
    }
    Ok(values)
}

fn too_many(
    interp: &Interp,
    function: &str,
    parameters: &[Parameter],
    has_self: bool,
    given: usize,
    values: &[Value],
) -> Box<crate::raise::Stop> {
    let receiver = usize::from(has_self);
    let positional: Vec<&Parameter> = parameters.iter().filter(|parameter| !parameter.keyword_only).collect();
    let defaults = positional.iter().filter(|parameter| !parameter.default.is_unset()).count();
    let most = positional.len() + receiver;
    let takes = if defaults > 0 { format!("from {} to {most}", most - defaults) } else { most.to_string() };
    let plural = defaults > 0 || most != 1;
    let given = given + receiver;
    let keyword_only =
        parameters.iter().zip(values).filter(|(parameter, value)| parameter.keyword_only && !value.is_unset()).count();
    let (were, extra) = if keyword_only > 0 {
        let arguments = |count: usize| if count == 1 { "" } else { "s" };
        (
            "were",
            format!(
                " positional argument{} (and {keyword_only} keyword-only argument{})",
                arguments(given),
                arguments(keyword_only)
            ),
        )
    } else {
        (if given == 1 { "was" } else { "were" }, String::new())
    };
    interp.type_error(format!(
        "{function}() takes {takes} positional argument{} but {given}{extra} {were} given",
        if plural { "s" } else { "" }
    ))
}
