//! `range` and `slice`: their tables and constructors.

use crate::builtins::construct::Call;
use crate::builtins::special as s;
use crate::builtins::table::{known, rows, this_range, this_slice};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::int::Int;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::{Range, Slice, Value};
use std::rc::Rc;

/// The table of `range`.
pub static RANGE: NativeClass = NativeClass {
    name: "range",
    module: "builtins",
    doc: "range(stop), range(start, stop, step=1) -> integers from start to stop, stop excluded.",
    methods: rows! {
        "count", "(self, value, /)", "Number of occurrences of value.", count;
        "index", "(self, value, /)", "Index of value; ValueError where it is not there.", index;
        "__reversed__", "(self, /)", "The integers from the end.", reversed_method;
        s::LEN, s::ITER, s::CONTAINS, s::GETITEM, s::BOOL,
    },
    properties: rows! {
        "start", "(self, /)", "The first integer.", |i, a| part(i, a, |range| range.start);
        "stop", "(self, /)", "The bound, excluded.", |i, a| part(i, a, |range| range.stop);
        "step", "(self, /)", "The distance.", |i, a| part(i, a, |range| range.step);
    },
    construct: Some(construct_range),
    instance_check: None,
};

/// The table of `slice`.
pub static SLICE: NativeClass = NativeClass {
    name: "slice",
    module: "builtins",
    doc: "slice(stop), slice(start, stop, step=None) -> what stands between the brackets of x[start:stop:step].",
    methods: rows! {
        "indices", "(self, length, /)", "Start, stop and step fitted to a sequence of this length.", indices;
    },
    properties: rows! {
        "start", "(self, /)", "The lower bound.", |i, a| slice_part(i, a, |slice| &slice.lower);
        "stop", "(self, /)", "The upper bound.", |i, a| slice_part(i, a, |slice| &slice.upper);
        "step", "(self, /)", "The step.", |i, a| slice_part(i, a, |slice| &slice.step);
    },
    construct: Some(construct_slice),
    instance_check: None,
};

fn part(interp: &Interp, arguments: Arguments, part: fn(&Range) -> i64) -> PyResult<Value> {
    let [this] = arguments.take();
    Ok(Value::from(part(&*this_range(interp, &this, "start")?)))
}

fn slice_part(interp: &Interp, arguments: Arguments, part: fn(&Slice) -> &Value) -> PyResult<Value> {
    let [this] = arguments.take();
    Ok(part(&*this_slice(interp, &this, "start")?).clone())
}

/// The index of an integer in a range, by arithmetic.
fn position(range: &Range, value: &Int) -> Option<usize> {
    let offset = i128::from(value.to_i64()?) - i128::from(range.start);
    let step = i128::from(range.step);
    let index = (offset % step == 0).then_some(offset / step)?;
    usize::try_from(index).ok().filter(|index| *index < range.len())
}

/// As [`position`] for integers, by comparing each for other values.
fn find(interp: &Interp, range: &Rc<Range>, value: &Value) -> PyResult<Option<usize>> {
    match value {
        Value::Int(value) => return Ok(position(range, value)),
        Value::Bool(value) => return Ok(position(range, &Int::Small(i64::from(*value)))),
        _ => {}
    }
    for index in 0..range.len() {
        interp.charge(1)?;
        if interp.equals(&Value::from(range.at(index)), value)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn count(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, value] = arguments.take();
    let found = find(interp, &this_range(interp, &this, "count")?, &value)?;
    Ok(Value::from(i64::from(found.is_some())))
}

fn index(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, value] = arguments.take();
    match find(interp, &this_range(interp, &this, "index")?, &value)? {
        Some(index) => Ok(Value::from(index)),
        None if matches!(value, Value::Int(_) | Value::Bool(_)) => {
            Err(interp.value_error(format!("{} is not in range", interp.repr(&value)?)))
        }
        None => Err(interp.value_error("sequence.index(x): x not in sequence")),
    }
}

fn reversed_method(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    interp.iter(&Value::Range(Rc::new(reversed(&*this_range(interp, &this, "__reversed__")?))))
}

/// The same integers from the end.
pub(crate) fn reversed(range: &Range) -> Range {
    if range.is_empty() || range.step == i64::MIN {
        return Range { start: 0, stop: 0, step: 1 };
    }
    let last = range.at(range.len() - 1);
    Range { start: last, stop: range.start.saturating_sub(range.step), step: -range.step }
}

fn indices(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, length] = arguments.take();
    let slice = this_slice(interp, &this, "indices")?;
    let length = interp.to_i64(&length)?;
    let Ok(length) = usize::try_from(length) else {
        return Err(interp.value_error("length should not be negative"));
    };
    let positions = interp.slice_positions(&slice, length)?;
    Ok(Value::tuple([positions.start, positions.stop, positions.step].map(Value::from)))
}

/// `range(stop)`, `range(start, stop, step)`
fn construct_range(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let given = args.positional.len();
    let parts: [Option<Value>; 3] = Call::new("range", args).positional(interp, 1)?;
    if let Some(unknown) = parts.iter().flatten().find(|part| part.is_unknown()) {
        return Ok(unknown.clone());
    }
    let mut numbers = [0i64; 3];
    for (number, part) in numbers.iter_mut().zip(parts.iter().flatten()) {
        *number = match interp.to_int(part)? {
            Int::Small(value) => value,
            // Ranges beyond 64 bits cannot be walked through; CPython's `len` of one raises in these words.
            Int::Big(_) => {
                return Err(interp.overflow_error("Python int too large to convert to C ssize_t"));
            }
        };
    }
    let [first, second, third] = numbers;
    let (start, stop, step) = match given {
        1 => (0, first, 1),
        2 => (first, second, 1),
        _ => (first, second, third),
    };
    if step == 0 {
        return Err(interp.value_error("range() arg 3 must not be zero"));
    }
    Ok(Value::Range(Rc::new(Range { start, stop, step })))
}

/// `slice(stop)`, `slice(start, stop, step)`
fn construct_slice(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [first, second, third] = Call::new("slice", args).positional(interp, 1)?;
    let none = |part: Option<Value>| part.unwrap_or(Value::None);
    let (lower, upper) = match second {
        None => (Value::None, none(first)),
        Some(upper) => (none(first), upper),
    };
    Ok(Value::Slice(Rc::new(Slice { lower, upper, step: none(third) })))
}
