//! What arrays are remembered to have been given: a sharding, and what devices hold differently where the sharding says
//! that they hold the same. Values of a trace are remembered by the trace, and their arrays when the trace has run.

use crate::array::ArrayObject;
use crate::tile::Tile;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// How an array lies.
#[derive(Clone)]
pub struct Placement {
    /// Its sharding.
    pub sharding: Value,
    /// The array once for each device along axes that do not divide it, and these axes, one leading dimension for each;
    /// `None` where all devices hold the same.
    pub copies: Option<(Tile, Value)>,
}

/// Placements by the array that was given them.
#[derive(Default)]
struct Placements {
    known: RefCell<Vec<(Weak<dyn Object>, Placement)>>,
}

/// Remembers how an array lies.
pub fn remember(interp: &Interp, array: &Value, placement: Placement) {
    let (Value::Object(object), Some(tile)) = (array, array.downcast::<ArrayObject>().map(|object| &object.tile))
    else {
        return;
    };
    if let Tile::Traced(traced) = tile {
        traced.trace.place(traced.value, placement);
        return;
    }
    let placements = interp.extension::<Placements>();
    let mut known = placements.known.borrow_mut();
    known.retain(|(array, _)| array.strong_count() > 0);
    known.push((Rc::downgrade(object), placement));
}

/// What an array was given, if anything.
fn placement(interp: &Interp, array: &Value) -> Option<Placement> {
    let Value::Object(object) = array else { return None };
    if let Some(Tile::Traced(traced)) = array.downcast::<ArrayObject>().map(|object| &object.tile) {
        return traced.trace.placement(traced.value);
    }
    let placements = interp.extension::<Placements>();
    let known = placements.known.borrow();
    let same = |weak: &Weak<dyn Object>| std::ptr::addr_eq(weak.as_ptr(), Rc::as_ptr(object));
    known.iter().find(|(weak, _)| weak.strong_count() > 0 && same(weak)).map(|(_, placement)| placement.clone())
}

/// Whether an array was given a sharding, as Python says it.
pub fn is_placed(interp: &Interp, array: &Value) -> Value {
    Value::Bool(placement(interp, array).is_some())
}

/// How an array lies: as it was put there, or whole on the first device.
///
/// # Errors
/// What importing the module raises.
pub fn of(interp: &Interp, array: &Value) -> PyResult<Value> {
    if let Some(placement) = placement(interp, array) {
        return Ok(placement.sharding);
    }
    let default = interp.get_attr(&interp.import("jax._src.shardings")?, "default")?;
    interp.call_values(&default, [])
}

/// A copy of the array that is remembered to lie so.
pub(super) fn remembered(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, sharding] = args.take();
    let Some(object) = x.downcast::<ArrayObject>() else { return Ok(x) };
    let copy = Value::object(ArrayObject { tile: object.tile.clone() });
    remember(interp, &copy, Placement { sharding, copies: None });
    Ok(copy)
}

/// All copies with their axes, as Python takes them.
pub(super) fn copies(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let copies = placement(interp, args.get(0)).and_then(|placement| placement.copies);
    Ok(copies.map_or(Value::None, |(tile, axes)| Value::tuple([Value::object(ArrayObject { tile }), axes])))
}
