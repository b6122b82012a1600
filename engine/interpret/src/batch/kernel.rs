//! A kernel for several programs at once: walks the ops of a kernel and writes another one.

use super::{memory, rules};
use pallas_ir::function::{Location, OpData};
use pallas_ir::op::{ControlOp, ProgramOp};
use pallas_ir::{
    Attribute, Attributes, Builder, Function, Op, OpId, OpKind, RefType, RegionId, TensorType, Type, ValueId, ops,
};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;

/// A parameter of the kernel.
pub(super) struct Parameter {
    /// Which dimension of the Ref has the lanes; none where they share it.
    pub(super) lanes: Option<usize>,
    /// The Ref's extents.
    pub(super) shape: Shape,
    pub(super) is_output: bool,
}

/// A value of the new kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub(super) value: ValueId,
    /// Which dimension has the lanes: the first of tiles. None where all lanes have the same.
    pub(super) at: Option<usize>,
}

impl Lane {
    pub(super) fn differs(self) -> bool {
        self.at.is_some()
    }
}

/// Results of an op.
pub(super) type Results = SmallVec<[Lane; 1]>;

/// The kernel with so many programs along an axis as lanes; `None` where an op has no rule.
pub(super) fn with_lanes(
    function: &Function,
    parameters: &[Parameter],
    axis: usize,
    count: usize,
    extent: usize,
) -> Option<Function> {
    let builder = Builder::new(function.name.clone(), function.locations.first().cloned().unwrap_or_default());
    let values = vec![None; function.values.len()];
    let mut lanes =
        Lanes { function, builder, values, count, axis, extent, scalars: HashMap::new(), written: Vec::new() };
    if function.params().len() != parameters.len() {
        return None;
    }
    for (&param, parameter) in function.params().iter().zip(parameters) {
        let Type::Ref(ty) = function.ty(param) else { return None };
        let ty = RefType { shape: parameter.shape.clone(), ..ty.clone() };
        let value = lanes.builder.param(Type::Ref(ty), function.value(param).name.clone());
        lanes.values[param.0 as usize] = Some(Lane { value, at: parameter.lanes });
        if parameter.is_output {
            lanes.written.push(param);
        }
    }
    lanes.ops(function.body)?;
    Some(lanes.builder.finish(Vec::new()))
}

/// A kernel in the making.
pub(super) struct Lanes<'a> {
    pub(super) function: &'a Function,
    builder: Builder,
    /// What became of the values of the old kernel.
    values: Vec<Option<Lane>>,
    /// How many lanes there are.
    pub(super) count: usize,
    /// The axis of the grid that they are programs of, and its extent.
    axis: usize,
    extent: usize,
    /// Tiles that are a scalar copied.
    scalars: HashMap<ValueId, ValueId>,
    /// The Refs that may be written, of the old kernel.
    pub(super) written: Vec<ValueId>,
}

impl Lanes<'_> {
    fn ops(&mut self, region: RegionId) -> Option<()> {
        let function = self.function;
        function.region(region).ops.iter().try_for_each(|&op| self.op(op))
    }

    fn lane(&self, value: ValueId) -> Option<Lane> {
        self.values.get(value.0 as usize).copied().flatten()
    }

    fn op(&mut self, id: OpId) -> Option<()> {
        let function = self.function;
        let data = function.op(id);
        let operands: Option<SmallVec<[Lane; 4]>> = data.operands.iter().map(|&operand| self.lane(operand)).collect();
        let operands = operands?;
        let alike = !operands.iter().any(|lane| lane.differs());
        let results = match &data.op.kind {
            OpKind::Pure { .. } if alike => self.same(data, &operands)?,
            OpKind::Pure { .. } => rules::pure(self, data, &operands)?,
            OpKind::Memory(kind) => memory::access(self, data, *kind, &operands)?,
            OpKind::Program(ProgramOp::ProgramId) if data.attributes.int("axis") == Some(self.axis as i64) => {
                self.program_id(data)?
            }
            OpKind::Program(ProgramOp::NumPrograms) if data.attributes.int("axis") == Some(self.axis as i64) => {
                let extent = self.number(self.extent)?;
                SmallVec::from_slice(&[Lane { value: extent, at: None }])
            }
            OpKind::Program(_) => self.same(data, &operands)?,
            OpKind::Control(ControlOp::For) => self.rounds(data, &operands)?,
            OpKind::Control(ControlOp::Cond) => self.branches(data, &operands)?,
            _ => return None,
        };
        (results.len() == data.results.len()).then_some(())?;
        for (&old, lane) in data.results.iter().zip(results) {
            self.define(old, lane)?;
        }
        Some(())
    }

    /// Notes what became of a value, if it has the type that lanes of it have.
    fn define(&mut self, old: ValueId, lane: Lane) -> Option<()> {
        let (expected, found) = (self.function.ty(old).tensor()?, self.builder.ty(lane.value).tensor()?);
        let fits = match lane.at {
            None => found.shape == expected.shape,
            Some(_) => found.shape == self.shape_of(&expected.shape),
        };
        (fits && found.dtype == expected.dtype).then_some(())?;
        self.values[old.0 as usize] = Some(lane);
        Some(())
    }

    /// A shape with the lanes in front.
    pub(super) fn shape_of(&self, shape: &Shape) -> Shape {
        std::iter::once(self.count).chain(shape.iter().copied()).collect()
    }

    /// The type of a tile of the new kernel.
    pub(super) fn tile(&self, value: ValueId) -> Option<&TensorType> {
        self.builder.ty(value).tensor()
    }

    /// Adds an op of one result.
    pub(super) fn add(&mut self, op: Op, operands: &[ValueId], attributes: Attributes) -> Option<ValueId> {
        let results = self.builder.add(op, operands, attributes, &[], Location::default()).ok()?;
        results.first().copied()
    }

    /// Adds an op without a result.
    pub(super) fn act(&mut self, op: Op, operands: &[ValueId], attributes: Attributes) -> Option<()> {
        self.builder.add(op, operands, attributes, &[], Location::default()).ok().map(drop)
    }

    /// The op as it is, which no lane makes a difference to.
    pub(super) fn same(&mut self, data: &OpData, operands: &[Lane]) -> Option<Results> {
        let values: SmallVec<[ValueId; 4]> = operands.iter().map(|lane| lane.value).collect();
        let results = self.builder.add(data.op, &values, data.attributes.clone(), &[], Location::default()).ok()?;
        if data.op == Op(&ops::BROADCAST_IN_DIM)
            && let ([scalar], [copies]) = (values.as_slice(), results.as_slice())
            && self.tile(*scalar)?.shape.rank() == 0
        {
            self.scalars.insert(*copies, *scalar);
        }
        Some(results.into_iter().map(|value| Lane { value, at: None }).collect())
    }

    /// A tile with lanes; copied into each where they all have the same.
    pub(super) fn spread(&mut self, lane: Lane) -> Option<ValueId> {
        if lane.differs() {
            return Some(lane.value);
        }
        let shape = self.shape_of(&self.tile(lane.value)?.shape.clone());
        // One copy of a scalar is simpler to take apart than a copy of copies.
        let value = self.scalars.get(&lane.value).copied().unwrap_or(lane.value);
        let dims = (1..=self.tile(value)?.shape.rank()).collect::<Vec<usize>>();
        self.broadcast(value, &shape, &dims)
    }

    /// `broadcast_in_dim`.
    pub(super) fn broadcast(&mut self, value: ValueId, shape: &Shape, dims: &[usize]) -> Option<ValueId> {
        if self.tile(value)?.shape == *shape {
            return Some(value);
        }
        let attributes = Attributes::none().with("shape", rules::ints(shape)).with("dims", rules::ints(dims));
        self.add(Op(&ops::BROADCAST_IN_DIM), &[value], attributes)
    }

    fn number(&mut self, number: usize) -> Option<ValueId> {
        let value = Attribute::Array(Array::scalar(DType::I32, Scalar::Int(number as i128)));
        self.add(Op(&ops::CONSTANT), &[], Attributes::none().with("value", value))
    }

    /// Numbers of neighbouring programs.
    fn program_id(&mut self, data: &OpData) -> Option<Results> {
        let first = self.add(data.op, &[], data.attributes.clone())?;
        let count = self.number(self.count)?;
        let first = self.add(Op(&ops::MUL), &[first, count], Attributes::none())?;
        let shape = Shape::from([self.count]);
        let attributes = Attributes::none()
            .with("dtype", Attribute::DType(DType::I32))
            .with("shape", rules::ints(&shape))
            .with("axis", Attribute::Int(0));
        let lane = self.add(Op(&ops::IOTA), &[], attributes)?;
        let first = self.broadcast(first, &shape, &[])?;
        let value = self.add(Op(&ops::ADD), &[lane, first], Attributes::none())?;
        Some(SmallVec::from_slice(&[Lane { value, at: Some(0) }]))
    }

    /// A loop whose bounds all lanes have in common. What it carries may differ from lane to lane.
    fn rounds(&mut self, data: &OpData, operands: &[Lane]) -> Option<Results> {
        let function = self.function;
        let ([lower, upper], carries) = operands.split_first_chunk::<2>()?;
        let (&[region], false, false) = (data.regions.as_slice(), lower.differs(), upper.differs()) else {
            return None;
        };
        let mut values = vec![lower.value, upper.value];
        for &carry in carries {
            values.push(self.spread(carry)?);
        }
        let body = function.region(region);
        let (&counter, params) = body.params.split_first()?;
        (params.len() == carries.len()).then_some(())?;
        self.builder.open_region();
        let number = self.builder.param(function.ty(counter).clone(), None);
        self.values[counter.0 as usize] = Some(Lane { value: number, at: None });
        for (&param, &carry) in params.iter().zip(&values[2..]) {
            let ty = self.builder.ty(carry).clone();
            let value = self.builder.param(ty, None);
            self.define(param, Lane { value, at: Some(0) })?;
        }
        let region = self.close(region)?;
        let attributes = data.attributes.clone();
        let results = self.builder.add(data.op, &values, attributes, &[region], Location::default()).ok()?;
        Some(results.into_iter().map(|value| Lane { value, at: Some(0) }).collect())
    }

    /// Branches of which all lanes take the same.
    fn branches(&mut self, data: &OpData, operands: &[Lane]) -> Option<Results> {
        let &[Lane { value, at: None }] = operands else { return None };
        let mut regions: SmallVec<[RegionId; 2]> = SmallVec::new();
        for &region in &data.regions {
            self.builder.open_region();
            regions.push(self.close(region)?);
        }
        let attributes = data.attributes.clone();
        let results = self.builder.add(data.op, &[value], attributes, &regions, Location::default()).ok()?;
        Some(results.into_iter().map(|value| Lane { value, at: Some(0) }).collect())
    }

    /// Writes the ops of a region to the one that is open, and closes that; what it yields has lanes.
    fn close(&mut self, region: RegionId) -> Option<RegionId> {
        self.ops(region)?;
        let function = self.function;
        let mut yields = Vec::new();
        for &value in &function.region(region).yields {
            let lane = self.lane(value)?;
            yields.push(self.spread(lane)?);
        }
        Some(self.builder.close_region(yields))
    }
}
