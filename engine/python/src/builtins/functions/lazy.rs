//! `map`, `filter`, `zip`, `enumerate`, `reversed`: classes whose instances are iterators.

use crate::builtins::construct::Call;
use crate::builtins::dict_methods::views;
use crate::builtins::range_methods;
use crate::call::CallArgs;
use crate::class::{Class, ConstructFn, Namespace, NativeClass};
use crate::int::Int;
use crate::interp::Interp;
use crate::iteration::NativeIterator;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, Name};
use std::rc::Rc;

const fn class(name: &'static str, doc: &'static str, construct: ConstructFn) -> NativeClass {
    NativeClass {
        name,
        module: "builtins",
        doc,
        methods: &[],
        properties: &[],
        construct: Some(construct),
        instance_check: None,
    }
}

static ENUMERATE: NativeClass =
    class("enumerate", "enumerate(iterable, start=0) -> pairs of a count and an item.", enumerate);
static FILTER: NativeClass =
    class("filter", "filter(function or None, iterable) -> the items for which function is true.", filter);
static MAP: NativeClass = class("map", "map(function, *iterables) -> function of the items, one by one.", map);
static REVERSED: NativeClass = class("reversed", "reversed(sequence) -> the items from the end.", reversed);
static ZIP: NativeClass =
    class("zip", "zip(*iterables, strict=False) -> tuples of one item of each, until the shortest ends.", zip);

/// Adds the classes to the namespace of `builtins`.
pub(crate) fn populate(interp: &Interp, namespace: &mut Namespace) {
    for table in [&ENUMERATE, &FILTER, &MAP, &REVERSED, &ZIP] {
        namespace.insert(Name::from(table.name), Value::Class(interp.native_class(table)));
    }
}

fn enumerate(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if args.positional.len() + args.keywords.len() == 0 {
        return Err(interp.type_error("enumerate() missing required argument 'iterable'"));
    }
    let given = args.positional.len() + args.keywords.len();
    if given > 2 {
        return Err(interp.type_error(format!("enumerate() takes at most 2 arguments ({given} given)")));
    }
    let [iterable, start] = Call::new("enumerate", args).bind(interp, ["iterable", "start"], 0)?;
    let Some(iterable) = iterable else {
        return Err(interp.type_error("enumerate() missing required argument 'iterable'"));
    };
    let mut count = match start {
        None => Value::from(0i64),
        Some(unknown @ Value::Unknown(_)) => unknown,
        Some(start) => Value::Int(interp.to_int(&start)?),
    };
    let iterator = interp.iter(&iterable)?;
    Ok(NativeIterator::value("enumerate", move |interp| {
        let Some(item) = interp.next(&iterator)? else {
            return Ok(None);
        };
        let next = interp.binary(BinaryOp::Add, &count, &Value::Int(Int::Small(1)))?;
        Ok(Some(Value::tuple([std::mem::replace(&mut count, next), item])))
    }))
}

fn filter(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [function, iterable] = Call::new("filter", args).positional(interp, 2)?;
    let (function, iterable) = (function.and_then(Value::given), iterable.unwrap_or(Value::None));
    let iterator = interp.iter(&iterable)?;
    let items = NativeIterator::value("filter", move |interp| {
        while let Some(item) = interp.next(&iterator)? {
            interp.charge(1)?;
            let verdict = match &function {
                Some(function) => interp.call_values(function, [item.clone()])?,
                None => item.clone(),
            };
            // What may be kept, is: the item's kind matters more than how often it occurs.
            if verdict.is_unknown() || interp.truth(&verdict)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    });
    of_known_length(interp, items, iterable.is_unknown().then_some(iterable))
}

/// Items made of what is not known are not known, nor how many there are. One is made for what is seen on the way.
fn of_known_length(interp: &Interp, items: Value, unknown: Option<Value>) -> PyResult<Value> {
    match unknown {
        None => Ok(items),
        Some(unknown) => interp.next(&items).map(|_| unknown),
    }
}

fn map(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if !args.keywords.is_empty() {
        return Err(interp.type_error("map() takes no keyword arguments"));
    }
    let mut arguments = args.positional.into_iter();
    let (Some(function), true) = (arguments.next(), arguments.len() > 0) else {
        return Err(interp.type_error("map() must have at least two arguments."));
    };
    let iterables: Vec<Value> = arguments.collect();
    let iterators = iterables.iter().map(|iterable| interp.iter(iterable)).collect::<PyResult<Vec<_>>>()?;
    let items = NativeIterator::value("map", move |interp| {
        interp.charge(1)?;
        let mut items = Vec::with_capacity(iterators.len());
        for iterator in &iterators {
            match interp.next(iterator)? {
                Some(item) => items.push(item),
                None => return Ok(None),
            }
        }
        interp.call_values(&function, items).map(Some)
    });
    of_known_length(interp, items, iterables.into_iter().find(Value::is_unknown))
}

fn zip(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let mut strict = false;
    for (name, value) in &args.keywords {
        if &**name != "strict" {
            return Err(interp.type_error(format!("'{name}' is an invalid keyword argument for zip()")));
        }
        strict = interp.truth(value)?;
    }
    let iterators = args.positional.iter().map(|iterable| interp.iter(iterable)).collect::<PyResult<Vec<_>>>()?;
    let lengths_known = !args.positional.iter().any(Value::is_unknown);
    Ok(NativeIterator::value("zip", move |interp| {
        interp.charge(1)?;
        if iterators.is_empty() {
            return Ok(None);
        }
        let mut items = Vec::with_capacity(iterators.len());
        for (index, iterator) in iterators.iter().enumerate() {
            match interp.next(iterator)? {
                Some(item) => items.push(item),
                None if strict && lengths_known => return unequal(interp, &iterators, index),
                None => return Ok(None),
            }
        }
        Ok(Some(Value::tuple(items)))
    }))
}

/// Iterator `index` of a strict `zip` has ended: an error unless all of them end here.
fn unequal(interp: &Interp, iterators: &[Value], index: usize) -> PyResult<Option<Value>> {
    let others = |count: usize| {
        if count == 1 { " 1".to_owned() } else { format!("s 1-{count}") }
    };
    if index > 0 {
        return Err(interp.value_error(format!(
            "zip() argument {} is shorter than argument{}",
            index + 1,
            others(index)
        )));
    }
    for (position, iterator) in iterators.iter().enumerate().skip(1) {
        if interp.next(iterator)?.is_some() {
            return Err(interp.value_error(format!(
                "zip() argument {} is longer than argument{}",
                position + 1,
                others(position)
            )));
        }
    }
    Ok(None)
}

fn reversed(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [sequence] = Call::new("reversed", args).positional(interp, 1)?;
    let sequence = sequence.unwrap_or(Value::None);
    if sequence.is_unknown() {
        return Ok(sequence);
    }
    if let Some(iterator) = interp.call_special(&sequence, "__reversed__", [])? {
        return Ok(iterator);
    }
    if let Some(iterator) = views::reversed_view(&sequence) {
        return Ok(iterator);
    }
    match interp.plain(&sequence) {
        Value::List(list) => return Ok(interp.reversed_list(&list)),
        Value::Dict(dict) => return Ok(views::reversed(&dict, views::Kind::Keys)),
        Value::Range(range) => {
            return interp.iter(&Value::Range(Rc::new(range_methods::reversed(&range))));
        }
        Value::Str(text) => {
            let mut characters: Vec<char> = text.chars().collect();
            return Ok(NativeIterator::value("reversed", move |_| {
                Ok(characters.pop().map(|c| Value::from(String::from(c))))
            }));
        }
        Value::Bytes(_) | Value::Tuple(_) => {}
        _ => {
            let is_sequence = !matches!(sequence, Value::Set(_) | Value::FrozenSet(_))
                && interp.type_of(&sequence).lookup("__getitem__").is_some()
                && interp.type_of(&sequence).lookup("__len__").is_some();
            let native_sequence =
                matches!(&sequence, Value::Object(object) if object.length(&sequence, interp).is_some());
            if !is_sequence && !native_sequence {
                return Err(interp.type_error(format!("'{}' object is not reversible", interp.type_name(&sequence))));
            }
        }
    }
    let mut left = interp.len(&sequence)?;
    Ok(NativeIterator::value("reversed", move |interp| {
        let Some(index) = left.checked_sub(1) else {
            return Ok(None);
        };
        left = index;
        interp.get_item(&sequence, &Value::from(index)).map(Some)
    }))
}
