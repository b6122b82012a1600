//! `str`: its table. Methods by family: [`search`] (find, count, replace, affixes), [`split`] (split, join, strip),
//! [`shape`] (case, padding, translation), [`classify`] (`is...`).

mod classify;
pub(crate) mod search;
mod shape;
pub(crate) mod split;

use crate::builtins::codec;
use crate::builtins::construct::{Call, finish};
use crate::builtins::format::template::{Source, format};
use crate::builtins::special as s;
use crate::builtins::table::{known, rows, this_str};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The table of `str`.
pub static CLASS: NativeClass = NativeClass {
    name: "str",
    module: "builtins",
    doc: "str(object='') -> str: text, immutable, in Unicode.",
    methods: METHODS,
    properties: &[],
    construct: Some(construct),
    instance_check: None,
};

static METHODS: &[NativeDef] = rows! {
    "capitalize", "(self, /)", "The first character in upper case, the rest in lower case.", shape::capitalize;
    "casefold", "(self, /)", "Lower case for comparison without regard to case.", shape::casefold;
    "center", "(self, width, fillchar=' ', /)", "Centered in a string of this width.", shape::center;
    "count", "(self, sub, start=None, end=None, /)", "Number of occurrences that do not overlap.", search::count;
    "encode", "(self, /, encoding='utf-8', errors='strict')", "As bytes in this encoding.", codec::encode;
    "endswith", "(self, suffix, start=None, end=None, /)", "Whether it ends with this suffix, or one of a tuple.", search::ends_with;
    "expandtabs", "(self, /, tabsize=8)", "Tabs replaced by spaces.", shape::expand_tabs;
    "find", "(self, sub, start=None, end=None, /)", "Lowest index of sub, or -1.", search::find;
    "format", "(self, /, *args, **kwargs)", "Replacement fields in braces filled in.", format_method;
    "format_map", "(self, mapping, /)", "Replacement fields filled in from a mapping.", format_map;
    "index", "(self, sub, start=None, end=None, /)", "Lowest index of sub; ValueError where there is none.", search::index;
    "isalnum", "(self, /)", "Whether all characters are letters or numerals.", classify::is_alphanumeric;
    "isalpha", "(self, /)", "Whether all characters are letters.", classify::is_alphabetic;
    "isascii", "(self, /)", "Whether all characters are ASCII.", classify::is_ascii;
    "isdecimal", "(self, /)", "Whether all characters are decimal digits.", classify::is_decimal;
    "isdigit", "(self, /)", "Whether all characters are digits.", classify::is_digit;
    "isidentifier", "(self, /)", "Whether it can be a name.", classify::is_identifier;
    "islower", "(self, /)", "Whether all cased characters are in lower case.", classify::is_lower;
    "isnumeric", "(self, /)", "Whether all characters are numerals.", classify::is_numeric;
    "isprintable", "(self, /)", "Whether repr() would escape no character.", classify::is_printable;
    "isspace", "(self, /)", "Whether all characters are spaces.", classify::is_space;
    "istitle", "(self, /)", "Whether every word begins in upper case.", classify::is_title;
    "isupper", "(self, /)", "Whether all cased characters are in upper case.", classify::is_upper;
    "join", "(self, iterable, /)", "The strings of an iterable, with this one between them.", split::join;
    "ljust", "(self, width, fillchar=' ', /)", "Left-justified in a string of this width.", shape::justify_left;
    "lower", "(self, /)", "In lower case.", shape::lower;
    "lstrip", "(self, chars=None, /)", "Without leading spaces, or characters.", split::strip_left;
    "maketrans", "(x, y=..., z=..., /)", "A table for translate().", shape::make_translation;
    "partition", "(self, sep, /)", "What stands before sep, sep, and what stands after it.", split::partition;
    "removeprefix", "(self, prefix, /)", "Without this prefix, if it has it.", search::remove_prefix;
    "removesuffix", "(self, suffix, /)", "Without this suffix, if it has it.", search::remove_suffix;
    "replace", "(self, old, new, count=-1, /)", "Occurrences of old replaced by new.", search::replace;
    "rfind", "(self, sub, start=None, end=None, /)", "Highest index of sub, or -1.", search::find_last;
    "rindex", "(self, sub, start=None, end=None, /)", "Highest index of sub; ValueError where there is none.", search::index_last;
    "rjust", "(self, width, fillchar=' ', /)", "Right-justified in a string of this width.", shape::justify_right;
    "rpartition", "(self, sep, /)", "As partition, at the last occurrence.", split::partition_last;
    "rsplit", "(self, /, sep=None, maxsplit=-1)", "Words between separators, splitting from the right.", split::split_right;
    "rstrip", "(self, chars=None, /)", "Without trailing spaces, or characters.", split::strip_right;
    "split", "(self, /, sep=None, maxsplit=-1)", "Words between separators.", split::split;
    "splitlines", "(self, /, keepends=False)", "Its lines.", split::split_lines;
    "startswith", "(self, prefix, start=None, end=None, /)", "Whether it starts with this prefix, or one of a tuple.", search::starts_with;
    "strip", "(self, chars=None, /)", "Without spaces, or characters, at both ends.", split::strip;
    "swapcase", "(self, /)", "Upper case made lower and lower case upper.", shape::swap_case;
    "title", "(self, /)", "Every word beginning in upper case.", shape::title;
    "translate", "(self, table, /)", "Characters mapped through a table.", shape::translate;
    "upper", "(self, /)", "In upper case.", shape::upper;
    "zfill", "(self, width, /)", "Zeros in front up to this width, after the sign.", shape::zero_fill;
    s::ADD, s::MUL, s::RMUL, s::MOD, s::RMOD, s::LT, s::LE, s::GT, s::GE, s::LEN, s::ITER, s::CONTAINS, s::GETITEM,
};

fn format_method(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, positional, named] = arguments.take();
    let text = this_str(interp, &this, "format")?;
    let Value::Tuple(positional) = positional else {
        return Err(interp.type_error("format() needs arguments"));
    };
    let source = Source { positional: &positional, named: Some(&named), map_only: false };
    format(interp, &text, &source).map(Value::from)
}

fn format_map(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, mapping] = arguments.take();
    let text = this_str(interp, &this, "format_map")?;
    format(interp, &text, &Source { positional: &[], named: Some(&mapping), map_only: true }).map(Value::from)
}

/// `str(object)`, `str(bytes, encoding, errors)`
fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let mut call = Call::new("str", args);
    let [object, encoding, errors] = call.bind(interp, ["object", "encoding", "errors"], 0)?;
    let text = if encoding.is_some() || errors.is_some() {
        let object = object.unwrap_or(Value::Bytes(Rc::from([])));
        codec::decode_object(interp, &object, encoding.as_ref(), errors.as_ref())?
    } else {
        match object {
            None => Value::str(""),
            Some(unknown @ Value::Unknown(_)) => unknown,
            Some(text @ Value::Str(_)) => text,
            Some(object) => Value::from(interp.str(&object)?),
        }
    };
    Ok(finish(class, &interp.types().str, text))
}
