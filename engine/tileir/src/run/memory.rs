//! Memory as bytes, what is loaded and stored, and whether that is in the order of tokens.

use super::value::{self, Held};
use super::{Fault, Machine, groups, int};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Operation, PaddingValue, Type};
use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::{Array, DType, Scalar};
use std::collections::{BTreeSet, HashMap};

/// Accesses are looked after by stretches of so many bytes.
const STRETCH: i64 = 128;

/// A parameter's memory.
pub(super) struct Ram {
    bytes: Vec<u8>,
    written: bool,
    /// The token that the last access to a stretch gave.
    last: HashMap<i64, (u64, u64)>,
}

impl Ram {
    pub(super) fn new(bytes: Vec<u8>, written: bool) -> Ram {
        Ram { bytes, written, last: HashMap::new() }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Another block begins.
    pub(super) fn begin(&mut self) {
        self.last.clear();
    }

    fn read(&self, byte: i64, size: usize) -> Result<&[u8], Fault> {
        let found = usize::try_from(byte).ok().and_then(|byte| self.bytes.get(byte..byte + size));
        found.ok_or_else(|| Fault::new(format!("reads byte {byte} of {}", self.bytes.len())))
    }

    fn write(&mut self, byte: i64, data: &[u8]) -> Result<(), Fault> {
        if !self.written {
            return Err(Fault::new("writes to memory that is said to be only read"));
        }
        let end = self.bytes.len();
        let found = usize::try_from(byte).ok().and_then(|byte| self.bytes.get_mut(byte..byte + data.len()));
        found.ok_or_else(|| Fault::new(format!("writes byte {byte} of {end}")))?.copy_from_slice(data);
        Ok(())
    }
}

/// Where an access goes: a byte for each element, none where it is masked off or outside.
struct Places {
    memory: usize,
    bytes: Vec<Option<i64>>,
}

impl Machine<'_> {
    /// Views, tokens, and what goes to memory; `None` for all other ops.
    pub(super) fn access(&mut self, op: &Operation) -> Result<Option<Vec<Held>>, Fault> {
        Ok(Some(match op.opcode {
            Opcode::MakeToken => {
                self.tokens += 1;
                vec![Held::Token(self.tokens, 0)]
            }
            Opcode::MakeTensorView => {
                let Held::Pointers { memory, bytes, .. } = self.held(op, 0)? else {
                    return Err(Fault::new("a view of no pointer"));
                };
                vec![Held::Array { memory, byte: bytes.first().copied().unwrap_or(0) }]
            }
            Opcode::MakePartitionView => {
                let (Held::Array { memory, byte }, Some(Type::PartitionView(ty))) =
                    (self.held(op, 0)?, op.result_types.first())
                else {
                    return Err(Fault::new("a cut of no array"));
                };
                vec![Held::Cut { memory, byte, ty: ty.clone() }]
            }
            Opcode::LoadViewTko => {
                let sizes = groups(op);
                let places = self.cut(op, 0, 1)?;
                let (dtype, shape) = result(op)?;
                let padding = self.padding(op, dtype)?;
                let token = self.passed(op, 1 + sizes[1], sizes.get(2) == Some(&1), &places)?;
                vec![Held::Tile(self.loaded(&places, dtype, &shape, Some(&padding))?), token]
            }
            Opcode::StoreViewTko => {
                let sizes = groups(op);
                let places = self.cut(op, 1, 2)?;
                let token = self.passed(op, 2 + sizes[2], sizes.get(3) == Some(&1), &places)?;
                let value = self.tile(op, 0)?;
                self.stored(&places, &value)?;
                vec![token]
            }
            Opcode::LoadPtrTko => {
                let sizes = groups(op);
                let places = self.pointed(op, (sizes[1] == 1).then_some(1))?;
                let (dtype, shape) = result(op)?;
                let padding = if sizes[2] == 1 { Some(self.tile(op, 1 + sizes[1])?) } else { None };
                let token = self.passed(op, 1 + sizes[1] + sizes[2], sizes[3] == 1, &places)?;
                vec![Held::Tile(self.loaded(&places, dtype, &shape, padding.as_ref())?), token]
            }
            Opcode::StorePtrTko => {
                let sizes = groups(op);
                let places = self.pointed(op, (sizes[2] == 1).then_some(2))?;
                let token = self.passed(op, 2 + sizes[2], sizes[3] == 1, &places)?;
                let value = self.tile(op, 1)?;
                self.stored(&places, &value)?;
                vec![token]
            }
            Opcode::AtomicRMW => {
                let sizes = groups(op);
                let places = self.pointed(op, (sizes[2] == 1).then_some(2))?;
                let token = self.passed(op, 2 + sizes[2], sizes[3] == 1, &places)?;
                vec![Held::Tile(self.atomic(op, &places)?), token]
            }
            _ => return Ok(None),
        }))
    }

    /// The bytes of a tile of a cut: its number along each dimension follows the view.
    fn cut(&self, op: &Operation, view: usize, first: usize) -> Result<Places, Fault> {
        let Held::Cut { memory, byte, ty } = self.held(op, view)? else { return Err(Fault::new("no cut")) };
        let size = value::dtype(ty.tensor_view.element_type)?.size_bytes().max(1) as i64;
        let mut bytes = vec![Some(byte)];
        for (dim, &extent) in ty.tile_shape.iter().enumerate() {
            let start = self.number(op, first + dim)? * i64::from(extent);
            if start < 0 {
                return Err(Fault::new(format!("the number of a tile is negative along dimension {dim}")));
            }
            let (end, stride) = (ty.tensor_view.shape[dim], ty.tensor_view.strides[dim]);
            let line: Vec<Option<i64>> =
                (start..start + i64::from(extent)).map(|at| (at < end).then_some(at * stride * size)).collect();
            let all = bytes.iter().flat_map(|base| line.iter().map(move |far| Some((*base)? + (*far)?)));
            bytes = all.collect();
        }
        Ok(Places { memory, bytes })
    }

    fn padding(&self, op: &Operation, dtype: DType) -> Result<Array, Fault> {
        let Held::Cut { ty, .. } = self.held(op, 0)? else { return Err(Fault::new("no cut")) };
        let value = match ty.padding_value {
            Some(PaddingValue::Nan) => Scalar::Float(f64::NAN),
            Some(PaddingValue::Zero) => Scalar::zero(dtype),
            other => return Err(Fault::new(format!("nothing here pads with {other:?}"))),
        };
        Ok(Array::scalar(dtype, value))
    }

    fn pointed(&self, op: &Operation, mask: Option<usize>) -> Result<Places, Fault> {
        let Held::Pointers { memory, bytes, .. } = self.held(op, 0)? else { return Err(Fault::new("no pointers")) };
        let bytes = match mask {
            None => bytes.into_iter().map(Some).collect(),
            Some(mask) => {
                let mask = self.tile(op, mask)?;
                let there = mask.iter_scalars().map(|there| there.as_bool() == Some(true));
                bytes.into_iter().zip(there).map(|(byte, there)| there.then_some(byte)).collect()
            }
        };
        Ok(Places { memory, bytes })
    }

    /// Looks whether an access comes after what was done there before, and gives the token that follows it.
    fn passed(&mut self, op: &Operation, number: usize, has: bool, places: &Places) -> Result<Held, Fault> {
        let ram = &mut self.rams[places.memory];
        if !has {
            if ram.written {
                return Err(Fault::new("memory that is written is accessed without a token"));
            }
            self.tokens += 1;
            return Ok(Held::Token(self.tokens, 0));
        }
        let held = op.operands.get(number).and_then(|value| self.values.get(value));
        let Some(&Held::Token(chain, at)) = held else { return Err(Fault::new("no token stands where one should")) };
        let stretches: BTreeSet<i64> = places.bytes.iter().flatten().map(|byte| byte.div_euclid(STRETCH)).collect();
        for stretch in stretches {
            let last = ram.last.entry(stretch).or_insert((chain, at));
            if last.0 != chain || last.1 > at {
                return Err(Fault::new(format!(
                    "an access at byte {} does not wait for the one before",
                    stretch * STRETCH
                )));
            }
            *last = (chain, at + 1);
        }
        Ok(Held::Token(chain, at + 1))
    }

    fn loaded(&self, places: &Places, dtype: DType, shape: &[usize], padding: Option<&Array>) -> Result<Array, Fault> {
        let size = dtype.size_bytes().max(1);
        let padding = padding.map(value::encoded);
        let mut data = Vec::with_capacity(places.bytes.len() * size);
        for (number, byte) in places.bytes.iter().enumerate() {
            match (byte, &padding) {
                (Some(byte), _) => data.extend_from_slice(self.rams[places.memory].read(*byte, size)?),
                (None, Some(padding)) => {
                    let at = if padding.len() == size { 0 } else { number * size };
                    data.extend_from_slice(padding.get(at..at + size).unwrap_or(&vec![0; size]));
                }
                (None, None) => return Err(Fault::new("what is masked off has no value")),
            }
        }
        value::decoded(dtype, shape, &data)
    }

    fn stored(&mut self, places: &Places, value: &Array) -> Result<(), Fault> {
        let size = value.dtype().size_bytes().max(1);
        let data = value::encoded(value);
        for (byte, element) in places.bytes.iter().zip(data.chunks_exact(size)) {
            if let Some(byte) = byte {
                self.rams[places.memory].write(*byte, element)?;
            }
        }
        Ok(())
    }

    /// One element after the other: several may be at one place.
    fn atomic(&mut self, op: &Operation, places: &Places) -> Result<Array, Fault> {
        let value = self.tile(op, 1)?;
        let (dtype, mode) = (value.dtype(), int(op, "mode"));
        let size = dtype.size_bytes().max(1);
        let combine = match mode {
            0 => Some(BinaryOp::And),
            1 => Some(BinaryOp::Or),
            2 => Some(BinaryOp::Xor),
            3 | 4 => Some(BinaryOp::Add),
            5 | 7 => Some(BinaryOp::Max),
            6 | 8 => Some(BinaryOp::Min),
            _ => None,
        };
        let sign = if matches!(mode, 7 | 8) { value::unsigned(dtype) } else { dtype };
        let mut old = Vec::with_capacity(places.bytes.len() * size);
        for (number, byte) in places.bytes.iter().enumerate() {
            let Some(byte) = byte else {
                old.extend(vec![0; size]);
                continue;
            };
            let there = self.rams[places.memory].read(*byte, size)?.to_vec();
            let element = value.get(number).ok_or_else(|| Fault::new("an atomic lacks an element"))?;
            let new = match combine {
                Some(combine) => {
                    let before = value::decoded(sign, &[], &there)?;
                    let by = ops::bitcast_convert(&Array::scalar(dtype, element), sign)?;
                    ops::binary(combine, before, by)?
                }
                None => Array::scalar(dtype, element),
            };
            self.rams[places.memory].write(*byte, &value::encoded(&new))?;
            old.extend(there);
        }
        value::decoded(dtype, value.shape(), &old)
    }
}

/// The dtype and shape of what an op loads.
fn result(op: &Operation) -> Result<(DType, Vec<usize>), Fault> {
    value::tile(op.result_types.first().ok_or_else(|| Fault::new("a load gives nothing"))?)
}
