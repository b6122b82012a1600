//! Making exceptions from the arguments of a call: the keywords that some classes keep as attributes, and what `OSError`
//! does with an error number. The classes themselves are in [`crate::types`].

use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::types::Types;
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

/// Which class `OSError(number, ...)` makes, by the number on Linux.
fn class_of_number(types: &Types, number: i64) -> Option<&Rc<Class>> {
    Some(match number {
        1 | 13 => &types.permission_error,
        2 => &types.file_not_found_error,
        3 => &types.process_lookup_error,
        4 => &types.interrupted_error,
        10 => &types.child_process_error,
        11 | 114 | 115 => &types.blocking_io_error,
        17 => &types.file_exists_error,
        20 => &types.not_a_directory_error,
        21 => &types.is_a_directory_error,
        32 | 108 => &types.broken_pipe_error,
        110 => &types.timeout_error,
        _ => return None,
    })
}

/// The keywords that a builtin exception class keeps as attributes.
fn kept_keywords(interp: &Interp, class: &Rc<Class>) -> &'static [&'static str] {
    let types = interp.types();
    if class.is_subclass(&types.import_error) {
        &["name", "path"]
    } else if class.is_subclass(&types.attribute_error) {
        &["name", "obj"]
    } else if class.is_subclass(&types.name_error) {
        &["name"]
    } else {
        &[]
    }
}

/// `class(*args, **keywords)` before any `__init__` of the user's runs. TypeError for keywords that nothing takes.
pub(crate) fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let mut class = Rc::clone(class);
    let mut positional = args.positional;
    let mut fields: Vec<(Name, Value)> = Vec::new();
    // A class with an `__init__` of its own gives the keywords their meaning there.
    if class.lookup("__init__").is_none() {
        let kept = kept_keywords(interp, &class);
        let of_python = class.span.is_some() || &*class.module == "builtins";
        for (name, value) in args.keywords {
            if of_python && !kept.contains(&&*name) {
                return Err(interp.type_error(if kept.is_empty() {
                    format!("{}() takes no keyword arguments", class.name)
                } else {
                    format!("'{name}' is an invalid keyword argument for {}()", class.name)
                }));
            }
            fields.push((name, value));
        }
    }
    let types = interp.types();
    if class.is_subclass(&types.os_error) && (2..=5).contains(&positional.len()) {
        if Rc::ptr_eq(&class, &types.os_error)
            && let Value::Int(number) = &positional[0]
            && let Some(specific) = number.to_i64().and_then(|number| class_of_number(types, number))
        {
            class = Rc::clone(specific);
        }
        let names = ["errno", "strerror", "filename", "winerror", "filename2"];
        fields.extend(names.iter().zip(&positional).map(|(name, value)| (Name::from(*name), value.clone())));
        positional.truncate(2);
    }
    let exception = interp.exception_of(&class, Value::tuple(positional));
    if let Value::Instance(instance) = &exception {
        instance.fields.borrow_mut().extend(fields);
    }
    Ok(exception)
}
