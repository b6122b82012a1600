//! Functions of the IR: values, ops and regions in arenas with typed indices. A kernel is a function whose parameters
//! are Refs; an index map or a jitted function has tiles for parameters and yields tiles.

use crate::attribute::Attributes;
use crate::op::Op;
use crate::types::Type;
use pallas_syntax::Span;
use smallvec::SmallVec;
use std::sync::Arc;

/// Names a value of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// Names an op of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

/// Names a region of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

/// Names a source location of one function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

/// A function in SSA form. Regions may use values of the regions that enclose them.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name in Python.
    pub name: Arc<str>,
    /// Every value.
    pub values: Vec<ValueData>,
    /// Every op.
    pub ops: Vec<OpData>,
    /// Every region.
    pub regions: Vec<RegionData>,
    /// The region that is the function's body; its parameters are the function's.
    pub body: RegionId,
    /// Where ops come from. The first is the function itself.
    pub locations: Vec<Location>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// The name it had in Python, for printing: parameters keep theirs.
    pub name: Option<Arc<str>>,
}

/// An op in place.
#[derive(Clone, Debug, PartialEq)]
pub struct OpData {
    /// What it does.
    pub op: Op,
    /// What it takes.
    pub operands: SmallVec<[ValueId; 4]>,
    /// What it gives.
    pub results: SmallVec<[ValueId; 1]>,
    /// What it carries besides.
    pub attributes: Attributes,
    /// Bodies of control flow.
    pub regions: SmallVec<[RegionId; 2]>,
    /// Where it comes from.
    pub location: LocationId,
}

/// A list of ops with parameters, ending in a yield.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionData {
    /// Parameters.
    pub params: Vec<ValueId>,
    /// Ops in order.
    pub ops: Vec<OpId>,
    /// What it yields.
    pub yields: Vec<ValueId>,
}

/// A place in the source with the calls that led there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The expression that made the op.
    pub span: Span,
    /// The calls that led there, innermost first, the function itself excluded.
    pub calls: Vec<Span>,
}

impl Function {
    /// A function without parameters, whose body is empty.
    pub fn empty(name: impl Into<Arc<str>>, locations: Vec<Location>) -> Function {
        let (name, regions) = (name.into(), vec![RegionData::default()]);
        Function { name, values: Vec::new(), ops: Vec::new(), regions, body: RegionId(0), locations }
    }

    /// The parameters.
    pub fn params(&self) -> &[ValueId] {
        &self.region(self.body).params
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &ValueData {
        &self.values[id.0 as usize]
    }

    /// A value's type.
    pub fn ty(&self, id: ValueId) -> &Type {
        &self.value(id).ty
    }

    /// An op.
    pub fn op(&self, id: OpId) -> &OpData {
        &self.ops[id.0 as usize]
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &RegionData {
        &self.regions[id.0 as usize]
    }

    /// Where an op comes from.
    pub fn location(&self, op: OpId) -> &Location {
        &self.locations[self.op(op).location.0 as usize]
    }

    /// The op that defines `value`; `None` for parameters. Linear; build a table for repeated use.
    pub fn definition(&self, value: ValueId) -> Option<OpId> {
        self.ops.iter().position(|op| op.results.contains(&value)).map(|i| OpId(i as u32))
    }
}
