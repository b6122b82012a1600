//! Refs through what is traced: their arrays go in beside what a function is given, and come out beside what it returns.

use super::{Held, HeldRef, value_of};
use crate::context::Context;
use crate::convert;
use crate::tile::Tile;
use crate::trace::TraceKind;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// All Refs that there are, oldest first.
#[derive(Default)]
pub(crate) struct Registry {
    known: RefCell<Vec<Weak<Held>>>,
    made: Cell<usize>,
}

/// A new Ref.
pub(crate) fn make(interp: &Interp, tile: Tile) -> Value {
    let registry = interp.extension::<Registry>();
    let number = registry.made.get();
    registry.made.set(number + 1);
    let held = Rc::new(Held { number, tile: RefCell::new(tile) });
    registry.known.borrow_mut().push(Rc::downgrade(&held));
    Value::object(HeldRef::whole(held))
}

/// Whether a value may be used now: one of a trace while that is open.
pub(crate) fn is_open(cx: &Context<'_>, tile: &Tile) -> bool {
    match tile {
        Tile::Traced(traced) => {
            let is_here = cx.state.traces.borrow().iter().any(|trace| Rc::ptr_eq(trace, &traced.trace));
            is_here && traced.trace.is_open(traced.region)
        }
        _ => true,
    }
}

/// The Refs that may be used now, with what they hold.
pub(crate) struct Threads {
    refs: Vec<(Rc<Held>, Tile)>,
    /// What was put into each last, and whether something else was ever found there.
    put: RefCell<Vec<(Tile, bool)>>,
}

impl Threads {
    pub(crate) fn live(cx: &Context<'_>) -> Threads {
        let registry = cx.interp.extension::<Registry>();
        let mut known = registry.known.borrow_mut();
        known.retain(|held| held.strong_count() > 0);
        let kernel = cx.innermost().filter(|trace| matches!(trace.kind, TraceKind::Kernel));
        let refs = known.iter().filter_map(Weak::upgrade).filter_map(|held| {
            let tile = held.tile.borrow().clone();
            // Kernels do not see the Refs of who launches them.
            let is_inside = kernel.as_ref().is_none_or(|kernel| match &tile {
                Tile::Traced(traced) => Rc::ptr_eq(&traced.trace, kernel),
                _ => false,
            });
            (is_inside && is_open(cx, &tile)).then_some((held, tile))
        });
        let refs: Vec<(Rc<Held>, Tile)> = refs.collect();
        let put = refs.iter().map(|(_, tile)| (tile.clone(), false)).collect();
        Threads { refs, put: RefCell::new(put) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.refs.len()
    }

    /// The results of a function, without those that the Refs hold from now on.
    pub(crate) fn take_from(&self, mut results: Vec<Tile>) -> Vec<Tile> {
        let held = results.split_off(results.len().saturating_sub(self.refs.len()));
        self.set(held);
        results
    }

    /// Which Refs these are.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Value> + '_ {
        self.refs.iter().map(|(held, _)| Value::from(held.number))
    }

    /// What they held when this was made.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        self.refs.iter().map(|(_, tile)| tile.clone())
    }

    /// What they hold now.
    pub(crate) fn now(&self) -> impl Iterator<Item = Tile> + '_ {
        self.refs
            .iter()
            .zip(self.put.borrow_mut().iter_mut())
            .map(|((held, _), (put, is_written))| {
                let tile = held.tile.borrow().clone();
                *is_written |= !is_same(put, &tile);
                tile
            })
            .collect::<Vec<_>>()
            .into_iter()
    }

    pub(crate) fn set(&self, tiles: impl IntoIterator<Item = Tile>) {
        for (((held, _), put), tile) in self.refs.iter().zip(self.put.borrow_mut().iter_mut()).zip(tiles) {
            put.0 = tile.clone();
            *held.tile.borrow_mut() = tile;
        }
    }

    /// They hold again what they held when this was made.
    pub(crate) fn restore(&self) {
        self.set(self.tiles().collect::<Vec<_>>());
    }

    /// After a function was traced to be transformed: refuses what it has written to Refs from outside.
    pub(crate) fn check_unwritten(&self, cx: &Context<'_>, differentiates: bool) -> PyResult<()> {
        let Some((_, tile)) = self.refs.iter().find(|(held, _)| !is_open(cx, &held.tile.borrow())) else {
            return Ok(());
        };
        let ty = super::text(tile);
        self.restore();
        let what = if differentiates {
            format!(
                "with a differentiated value on a non-differentiated array reference of type {ty}. Move the array reference \
                 to be an argument of the differentiated function?"
            )
        } else {
            format!(
                "with vmapped value on an unbatched array reference of type {ty}. Move the array reference to be an \
                 argument to the vmapped function?"
            )
        };
        Err(cx.interp.error(&cx.interp.types().exception, format!("performing a set/swap operation {what}")))
    }

    /// A carry, and what the Refs hold beside it.
    pub(crate) fn join(&self, value: &Value, tiles: impl Iterator<Item = Tile>) -> Value {
        if self.is_empty() {
            return value.clone();
        }
        Value::tuple([value.clone(), Value::tuple(tiles.map(|tile| value_of(&tile)).collect::<Vec<_>>())])
    }

    /// Takes a carry apart: the Refs hold their part of it.
    pub(crate) fn split(&self, cx: &Context<'_>, joined: &Value) -> PyResult<Value> {
        if self.is_empty() {
            return Ok(joined.clone());
        }
        let parts = cx.interp.collect(joined)?;
        let [value, tiles] = parts.as_slice() else { return Ok(joined.clone()) };
        let tiles = cx.interp.collect(tiles)?;
        let tiles: Vec<Tile> = tiles.iter().map(|tile| convert::tile(cx, tile, "new_ref")).collect::<PyResult<_>>()?;
        self.set(tiles);
        Ok(value.clone())
    }

    /// Runs a body on its own carry: between, the Refs hold what belongs to this round.
    pub(crate) fn round(
        &self,
        cx: &Context<'_>,
        joined: &Value,
        body: impl FnOnce(Value) -> PyResult<Value>,
    ) -> PyResult<Value> {
        let result = body(self.split(cx, joined)?)?;
        Ok(self.join(&result, self.now()))
    }

    /// The result of something that carried the Refs: those that it has written hold what came out of it, the others and,
    /// where it failed, all hold what they held before.
    pub(crate) fn settle(&self, cx: &Context<'_>, result: PyResult<Value>) -> PyResult<Value> {
        self.restore();
        let value = self.split(cx, &result?)?;
        for ((held, before), (_, is_written)) in self.refs.iter().zip(self.put.borrow().iter()) {
            if !is_written {
                *held.tile.borrow_mut() = before.clone();
            }
        }
        Ok(value)
    }
}

/// Whether two tiles are the same value; types alone do not tell.
fn is_same(a: &Tile, b: &Tile) -> bool {
    match (a, b) {
        (Tile::Traced(a), Tile::Traced(b)) => Rc::ptr_eq(&a.trace, &b.trace) && a.value == b.value,
        (Tile::Concrete { array: a, .. }, Tile::Concrete { array: b, .. }) => a.shares_all_with(b),
        (Tile::Abstract(a), Tile::Abstract(b)) => a == b,
        _ => false,
    }
}
