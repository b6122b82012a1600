//! Arrays as arguments: their dtype, rank and dimensions from what earlier calls have taught, comments, what the body does with
//! them, docstrings, and names, in this order.

use super::described::docstring;
use super::dims::evaluated;
use super::made::{Made, Maker, plain};
use super::planner::Kind;
use super::usage::Use;
use crate::array::ArrayObject;
use crate::tile::Tile;
use pallas_ir::TensorType;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{DType, Shape};

impl Maker<'_> {
    /// An array for a parameter.
    pub(super) fn array_named(&self, name: &Name) -> Option<Made> {
        let lowered = name.to_lowercase();
        let unused = Use::default();
        let used = self.uses.get(name).unwrap_or(&unused);
        // Of keys and values that are only passed on, the query says what they are.
        let used = self.query_of(&lowered).filter(|_| used.rank.is_none()).unwrap_or(used);
        let (by_comment, by_docstring) =
            (self.described.get(name), self.docstring.and_then(|text| docstring(text, name)));
        let described = by_comment.or(by_docstring.as_ref());
        let usual = match (is_index(&lowered), self.uses.halves) {
            (true, _) => DType::I32,
            (false, true) => DType::BF16,
            (false, false) => DType::F32,
        };
        let said = described.and_then(|described| described.dtype);
        let dtype = self.learnt.dtype(name).or(said).or(used.dtype);
        let (is_of_any_dtype, dtype) = (dtype.is_none(), dtype.unwrap_or(usual));
        let rank = self.learnt.rank(name).or(used.rank);
        // What somebody wrote about an array may be older than what is done with it.
        if let Some(described) = described.filter(|described| rank.is_none_or(|rank| rank == described.dims.len()))
            && (by_comment.is_some() || used.rank.is_none())
        {
            return Some(Made { is_of_any_dtype, ..self.array(described.dims.clone(), dtype) });
        }
        let rank = rank.unwrap_or_else(|| {
            let usual = match lowered.as_str() {
                "weight" | "bias" | "gamma" | "beta" | "scale" => 1,
                _ if is_index(&lowered) => 1,
                _ => self.rank,
            };
            usual.max(used.least)
        });
        Some(Made { is_of_any_dtype, ..self.array(self.dims(name, used, rank), dtype) })
    }

    /// What is known of the query, for what stands beside it in an attention.
    fn query_of(&self, lowered: &str) -> Option<&Use> {
        let (_, query) = BESIDE_QUERIES.iter().find(|(names, _)| names.contains(&lowered))?;
        self.uses.get(query).filter(|query| query.rank.is_some())
    }

    /// What the dimensions of an array are called.
    fn dims(&self, name: &Name, used: &Use, rank: usize) -> Vec<String> {
        // As attention has it: batch, heads, length, features.
        let usual: &[&str] = match rank {
            4 => &["batch", "heads", "length", "head_dim"],
            3 => &["heads", "length", "head_dim"],
            _ => &[],
        };
        let dim = |index: usize| match (used.dimension(index, rank), usual.get(index)) {
            (Some(name), _) => self.uses.representative(name).to_string(),
            (None, Some(usual)) if !self.lengths.apart => usual.to_string(),
            // A name of its own, with what it is called where nothing is known.
            (None, usual) => format!("{name}.{index} {}", usual.unwrap_or(&"")),
        };
        (0..rank).map(dim).collect()
    }

    /// `Float[Array, "batch *heads 3 d"]`: of so many dimensions, and of one of the dtypes of its kind.
    pub(super) fn jaxtyping(&self, name: &Name, dims: &str, kind: &Jaxtyping) -> Made {
        let dim = |dim: &str| match dim {
            "..." => None,
            _ if dim.starts_with('*') => Some("batch".to_string()),
            _ => Some(dim.rsplit('=').next().unwrap_or(dim).trim_start_matches(['#', '?', '_']).to_string()),
        };
        let known = self.learnt.dtype(name).or_else(|| self.uses.get(name)?.dtype.filter(|_| kind.is_any));
        let made = self.array(dims.split_whitespace().filter_map(dim).collect(), known.unwrap_or(kind.dtype));
        Made { is_of_any_dtype: kind.is_any && known.is_none(), ..made }
    }

    fn array(&self, dims: Vec<String>, dtype: DType) -> Made {
        let lengths: Shape = dims.iter().map(|dim| self.length(dim)).collect();
        let ty = TensorType::new(dtype, lengths);
        let words = ty.to_string();
        let value = Value::object(ArrayObject { tile: Tile::Abstract(ty.clone()) });
        Made { kind: Kind::Array(ty, dims), ..plain(value, &words) }
    }

    /// How long a dimension is, by what it is called.
    fn length(&self, dim: &str) -> usize {
        if let Some(length) = self.learnt.length(dim) {
            return length;
        }
        let (own, hint) = dim.split_once(' ').filter(|(own, _)| own.contains('.')).unwrap_or((dim, dim));
        let is_name = own.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
        if !is_name {
            return evaluated(own, &|name| self.length(name)).unwrap_or(self.lengths.other);
        }
        if let Some(length) = self.lengths.known(hint) {
            return length;
        }
        // As a parameter is called that is a number.
        if let Some(length) = self.numbers.get(own).and_then(|number| usize::try_from(*number).ok()).filter(|n| *n > 0)
        {
            return length;
        }
        let mut apart = self.apart.borrow_mut();
        let number = apart.iter().position(|known| known == own).unwrap_or_else(|| {
            apart.push(own.to_string());
            apart.len() - 1
        });
        self.lengths.nth(number)
    }
}

/// One of jaxtyping's kinds of array.
pub(super) struct Jaxtyping {
    name: &'static str,
    /// What arrays of this kind are made of.
    dtype: DType,
    /// There are others of this kind.
    is_any: bool,
}

impl Jaxtyping {
    /// The kind of this name.
    pub(super) fn of(name: &str) -> Option<&'static Jaxtyping> {
        let last = name.rsplit('.').next().unwrap_or(name);
        JAXTYPING.iter().find(|kind| kind.name == last)
    }

    const fn any(name: &'static str, dtype: DType) -> Self {
        Jaxtyping { name, dtype, is_any: true }
    }

    const fn one(name: &'static str, dtype: DType) -> Self {
        Jaxtyping { name, dtype, is_any: false }
    }
}

static JAXTYPING: [Jaxtyping; 11] = [
    Jaxtyping::any("Float", DType::BF16),
    Jaxtyping::one("Float32", DType::F32),
    Jaxtyping::one("BFloat16", DType::BF16),
    Jaxtyping::any("Shaped", DType::BF16),
    Jaxtyping::any("Num", DType::F32),
    Jaxtyping::any("Real", DType::F32),
    Jaxtyping::any("Int", DType::I32),
    Jaxtyping::any("Integer", DType::I32),
    Jaxtyping::one("Int32", DType::I32),
    Jaxtyping::one("UInt32", DType::U32),
    Jaxtyping::one("Bool", DType::Bool),
];

/// What has the shape of the query as a rule, and what that is called then.
const BESIDE_QUERIES: [(&[&str], &str); 2] = [(&["k", "v", "o", "do"], "q"), (&["key", "value"], "query")];

/// Whether an array of this name holds positions, lengths or counts.
fn is_index(name: &str) -> bool {
    INDICES.iter().any(|part| name.contains(part))
}

/// Parts of such names.
const INDICES: [&str; 20] = [
    "idx",
    "starts",
    "indices",
    "lengths",
    "_lens",
    "group_sizes",
    "group_offset",
    "offsets",
    "segment",
    "page_",
    "_ids",
    "positions",
    "seqlens",
    "block_table",
    "slot_mapping",
    "distribution",
    "start_loc",
    "num_seqs",
    "num_slices",
    "slices",
];
