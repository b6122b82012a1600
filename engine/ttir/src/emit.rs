//! The text under construction: lines with their indentation, names, and constants, which all stand at the head of the
//! function, each once.

use crate::Refusal;
use crate::types::{Tile, element, float, shaped};
use pallas_tensor::{DType, Kind, Scalar};
use std::collections::HashMap;
use std::sync::Arc;

/// Writes the body of a function.
#[derive(Debug, Default)]
pub(crate) struct Emitter {
    lines: String,
    heads: String,
    depth: usize,
    next: usize,
    constants: HashMap<String, Arc<str>>,
}

impl Emitter {
    /// A line without a result.
    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.depth + 2 {
            self.lines.push_str("  ");
        }
        self.lines.push_str(text);
        self.lines.push('\n');
    }

    /// A name that nothing has yet.
    pub(crate) fn fresh(&mut self) -> Arc<str> {
        self.next += 1;
        format!("%{}", self.next - 1).into()
    }

    /// A line with one result.
    pub(crate) fn value(&mut self, dtype: DType, shape: &[usize], text: &str) -> Result<Tile, Refusal> {
        element(dtype)?;
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        Ok(Tile { name, dtype, shape: shape.to_vec(), known: None })
    }

    /// A name for a result that is written by hand, or for a region's parameter.
    pub(crate) fn tile(&mut self, dtype: DType, shape: &[usize]) -> Result<Tile, Refusal> {
        element(dtype)?;
        Ok(Tile { name: self.fresh(), dtype, shape: shape.to_vec(), known: None })
    }

    /// What follows stands deeper.
    pub(crate) fn indent(&mut self) {
        self.depth += 1;
    }

    /// Ends [`Emitter::indent`].
    pub(crate) fn outdent(&mut self) {
        self.depth -= 1;
    }

    /// A scalar, or a tile that is the same everywhere.
    pub(crate) fn constant(&mut self, dtype: DType, shape: &[usize], value: Scalar) -> Result<Tile, Refusal> {
        let element = element(dtype)?;
        let (literal, known) = match (dtype.kind(), value) {
            (Kind::Bool, value) => {
                let set = value.as_f64().is_some_and(|v| v != 0.0);
                (set.to_string(), Some(i64::from(set)))
            }
            (_, Scalar::Float(value)) if dtype.is_float() => (float(value, dtype), None),
            (_, value) if dtype.is_float() => (float(value.as_f64().unwrap_or(0.0), dtype), None),
            (_, value) => {
                let value = value.as_int().unwrap_or(0);
                // The type has no sign: what is too large for the signed one is its two's complement.
                let bits = dtype.bits();
                let wrapped = if bits < 128 && value >= 1 << (bits - 1) { value - (1 << bits) } else { value };
                (wrapped.to_string(), i64::try_from(value).ok())
            }
        };
        let ty = shaped(element, shape);
        let known = known.filter(|_| shape.is_empty());
        let text = match shape.is_empty() {
            true => {
                format!("arith.constant {literal}{}", if element == "i1" { String::new() } else { format!(" : {ty}") })
            }
            false => format!("arith.constant dense<{literal}> : {ty}"),
        };
        if let Some(name) = self.constants.get(&text) {
            return Ok(Tile { name: name.clone(), dtype, shape: shape.to_vec(), known });
        }
        let name: Arc<str> = match known {
            Some(_) if element == "i1" => format!("%{literal}").into(),
            Some(_) => format!("%c{literal}_{element}").into(),
            None => format!("%cst_{}", self.constants.len()).into(),
        };
        self.heads.push_str(&format!("    {name} = {text}\n"));
        self.constants.insert(text, name.clone());
        Ok(Tile { name, dtype, shape: shape.to_vec(), known })
    }

    /// A known integer in the dtype and shape of something else.
    pub(crate) fn number(&mut self, like: &Tile, value: i64) -> Result<Tile, Refusal> {
        self.constant(like.dtype, &like.shape, Scalar::Int(value.into()))
    }

    /// A scalar `i32`.
    pub(crate) fn index(&mut self, value: i64) -> Result<Tile, Refusal> {
        self.constant(DType::I32, &[], Scalar::Int(value.into()))
    }

    /// The constants, then the lines.
    pub(crate) fn finish(self) -> String {
        self.heads + &self.lines
    }
}
