//! Index maps: an affine one is a formula, any other runs on a tape.

use crate::error::RunError;
use crate::hooks::Hooks;
use crate::machine::{Machine, Value, registers};
use crate::memory::{Memory, View};
use crate::tape::Tape;
use pallas_ir::{Function, Op, OpKind, Type, ValueId, ops};
use pallas_tensor::{Array, DType, Scalar};
use std::collections::HashMap;

/// How block indices follow from program ids.
#[derive(Debug)]
pub(crate) enum IndexMap {
    /// No map: block 0.
    Zero,
    /// One sum per dimension: a constant, and a factor per program id. In 32-bit arithmetic.
    Affine(Vec<Affine>),
    /// A function of the program ids and the prefetched scalars.
    Tape(Box<Tape>),
}

/// `constant + sum(factors[i] * ids[i])`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) constant: i32,
    pub(crate) factors: Vec<i32>,
}

impl Affine {
    fn at(&self, ids: &[usize]) -> i64 {
        let sum = self
            .factors
            .iter()
            .zip(ids)
            // Program ids are i32 in the map; wrapping arithmetic does not care when.
            .fold(self.constant, |sum, (factor, &id)| {
                sum.wrapping_add(factor.wrapping_mul(id as i32))
            });
        sum.into()
    }
}

impl IndexMap {
    /// Prepares a map of `axes` program ids to `rank` block indices.
    pub(crate) fn new(
        map: Option<&Function>,
        axes: usize,
        rank: usize,
    ) -> Result<IndexMap, RunError> {
        let Some(map) = map else {
            return Ok(IndexMap::Zero);
        };
        let yields = map.region(map.body).yields.len();
        if map.params().len() < axes || yields != rank {
            return Err(RunError::malformed(format!(
                "the index map {} takes {} parameters and gives {yields} indices for {axes} grid axes and {rank} \
                 dimensions",
                map.name,
                map.params().len()
            )));
        }
        Ok(match affine(map, axes) {
            Some(rows) => IndexMap::Affine(rows),
            None => IndexMap::Tape(Box::new(Tape::new(map)?)),
        })
    }

    /// Block indices of one program.
    pub(crate) fn indices(
        &self,
        ids: &[usize],
        grid: &[usize],
        prefetched: &[View],
        memory: &mut Memory,
        hooks: &mut dyn Hooks,
        out: &mut Vec<i64>,
    ) -> Result<(), RunError> {
        out.clear();
        match self {
            IndexMap::Zero => {}
            IndexMap::Affine(rows) => out.extend(rows.iter().map(|row| row.at(ids))),
            IndexMap::Tape(tape) => {
                let mut registers = registers(tape);
                let mut machine = Machine {
                    registers: &mut registers,
                    memory,
                    ids,
                    grid,
                    hooks,
                    tape,
                };
                let numbers = ids
                    .iter()
                    .map(|&id| Value::Tile(Array::scalar(DType::I32, Scalar::Int(id as i128))));
                let scalars = prefetched.iter().cloned().map(Value::Ref);
                machine.enter(&tape.body, numbers.chain(scalars));
                machine.run(&tape.body)?;
                for &source in &tape.body.yields {
                    out.push(machine.integer(source)?);
                }
            }
        }
        Ok(())
    }
}

/// The formula of a map that only adds, subtracts and multiplies by constants in `i32`.
fn affine(map: &Function, axes: usize) -> Option<Vec<Affine>> {
    let mut known: HashMap<ValueId, Affine> = HashMap::new();
    for (axis, &param) in map.params().iter().take(axes).enumerate() {
        let mut factors = vec![0; axes];
        factors[axis] = 1;
        known.insert(
            param,
            Affine {
                constant: 0,
                factors,
            },
        );
    }
    let combine = |x: &Affine, y: &Affine, f: fn(i32, i32) -> i32| Affine {
        constant: f(x.constant, y.constant),
        factors: x
            .factors
            .iter()
            .zip(&y.factors)
            .map(|(&x, &y)| f(x, y))
            .collect(),
    };
    let is_constant = |x: &Affine| x.factors.iter().all(|&factor| factor == 0);
    for &id in &map.region(map.body).ops {
        let op = map.op(id);
        if !matches!(op.op.kind, OpKind::Pure { .. }) {
            return None;
        }
        let &[result] = op.results.as_slice() else {
            return None;
        };
        let i32_scalar = matches!(map.ty(result), Type::Tensor(ty) if ty.dtype == DType::I32 && ty.shape.is_empty());
        if !i32_scalar {
            // Such as a comparison: only a map that needs it fails below.
            continue;
        }
        let operands: Option<Vec<&Affine>> = op.operands.iter().map(|o| known.get(o)).collect();
        let Some(operands) = operands else { continue };
        let row = match operands.as_slice() {
            [] if op.op == Op(&ops::CONSTANT) => {
                let value = op.attributes.array("value")?.item()?.as_int()?;
                Some(Affine {
                    constant: i32::try_from(value).ok()?,
                    factors: vec![0; axes],
                })
            }
            [x] if op.op == Op(&ops::CONVERT_ELEMENT_TYPE) => Some((*x).clone()),
            [x] if op.op == Op(&ops::NEG) => {
                let zero = Affine {
                    constant: 0,
                    factors: vec![0; axes],
                };
                Some(combine(&zero, x, i32::wrapping_sub))
            }
            [x, y] if op.op == Op(&ops::ADD) => Some(combine(x, y, i32::wrapping_add)),
            [x, y] if op.op == Op(&ops::SUB) => Some(combine(x, y, i32::wrapping_sub)),
            [x, y] if op.op == Op(&ops::MUL) && (is_constant(x) || is_constant(y)) => {
                let (row, factor) = if is_constant(x) {
                    (y, x.constant)
                } else {
                    (x, y.constant)
                };
                Some(Affine {
                    constant: row.constant.wrapping_mul(factor),
                    factors: row.factors.iter().map(|f| f.wrapping_mul(factor)).collect(),
                })
            }
            _ => None,
        };
        if let Some(row) = row {
            known.insert(result, row);
        }
    }
    map.region(map.body)
        .yields
        .iter()
        .map(|value| known.get(value).cloned())
        .collect()
}
