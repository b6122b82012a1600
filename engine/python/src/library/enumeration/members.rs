//! `Enum`, `ReprEnum`, `IntEnum`, `StrEnum`: what members can do.

use super::super::support::{plain, row};
use super::{EnumClasses, make, receiver, slot};
use crate::class::NativeClass;
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;

const fn table(
    name: &'static str,
    doc: &'static str,
    methods: &'static [NativeDef],
    properties: &'static [NativeDef],
) -> NativeClass {
    NativeClass { name, module: "enum", doc, methods, properties, construct: None, instance_check: None }
}

pub(super) static ENUM: NativeClass = table(
    "Enum",
    "A set of named constants.",
    &[
        row("__init_subclass__", "(cls, **kwargs)", "Makes members of what the class body binds.", |interp, args| {
            let [class, keywords] = args.take();
            if let Value::Class(class) = &class {
                make::make_members(interp, class, &keywords)?;
            }
            Ok(Value::None)
        }),
        row("__repr__", "(self)", "<Color.RED: 1>", repr),
        row("__str__", "(self)", "Color.RED", |interp, args| {
            Ok(Value::str(format!("{}.{}", interp.type_of(receiver(&args)).name, name_text(receiver(&args)))))
        }),
        row("__format__", "(self, format_spec)", "As str().", |interp, args| {
            let [this, spec] = args.take();
            let text = interp.str(&this)?;
            interp.format(&Value::str(text), &interp.to_str(&spec)?).map(Value::from)
        }),
        row("__hash__", "(self)", "By name.", |interp, args| {
            interp.hash(&slot(receiver(&args), "_name_")).map(|hash| Value::from(hash as i64))
        }),
        row("__copy__", "(self)", "Members are single.", |_, args| Ok(receiver(&args).clone())),
        row("__deepcopy__", "(self, memo)", "Members are single.", |_, args| Ok(receiver(&args).clone())),
        row("_generate_next_value_", "(name, start, count, last_values)", "The value of auto().", next_value),
        row("_missing_", "(cls, value)", "Asked for values that are no member's.", |_, _| Ok(Value::None)),
    ],
    &[
        row("name", "(self)", "The name of the member.", |_, args| Ok(slot(receiver(&args), "_name_"))),
        row("value", "(self)", "The value of the member.", |_, args| Ok(slot(receiver(&args), "_value_"))),
    ],
);

const AS_VALUE_STR: NativeDef =
    row("__str__", "(self)", "The value's text.", |interp, args| interp.str(&plain(receiver(&args))).map(Value::from));
const AS_VALUE_FORMAT: NativeDef = row("__format__", "(self, format_spec)", "The value, formatted.", |interp, args| {
    let [this, spec] = args.take();
    interp.format(&plain(&this), &interp.to_str(&spec)?).map(Value::from)
});

/// Enums that show as the value they hold.
const AS_VALUE: &[NativeDef] = &[AS_VALUE_STR, AS_VALUE_FORMAT];

pub(super) static REPR_ENUM: NativeClass =
    table("ReprEnum", "An enum of which only repr() shows the name.", AS_VALUE, &[]);

pub(super) static INT_ENUM: NativeClass = table("IntEnum", "An enum whose members are integers.", AS_VALUE, &[]);

pub(super) static STR_ENUM: NativeClass = table(
    "StrEnum",
    "An enum whose members are strings.",
    &[
        AS_VALUE_STR,
        AS_VALUE_FORMAT,
        row("_generate_next_value_", "(name, start, count, last_values)", "The name in lower case.", |interp, args| {
            let name = interp.to_str(args.get(0))?;
            Ok(Value::str(name.to_lowercase()))
        }),
    ],
    &[],
);

fn name_text(member: &Value) -> String {
    match slot(member, "_name_") {
        Value::Str(name) => name.to_string(),
        _ => "None".to_owned(),
    }
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let this = receiver(&args);
    let value = interp.nested(|| interp.repr(&slot(this, "_value_")))?;
    Ok(Value::str(format!("<{}.{}: {value}>", interp.type_of(this).name, name_text(this))))
}

/// One more than the largest value so far.
fn next_value(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_, start, _, last_values] = args.take();
    let values = interp.collect(&last_values)?;
    if values.is_empty() {
        return Ok(start);
    }
    let largest = interp.call_values(&super::super::support::builtin(interp, "max")?, [Value::list(values.clone())]);
    let largest = match largest {
        Ok(largest) => largest,
        // Values that do not compare: CPython goes back to the last one that can be counted on from.
        Err(stop) if interp.stop_is(&stop, &interp.types().type_error) => {
            values.into_iter().rev().find(|value| matches!(value, Value::Int(_))).unwrap_or(start)
        }
        Err(stop) => return Err(stop),
    };
    match interp.binary(BinaryOp::Add, &largest, &Value::int(1i64)) {
        Err(stop) if interp.stop_is(&stop, &interp.types().type_error) => Err(interp.type_error("unable to increment")),
        result => result,
    }
}

/// Whether `value` is a member of any enum.
pub(super) fn is_member(interp: &Interp, value: &Value) -> bool {
    interp.type_of(value).is_subclass(&EnumClasses::of(interp).base)
}
