//! `functools`: `partial` and its method form, caches, comparison helpers, wrappers, single dispatch.

mod cache;
mod dispatch;
mod ordering;
mod partial;
mod wrap;

pub use partial::Partial;
pub(crate) use partial::is_partial;
pub(super) use wrap::copy_metadata;

use super::support::row;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "functools",
    doc: "Tools for working with functions and callable objects.",
    functions: &[
        row("reduce", "(function, iterable, initial=..., /)", "Folds an iterable from the left.", reduce),
        row("wraps", WRAPS, "A decorator that makes a wrapper look like the wrapped function.", wrap::wraps),
        row("update_wrapper", UPDATE, "Makes a wrapper look like the wrapped function.", wrap::update_wrapper),
        row(
            "lru_cache",
            "(maxsize=128, typed=False)",
            "Remembers the results of the most recent calls.",
            cache::lru_cache,
        ),
        row("cache", "(user_function, /)", "Remembers the result of every call.", cache::cache),
        row("cmp_to_key", "(mycmp)", "A key function for sorting, made of a comparison.", ordering::cmp_to_key),
        row("total_ordering", "(cls)", "Fills in the missing comparison methods of a class.", ordering::total_ordering),
        row(
            "singledispatch",
            "(func)",
            "A function chosen by the type of its first argument.",
            dispatch::singledispatch,
        ),
        row("singledispatchmethod", "(func)", "A method chosen by the type of its first argument.", dispatch::method),
    ],
    populate: |interp, names| {
        super::support::add_class(names, &interp.native_class(&partial::PARTIAL));
        super::support::add_class(names, &interp.native_class(&partial::PARTIAL_METHOD));
        super::support::add_class(names, &interp.native_class(&cache::CACHED_PROPERTY));
        let texts = |values: &[&str]| Value::tuple(values.iter().map(Value::str));
        names.insert("WRAPPER_ASSIGNMENTS".into(), texts(&wrap::ASSIGNMENTS));
        names.insert("WRAPPER_UPDATES".into(), texts(&["__dict__"]));
    },
};

const WRAPS: &str = "(wrapped, assigned=..., updated=...)";
const UPDATE: &str = "(wrapper, wrapped, assigned=..., updated=...)";

fn reduce(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, iterable, initial] = args.take();
    let iterator = interp.iter(&iterable)?;
    let mut result = if initial.is_unset() {
        match interp.next(&iterator)? {
            Some(first) => first,
            None => return Err(interp.type_error("reduce() of empty iterable with no initial value")),
        }
    } else {
        initial
    };
    while let Some(item) = interp.next(&iterator)? {
        result = interp.call_values(&function, [result, item])?;
    }
    Ok(result)
}
