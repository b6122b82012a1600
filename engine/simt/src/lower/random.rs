//! Keys and random bits: the Threefry cipher over registers, with arithmetic that every register does by itself. A key is one
//! `u64`, its first word the lower one, as it lies in memory.

use super::context::{Lower, Tile, row_major};
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use crate::ir::Value;
use pallas_ir::{OpData, ops};
use pallas_tensor::{Array, DType, Scalar};

/// By how much the second word turns in each round of a group.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// What the words of the key are mixed with for the third.
const PARITY: u32 = 0x1BD1_1BDA;

/// The dtype of registers and memory.
pub(crate) fn register(dtype: DType) -> DType {
    if dtype == DType::Key { DType::U64 } else { dtype }
}

/// An array as memory holds it.
pub(crate) fn in_memory(array: &Array) -> Array {
    if array.dtype() != DType::Key {
        return array.clone();
    }
    let numbers: Vec<Scalar> = array.iter_scalars().map(number).collect();
    Array::from_scalars(DType::U64, array.shape().clone(), &numbers).unwrap_or_else(|_| array.clone())
}

/// An element as a register holds it.
pub(crate) fn number(element: Scalar) -> Scalar {
    match element {
        Scalar::Key([first, second]) => Scalar::Int(i128::from(u64::from(second) << 32 | u64::from(first))),
        other => other,
    }
}

/// An array of keys from what memory holds.
pub(crate) fn from_memory(array: &Array) -> Option<Array> {
    let words = |number: Scalar| {
        let number = number.as_int().unwrap_or(0) as u64;
        Scalar::Key([number as u32, (number >> 32) as u32])
    };
    let keys: Vec<Scalar> = array.iter_scalars().map(words).collect();
    Array::from_scalars(DType::Key, array.shape().clone(), &keys).ok()
}

impl Lower<'_> {
    /// An op on keys.
    pub(crate) fn lower_random(&mut self, op: &OpData) -> Result<(), Refusal> {
        let first = self.tile(op.operands[0])?;
        match op.op.name {
            "random_seed" => {
                let wide = self.b.ty(first.value).dtype.bits() == 64;
                let seed = self.b.convert(first.value, DType::U64);
                let low = self.b.convert(seed, DType::U32);
                let high = if wide { self.upper(seed) } else { self.word(0) };
                let key = self.key([high, low]);
                self.set(op, key);
            }
            "random_fold_in" => {
                let data = self.tile(op.operands[1])?;
                let (key, zero) = (self.words(first.value), self.word(0));
                let block = self.threefry(key, [zero, data.value]);
                let key = self.key(block);
                self.set(op, key);
            }
            "random_wrap" => {
                let shape = self.function.ty(op.results[0]).shape().to_vec();
                let words = [0, 1].map(|word| self.every_other(&first, &shape, word));
                let key = self.key(words);
                self.set(op, key);
            }
            "random_unwrap" => {
                let (key, layout) = self.for_each(op, &first)?;
                let [low, high] = self.words(key);
                let which = self.b.coord(&layout, layout.shape.len() - 1);
                let zero = self.b.int(0);
                let is_first = self.b.binary(&ops::EQ, which, zero);
                let word = self.b.select(is_first, low, high);
                self.set(op, word);
            }
            "random_split" | "random_bits" => {
                let (key, layout) = self.for_each(op, &first)?;
                let inner: Vec<i64> = row_major(&layout.shape[first.shape.len()..]);
                let strides: Vec<i64> = vec![0; first.shape.len()].into_iter().chain(inner).collect();
                let counter = self.address(&layout, &strides, Number::Known(0));
                let counter = self.b.convert(counter, DType::U32);
                let (key, zero) = (self.words(key), self.word(0));
                let block = self.threefry(key, [zero, counter]);
                let value = match op.op.name {
                    "random_split" => self.key(block),
                    _ => self.narrowed(block, self.function.ty(op.results[0]).dtype()),
                };
                self.set(op, value);
            }
            "threefry2x32" => {
                let mut words = vec![first.value];
                for &operand in &op.operands[1..] {
                    words.push(self.tile(operand)?.value);
                }
                let &[k0, k1, c0, c1] = words.as_slice() else { return Err(self.malformed()) };
                let block = self.threefry([k0, k1], [c0, c1]);
                for (&result, value) in op.results.iter().zip(block) {
                    self.set_value(result, value);
                }
            }
            _ => return Err(self.refuse(op)),
        }
        Ok(())
    }

    /// The key of every element of a result that has dimensions of its own after those of the keys.
    fn for_each(&mut self, op: &OpData, keys: &Tile) -> Result<(Value, crate::layout::Layout), Refusal> {
        let layout = self.layout(self.function.ty(op.results[0]).shape());
        let from = Map::row_major(&keys.shape);
        let mut strides = from.strides.clone();
        strides.resize(layout.shape.len(), 0);
        let to = Map { base: Number::Known(0), strides };
        Ok((self.deal_to(&[(keys.clone(), from)], &layout, &to), layout))
    }

    /// One of two elements along the last dimension.
    fn every_other(&mut self, tile: &Tile, shape: &[usize], which: i64) -> Value {
        let from = Map::row_major(&tile.shape);
        let strides = from.strides[..shape.len()].to_vec();
        self.deal(&[(tile.clone(), from)], shape, &Map { base: Number::Known(which), strides })
    }

    fn narrowed(&mut self, [left, right]: [Value; 2], dtype: DType) -> Value {
        if dtype == DType::U64 {
            return self.key([right, left]);
        }
        let word = self.b.binary(&ops::XOR, left, right);
        self.b.convert(word, dtype)
    }

    fn word(&mut self, word: u32) -> Value {
        self.b.constant(DType::U32, Scalar::Int(word.into()), 1)
    }

    fn upper(&mut self, wide: Value) -> Value {
        let by = self.b.constant(DType::U64, Scalar::Int(32), 1);
        let high = self.b.binary(&ops::SHIFT_RIGHT_LOGICAL, wide, by);
        self.b.convert(high, DType::U32)
    }

    fn words(&mut self, key: Value) -> [Value; 2] {
        [self.b.convert(key, DType::U32), self.upper(key)]
    }

    fn key(&mut self, [low, high]: [Value; 2]) -> Value {
        let (low, high) = (self.b.convert(low, DType::U64), self.b.convert(high, DType::U64));
        let by = self.b.constant(DType::U64, Scalar::Int(32), 1);
        let high = self.b.binary(&ops::SHIFT_LEFT, high, by);
        self.b.binary(&ops::OR, high, low)
    }

    /// A block of the cipher: a counter of two words, encrypted.
    fn threefry(&mut self, key: [Value; 2], counter: [Value; 2]) -> [Value; 2] {
        let parity = self.word(PARITY);
        let both = self.b.binary(&ops::XOR, key[0], key[1]);
        let schedule = [key[0], key[1], self.b.binary(&ops::XOR, both, parity)];
        let mut left = self.b.binary(&ops::ADD, counter[0], schedule[0]);
        let mut right = self.b.binary(&ops::ADD, counter[1], schedule[1]);
        for group in 0..5 {
            for rotation in ROTATIONS[group % 2] {
                left = self.b.binary(&ops::ADD, left, right);
                let (by, rest) = (self.word(rotation), self.word(32 - rotation));
                let up = self.b.binary(&ops::SHIFT_LEFT, right, by);
                let down = self.b.binary(&ops::SHIFT_RIGHT_LOGICAL, right, rest);
                let turned = self.b.binary(&ops::OR, up, down);
                right = self.b.binary(&ops::XOR, turned, left);
            }
            left = self.b.binary(&ops::ADD, left, schedule[(group + 1) % 3]);
            let number = self.word(group as u32 + 1);
            let mixed = self.b.binary(&ops::ADD, schedule[(group + 2) % 3], number);
            right = self.b.binary(&ops::ADD, right, mixed);
        }
        [left, right]
    }
}
