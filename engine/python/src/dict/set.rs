//! `set` and `frozenset`, laid out as CPython's setobject.c lays them out, since iteration order is what a program prints.

use crate::interp::Interp;
use crate::operators::equality::quick_equals;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;

/// How many neighbours are tried before jumping (setobject.c).
const LINEAR_PROBES: usize = 9;
const PERTURB_SHIFT: u32 = 5;
const SMALLEST: usize = 8;

#[derive(Clone, Default)]
enum Slot {
    #[default]
    Empty,
    Removed,
    Used(u64, Value),
}

/// `set`
#[derive(Clone, Default)]
pub struct Set {
    /// A power of two long, or empty.
    slots: Vec<Slot>,
    /// Slots that are not empty, removed ones included.
    filled: usize,
    used: usize,
    /// Where `pop` goes on searching.
    finger: usize,
}

impl Set {
    /// An empty set.
    pub fn new() -> Self {
        Set::default()
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Set::default();
    }

    /// Members in CPython's order.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Used(_, value) => Some(value),
            _ => None,
        })
    }

    /// The first member at or after `position`, and the position after it: for iterators that live across changes.
    pub fn next_from(&self, position: usize) -> Option<(usize, &Value)> {
        let rest = self.slots.get(position..)?;
        rest.iter().enumerate().find_map(|(offset, slot)| match slot {
            Slot::Used(_, value) => Some((position + offset + 1, value)),
            _ => None,
        })
    }

    /// Whether `value` is a member. TypeError where it is unhashable.
    pub fn contains(&self, interp: &Interp, value: &Value) -> PyResult<bool> {
        let hash = interp.hash(value)?;
        Ok(self.find(interp, hash, value)?.is_some())
    }

    /// Adds `value`; `false` where it was there already. TypeError where it is unhashable.
    pub fn add(&mut self, interp: &Interp, value: Value) -> PyResult<bool> {
        let hash = interp.hash(&value)?;
        self.add_hashed(interp, hash, value)
    }

    /// Takes `value` out; `false` where it was not there. TypeError where it is unhashable.
    pub fn remove(&mut self, interp: &Interp, value: &Value) -> PyResult<bool> {
        let hash = interp.hash(value)?;
        let Some(at) = self.find(interp, hash, value)? else {
            return Ok(false);
        };
        Ok(self.remove_at(at).is_some())
    }

    fn remove_at(&mut self, at: usize) -> Option<Value> {
        let slot = self.slots.get_mut(at)?;
        if !matches!(slot, Slot::Used(..)) {
            return None;
        }
        self.used -= 1;
        match std::mem::replace(slot, Slot::Removed) {
            Slot::Used(_, value) => Some(value),
            _ => None,
        }
    }

    /// Takes some member out.
    pub fn pop(&mut self) -> Option<Value> {
        if self.used == 0 {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.finger & mask;
        while !matches!(self.slots[at], Slot::Used(..)) {
            at = (at + 1) & mask;
        }
        self.used -= 1;
        self.finger = at + 1;
        match std::mem::replace(&mut self.slots[at], Slot::Removed) {
            Slot::Used(_, value) => Some(value),
            _ => None,
        }
    }

    /// Adds every member of `other`, as `set_merge` does: the result's order is that of CPython.
    pub fn merge(&mut self, interp: &Interp, other: &Set) -> PyResult<()> {
        if other.used == 0 {
            return Ok(());
        }
        self.allocate();
        if (self.filled + other.used) * 5 >= (self.slots.len() - 1) * 3 {
            self.resize((self.used + other.used) * 2);
        }
        if self.filled == 0 {
            if self.slots.len() == other.slots.len() && other.filled == other.used {
                self.slots = other.slots.clone();
                self.filled = other.filled;
                self.used = other.used;
                return Ok(());
            }
            for slot in &other.slots {
                if let Slot::Used(hash, value) = slot {
                    self.insert_clean(*hash, value.clone());
                    self.filled += 1;
                    self.used += 1;
                }
            }
            return Ok(());
        }
        for slot in &other.slots {
            if let Slot::Used(hash, value) = slot {
                self.add_hashed(interp, *hash, value.clone())?;
            }
        }
        Ok(())
    }

    /// A set with the same members, as `set(other)` lays it out.
    pub fn copied(&self, interp: &Interp) -> PyResult<Set> {
        let mut copy = Set::new();
        copy.merge(interp, self)?;
        Ok(copy)
    }

    fn allocate(&mut self) {
        if self.slots.is_empty() {
            self.slots = vec![Slot::Empty; SMALLEST];
        }
    }

    fn add_hashed(&mut self, interp: &Interp, hash: u64, value: Value) -> PyResult<bool> {
        if self.find(interp, hash, &value)?.is_some() {
            return Ok(false);
        }
        self.add_new(hash, value);
        Ok(true)
    }

    /// Puts a value that is not there yet into the first slot that was never used: `set_add_entry` leaves removed
    /// slots alone, too.
    fn add_new(&mut self, hash: u64, value: Value) {
        self.allocate();
        self.insert_clean(hash, value);
        self.filled += 1;
        self.used += 1;
        if self.filled * 5 >= (self.slots.len() - 1) * 3 {
            self.resize(if self.used > 50_000 { self.used * 2 } else { self.used * 4 });
        }
    }

    fn resize(&mut self, least: usize) {
        let mut size = SMALLEST;
        while size <= least {
            size <<= 1;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot::Empty; size]);
        for slot in old {
            if let Slot::Used(hash, value) = slot {
                self.insert_clean(hash, value);
            }
        }
        self.filled = self.used;
    }

    /// Puts a value that is not there yet into the first empty slot.
    fn insert_clean(&mut self, hash: u64, value: Value) {
        let mask = self.slots.len() - 1;
        let mut base = hash as usize & mask;
        let mut perturb = hash;
        loop {
            let probes = if base + LINEAR_PROBES <= mask { LINEAR_PROBES } else { 0 };
            if let Some(at) = (base..=base + probes).find(|&at| matches!(self.slots[at], Slot::Empty)) {
                self.slots[at] = Slot::Used(hash, value);
                return;
            }
            perturb >>= PERTURB_SHIFT;
            base = base.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb as usize) & mask;
        }
    }

    /// As [`Set::find`] without running any code; `None` where that is needed.
    fn find_quick(&self, hash: u64, value: &Value) -> Option<bool> {
        if self.slots.is_empty() {
            return Some(false);
        }
        let mask = self.slots.len() - 1;
        let mut base = hash as usize & mask;
        let mut perturb = hash;
        loop {
            let probes = if base + LINEAR_PROBES <= mask { LINEAR_PROBES } else { 0 };
            for at in base..=base + probes {
                match &self.slots[at] {
                    Slot::Empty => return Some(false),
                    Slot::Used(other, member) if *other == hash && quick_equals(member, value)? => return Some(true),
                    _ => {}
                }
            }
            perturb >>= PERTURB_SHIFT;
            base = base.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb as usize) & mask;
        }
    }

    fn find(&self, interp: &Interp, hash: u64, value: &Value) -> PyResult<Option<usize>> {
        if self.slots.is_empty() {
            return Ok(None);
        }
        let mask = self.slots.len() - 1;
        let mut base = hash as usize & mask;
        let mut perturb = hash;
        loop {
            let probes = if base + LINEAR_PROBES <= mask { LINEAR_PROBES } else { 0 };
            for at in base..=base + probes {
                match &self.slots[at] {
                    Slot::Empty => return Ok(None),
                    Slot::Used(other, member) if *other == hash && same(interp, member, value)? => {
                        return Ok(Some(at));
                    }
                    _ => {}
                }
            }
            perturb >>= PERTURB_SHIFT;
            base = base.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb as usize) & mask;
        }
    }
}

impl Interp {
    /// `item in set` on a shared set, with no borrow held while a user's `__eq__` runs.
    pub fn set_contains(&self, set: &RefCell<Set>, item: &Value) -> PyResult<bool> {
        let hash = self.hash(item)?;
        if let Some(found) = set.borrow().find_quick(hash, item) {
            return Ok(found);
        }
        let copy = set.borrow().clone();
        Ok(copy.find(self, hash, item)?.is_some())
    }

    /// `set.add(item)` on a shared set; `false` where it was there already.
    pub fn set_add(&self, set: &RefCell<Set>, item: Value) -> PyResult<bool> {
        if self.set_contains(set, &item)? {
            return Ok(false);
        }
        let hash = self.hash(&item)?;
        self.charge_bytes(std::mem::size_of::<Slot>() as u128)?;
        set.borrow_mut().add_new(hash, item);
        Ok(true)
    }

    /// `set.discard(item)` on a shared set; `false` where it was not there.
    pub fn set_remove(&self, set: &RefCell<Set>, item: &Value) -> PyResult<bool> {
        let hash = self.hash(item)?;
        let copy = match set.borrow().find_quick(hash, item) {
            Some(false) => return Ok(false),
            Some(true) => None,
            None => Some(set.borrow().clone()),
        };
        let Some(copy) = copy else {
            return set.borrow_mut().remove(self, item);
        };
        let Some(at) = copy.find(self, hash, item)? else {
            return Ok(false);
        };
        let removed = set.borrow_mut().remove_at(at);
        Ok(removed.is_some())
    }
}

fn same(interp: &Interp, a: &Value, b: &Value) -> PyResult<bool> {
    match quick_equals(a, b) {
        Some(same) => Ok(same),
        None => interp.equals(a, b),
    }
}
