//! The kinds of block dimension, as Python values.

use super::native_class;
use pallas_ir::BlockDim;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// `pl.Blocked(n)`, `pl.Squeezed()`, `pl.Element(n, padding)`, and the old `pl.Unblocked(padding)`.
pub enum DimObject {
    /// A block dimension.
    Dim(BlockDim),
    /// `pl.Blocked()` without a size: the old indexing mode.
    BlockedMode,
    /// `pl.Unblocked(padding)`: the old indexing mode.
    UnblockedMode(Vec<(usize, usize)>),
    /// `pl.BoundedSlice(n)`: a slice of at most `n`, for pipelines inside kernels.
    BoundedSlice(usize),
    /// `pl.Indirect(n)`: elements at gathered positions, for pipelines inside kernels.
    Indirect(usize),
}

native_class!(
    BLOCKED,
    BLOCKED_DEF,
    "Blocked",
    "(block_size=None)",
    "A block dimension indexed in blocks.",
    |interp, args| {
        let [size] = args.take();
        let dim = match size.given() {
            Some(size) => DimObject::Dim(BlockDim::Blocked(interp.to_usize(&size)?)),
            None => DimObject::BlockedMode,
        };
        Ok(Value::object(dim))
    }
);

native_class!(
    SQUEEZED,
    SQUEEZED_DEF,
    "Squeezed",
    "()",
    "A block dimension of one element that the kernel does not see.",
    |_interp, _args| Ok(Value::object(DimObject::Dim(BlockDim::Squeezed)))
);

native_class!(
    ELEMENT,
    ELEMENT_DEF,
    "Element",
    "(block_size, padding=(0, 0))",
    "A block dimension indexed in elements, with virtual padding of the array.",
    |interp, args| {
        let [size, padding] = args.take();
        let (low, high) = pair(interp, &padding)?;
        Ok(Value::object(DimObject::Dim(BlockDim::Element { size: interp.to_usize(&size)?, low, high })))
    }
);

native_class!(
    UNBLOCKED,
    UNBLOCKED_DEF,
    "Unblocked",
    "(padding=None)",
    "The old indexing mode in elements; `pl.Element` per dimension since JAX 0.5.",
    |interp, args| {
        let [padding] = args.take();
        let padding = match padding.given() {
            Some(padding) => interp.collect(&padding)?.iter().map(|p| pair(interp, p)).collect::<PyResult<Vec<_>>>()?,
            None => Vec::new(),
        };
        Ok(Value::object(DimObject::UnblockedMode(padding)))
    }
);

native_class!(
    BOUNDED_SLICE,
    BOUNDED_SLICE_DEF,
    "BoundedSlice",
    "(block_size)",
    "A block dimension whose index map gives slices of at most this size.",
    |interp, args| {
        let [size] = args.take();
        Ok(Value::object(DimObject::BoundedSlice(interp.to_usize(&size)?)))
    }
);

native_class!(
    INDIRECT,
    INDIRECT_DEF,
    "Indirect",
    "(block_size)",
    "A block dimension of elements at gathered positions.",
    |interp, args| {
        let [size] = args.take();
        Ok(Value::object(DimObject::Indirect(interp.to_usize(&size)?)))
    }
);

/// `pl.BlockDim`: the union of the kinds of block dimension, for annotations and `isinstance`.
pub(super) fn block_dim(interp: &Interp) -> Value {
    let kinds = [&ELEMENT, &SQUEEZED, &BLOCKED, &BOUNDED_SLICE, &INDIRECT];
    let mut classes = kinds.into_iter().map(|table| Value::Class(interp.native_class(table)));
    let first = classes.next().unwrap_or(Value::None);
    classes.fold(first, |union, class| interp.union_of(&union, &class))
}

fn pair(interp: &Interp, value: &Value) -> PyResult<(usize, usize)> {
    let parts = interp.collect(value)?;
    match parts.as_slice() {
        [low, high] => Ok((interp.to_usize(low)?, interp.to_usize(high)?)),
        _ => Err(interp.value_error("padding must be a (low, high) pair".to_string())),
    }
}

/// As JAX prints block dimensions.
pub fn dim_text(dim: &BlockDim) -> String {
    match dim {
        BlockDim::Blocked(size) => format!("Blocked(block_size={size})"),
        BlockDim::Squeezed => "Squeezed()".to_string(),
        BlockDim::Element { size, low: 0, high: 0 } => format!("Element({size})"),
        BlockDim::Element { size, low, high } => format!("Element({size}, padding=({low}, {high}))"),
    }
}

impl Object for DimObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(match self {
            DimObject::Dim(BlockDim::Blocked(_)) | DimObject::BlockedMode => &BLOCKED,
            DimObject::Dim(BlockDim::Squeezed) => &SQUEEZED,
            DimObject::Dim(BlockDim::Element { .. }) => &ELEMENT,
            DimObject::UnblockedMode(_) => &UNBLOCKED,
            DimObject::BoundedSlice(_) => &BOUNDED_SLICE,
            DimObject::Indirect(_) => &INDIRECT,
        })
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match (self, name) {
            (DimObject::Dim(BlockDim::Squeezed), "block_size") => None,
            (DimObject::Dim(dim), "block_size") => Some(Value::from(dim.size())),
            (DimObject::BoundedSlice(size) | DimObject::Indirect(size), "block_size") => Some(Value::from(*size)),
            (DimObject::Dim(BlockDim::Element { low, high, .. }), "padding") => {
                Some(Value::tuple([Value::from(*low), Value::from(*high)]))
            }
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match self {
            DimObject::Dim(BlockDim::Element { size, low, high }) => {
                format!("Element(block_size={size}, padding=({low}, {high}))")
            }
            DimObject::Dim(dim) => dim_text(dim),
            DimObject::BlockedMode => "Blocked()".to_string(),
            DimObject::UnblockedMode(_) => "Unblocked()".to_string(),
            DimObject::BoundedSlice(size) => format!("BoundedSlice({size})"),
            DimObject::Indirect(size) => format!("Indirect({size})"),
        }))
    }

    fn compare(&self, this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let same = other.downcast::<DimObject>().is_some() && interp.repr(this)? == interp.repr(other)?;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(same)),
            CompareOp::NotEq => Some(Value::Bool(!same)),
            _ => None,
        })
    }

    fn hash(&self, this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(interp.repr(this).and_then(|text| interp.hash(&Value::from(text))))
    }

    fn str(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        match self {
            DimObject::Dim(BlockDim::Blocked(size)) => Ok(Some(format!("Blocked({size})"))),
            DimObject::Dim(dim) => Ok(Some(dim_text(dim))),
            _ => self.repr(this, interp),
        }
    }
}
