//! `dict` and `set`: hash tables over values with Python's equality and Python's order.
//! A dict keeps insertion order; a set has the order of CPython's open addressing, so that printing one prints the same.
//!
//! The methods here call back into the interpreter only for keys with a user-defined `__eq__`; where a table is shared
//! (`Rc<RefCell<..>>`) use [`Interp::dict_get`] and its siblings, which hold no borrow while user code runs.

mod set;

use crate::interp::Interp;
use crate::operators::equality::quick_equals;
use crate::raise::PyResult;
use crate::value::Value;
pub use set::Set;
use std::cell::RefCell;
use std::rc::Rc;

/// A slot of the index that was never used.
const EMPTY: u32 = u32::MAX;
/// A slot of the index whose entry was removed.
const REMOVED: u32 = u32::MAX - 1;
/// Dicts up to this length are searched from end to end, without an index.
const SCANNED: usize = 8;

#[derive(Clone)]
struct Entry {
    hash: u64,
    key: Value,
    value: Value,
}

/// `dict`
#[derive(Clone, Default)]
pub struct Dict {
    /// In order of insertion; `None` where removed.
    entries: Vec<Option<Entry>>,
    /// Open addressing into `entries`; empty while the dict is short.
    index: Vec<u32>,
    /// Slots of the index that are not empty, removed ones included.
    occupied: usize,
    live: usize,
}

impl Dict {
    /// An empty dict.
    pub fn new() -> Self {
        Dict::default()
    }

    /// An empty dict with room for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Dict { entries: Vec::with_capacity(capacity), ..Dict::default() }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Dict::default();
    }

    /// The value of `key`. TypeError for an unhashable key.
    pub fn get(&self, interp: &Interp, key: &Value) -> PyResult<Option<&Value>> {
        let hash = interp.hash(key)?;
        Ok(self.find(interp, hash, key)?.and_then(|at| self.entries[at].as_ref()).map(|entry| &entry.value))
    }

    /// Whether `key` is there. TypeError for an unhashable key.
    pub fn contains(&self, interp: &Interp, key: &Value) -> PyResult<bool> {
        Ok(self.get(interp, key)?.is_some())
    }

    /// Sets `key` to `value` and returns the old value; a key that is there keeps its place. TypeError for an unhashable
    /// key.
    pub fn insert(&mut self, interp: &Interp, key: Value, value: Value) -> PyResult<Option<Value>> {
        let hash = interp.hash(&key)?;
        match self.find(interp, hash, &key)? {
            Some(at) => Ok(self.replace(at, value)),
            None => {
                self.push(hash, key, value);
                Ok(None)
            }
        }
    }

    /// Takes `key` out. TypeError for an unhashable key.
    pub fn remove(&mut self, interp: &Interp, key: &Value) -> PyResult<Option<(Value, Value)>> {
        let hash = interp.hash(key)?;
        Ok(self.find(interp, hash, key)?.and_then(|at| self.remove_at(at)))
    }

    /// The value of a `str` key.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        let at = self.find_str(key)?;
        self.entries[at].as_ref().map(|entry| &entry.value)
    }

    /// Sets a `str` key.
    pub fn insert_str(&mut self, key: &str, value: Value) -> Option<Value> {
        match self.find_str(key) {
            Some(at) => self.replace(at, value),
            None => {
                self.push(hash_str(key), Value::str(key), value);
                None
            }
        }
    }

    /// Takes a `str` key out.
    pub fn remove_str(&mut self, key: &str) -> Option<Value> {
        let at = self.find_str(key)?;
        self.remove_at(at).map(|(_, value)| value)
    }

    /// Keys and values in order of insertion.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Value, &Value)> {
        self.entries.iter().flatten().map(|entry| (&entry.key, &entry.value))
    }

    /// Keys in order of insertion.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.iter().map(|(key, _)| key)
    }

    /// Values in order of insertion.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }

    /// The first entry at or after `position`, and the position after it: for iterators that live across changes.
    pub fn next_from(&self, position: usize) -> Option<(usize, &Value, &Value)> {
        let rest = self.entries.get(position..)?;
        let (offset, entry) = rest.iter().enumerate().find_map(|(i, entry)| Some((i, entry.as_ref()?)))?;
        Some((position + offset + 1, &entry.key, &entry.value))
    }

    /// Takes the newest entry out: `popitem()`.
    pub fn pop_last(&mut self) -> Option<(Value, Value)> {
        let at = self.entries.iter().rposition(Option::is_some)?;
        self.remove_at(at)
    }

    /// Moves `key` to the end, or to the front: `OrderedDict.move_to_end`. `false` where it is not there.
    pub fn move_to_end(&mut self, interp: &Interp, key: &Value, last: bool) -> PyResult<bool> {
        let hash = interp.hash(key)?;
        let Some((key, value)) = self.find(interp, hash, key)?.and_then(|at| self.remove_at(at)) else {
            return Ok(false);
        };
        if last {
            self.push(hash, key, value);
        } else {
            self.entries.insert(0, Some(Entry { hash, key, value }));
            self.live += 1;
            self.reindex();
        }
        Ok(true)
    }

    /// Copies every entry of `other` into this dict. The keys are hashed already, so only equality may run user code.
    pub fn update_from(&mut self, interp: &Interp, other: &Dict) -> PyResult<()> {
        for entry in other.entries.iter().flatten() {
            match self.find(interp, entry.hash, &entry.key)? {
                Some(at) => {
                    self.replace(at, entry.value.clone());
                }
                None => self.push(entry.hash, entry.key.clone(), entry.value.clone()),
            }
        }
        Ok(())
    }

    fn find_str(&self, key: &str) -> Option<usize> {
        let hash = hash_str(key);
        self.candidates(hash).find(|&at| {
            self.entries[at].as_ref().is_some_and(|entry| matches!(&entry.key, Value::Str(text) if **text == *key))
        })
    }

    fn find(&self, interp: &Interp, hash: u64, key: &Value) -> PyResult<Option<usize>> {
        for at in self.candidates(hash) {
            let Some(entry) = &self.entries[at] else {
                continue;
            };
            let same = match quick_equals(&entry.key, key) {
                Some(same) => same,
                None => interp.equals(&entry.key, key)?,
            };
            if same {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Positions of the entries with this hash.
    fn candidates(&self, hash: u64) -> Candidates<'_> {
        let slot = if self.index.is_empty() { 0 } else { spread(hash) & (self.index.len() - 1) };
        Candidates { dict: self, hash, slot }
    }

    fn replace(&mut self, at: usize, value: Value) -> Option<Value> {
        self.entries[at].as_mut().map(|entry| std::mem::replace(&mut entry.value, value))
    }

    fn push(&mut self, hash: u64, key: Value, value: Value) {
        self.entries.push(Some(Entry { hash, key, value }));
        self.live += 1;
        let crowded = if self.index.is_empty() {
            self.entries.len() > SCANNED
        } else {
            // At most two thirds full, counting removed slots, so that probing ends, and soon.
            self.occupied * 3 > self.index.len() * 2
        };
        if crowded {
            self.reindex();
        } else if !self.index.is_empty() {
            let at = self.entries.len() - 1;
            self.index_entry(hash, at);
        }
    }

    fn index_entry(&mut self, hash: u64, at: usize) {
        let mask = self.index.len() - 1;
        let mut slot = spread(hash) & mask;
        while self.index[slot] != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.index[slot] = at as u32;
        self.occupied += 1;
    }

    /// Drops the gaps that removals left and builds the index anew.
    fn reindex(&mut self) {
        self.entries.retain(Option::is_some);
        self.index.clear();
        self.occupied = 0;
        if self.entries.len() <= SCANNED {
            return;
        }
        self.index.resize((self.entries.len() * 3).next_power_of_two(), EMPTY);
        for at in 0..self.entries.len() {
            if let Some(hash) = self.entries[at].as_ref().map(|entry| entry.hash) {
                self.index_entry(hash, at);
            }
        }
    }

    fn remove_at(&mut self, at: usize) -> Option<(Value, Value)> {
        let entry = self.entries.get_mut(at)?.take()?;
        self.live -= 1;
        if !self.index.is_empty() {
            let mask = self.index.len() - 1;
            let mut slot = spread(entry.hash) & mask;
            while self.index[slot] != EMPTY {
                if self.index[slot] == at as u32 {
                    self.index[slot] = REMOVED;
                    break;
                }
                slot = (slot + 1) & mask;
            }
        }
        if self.live == 0 {
            self.clear();
        } else if self.entries.last().is_some_and(Option::is_none) {
            // Removing from the end (`popitem`, a stack of keys) must not leave a tail of gaps to walk over.
            while self.entries.last().is_some_and(Option::is_none) {
                self.entries.pop();
            }
        }
        Some((entry.key, entry.value))
    }
}

/// Positions of entries with one hash.
struct Candidates<'a> {
    dict: &'a Dict,
    hash: u64,
    slot: usize,
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let Dict { entries, index, .. } = self.dict;
        if index.is_empty() {
            while self.slot < entries.len() {
                let at = self.slot;
                self.slot += 1;
                if entries[at].as_ref().is_some_and(|entry| entry.hash == self.hash) {
                    return Some(at);
                }
            }
            return None;
        }
        let mask = index.len() - 1;
        loop {
            let at = index[self.slot];
            if at == EMPTY {
                return None;
            }
            self.slot = (self.slot + 1) & mask;
            if at != REMOVED && entries[at as usize].as_ref().is_some_and(|entry| entry.hash == self.hash) {
                return Some(at as usize);
            }
        }
    }
}

/// Python's hashes of small integers are the integers: mix the bits before masking.
fn spread(hash: u64) -> usize {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize
}

/// The hash of a `str`. CPython's is random per process, so any will do.
pub(crate) fn hash_str(text: &str) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325u64;
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    for chunk in chunks {
        state = (state.rotate_left(23) ^ u64::from_le_bytes(*chunk)).wrapping_mul(0x2127_599b_f432_5c37);
    }
    for byte in rest {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (state ^ (state >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ text.len() as u64
}

impl Interp {
    /// `dict.get(key)` on a shared dict.
    pub fn dict_get(&self, dict: &RefCell<Dict>, key: &Value) -> PyResult<Option<Value>> {
        let hash = self.hash(key)?;
        let at = self.dict_find(dict, hash, key)?;
        let dict = dict.borrow();
        Ok(at.and_then(|at| dict.entries.get(at)?.as_ref()).map(|entry| entry.value.clone()))
    }

    /// `dict[key] = value` on a shared dict.
    pub fn dict_set(&self, dict: &RefCell<Dict>, key: Value, value: Value) -> PyResult<()> {
        let hash = self.hash(&key)?;
        let at = self.dict_find(dict, hash, &key)?;
        let old = {
            let mut dict = dict.borrow_mut();
            match at {
                Some(at) if dict.entries.get(at).is_some_and(Option::is_some) => dict.replace(at, value),
                _ => {
                    self.charge_bytes(std::mem::size_of::<Entry>() as u128)?;
                    dict.push(hash, key, value);
                    None
                }
            }
        };
        // Dropped with no borrow held: dropping a value may drop a container of containers.
        drop(old);
        Ok(())
    }

    /// Takes `key` out of a shared dict.
    pub fn dict_remove(&self, dict: &RefCell<Dict>, key: &Value) -> PyResult<Option<(Value, Value)>> {
        let hash = self.hash(key)?;
        let at = self.dict_find(dict, hash, key)?;
        Ok(at.and_then(|at| dict.borrow_mut().remove_at(at)))
    }

    /// The position of `key`, comparing without a borrow where user code may run.
    fn dict_find(&self, dict: &RefCell<Dict>, hash: u64, key: &Value) -> PyResult<Option<usize>> {
        let mut undecided = Vec::new();
        {
            let dict = dict.borrow();
            for at in dict.candidates(hash) {
                let Some(entry) = &dict.entries[at] else {
                    continue;
                };
                match quick_equals(&entry.key, key) {
                    Some(true) => return Ok(Some(at)),
                    Some(false) => {}
                    None => undecided.push((at, entry.key.clone())),
                }
            }
        }
        for (at, candidate) in undecided {
            if self.equals(&candidate, key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// A dict of `str` keys as a value.
    pub fn dict_of(&self, entries: impl IntoIterator<Item = (impl AsRef<str>, Value)>) -> Value {
        let mut dict = Dict::new();
        for (key, value) in entries {
            dict.insert_str(key.as_ref(), value);
        }
        Value::Dict(Rc::new(RefCell::new(dict)))
    }
}
