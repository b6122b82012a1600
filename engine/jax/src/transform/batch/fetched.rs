//! Launches whose devices fetch scalars of their own, and launches that not all devices take part in: the scalars of all stand in
//! one array, and each device reads its row. Devices act on each other, so there is one launch of all of them.

use pallas_ir::function::{OpData, RegionData, ValueData};
use pallas_ir::op::MemoryOp;
use pallas_ir::{
    Attribute, Attributes, BlockDim, DimIndex, Function, IndexPattern, Launch, LocationId, MemorySpace, Op, OpId,
    OpKind, Operand, Position, RefType, RegionId, Role, TensorType, Type, ValueId, ops,
};
use pallas_tensor::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// Makes a fetched operand one of rows: one for each device along the first axis of the launch, which is that of `size`
/// devices.
pub(super) fn deal(launch: &mut Launch, number: usize, size: usize) {
    let axes = launch.grid.len();
    if let Some(operand) = launch.operands.get_mut(number) {
        let shape: Shape = std::iter::once(size).chain(operand.array.shape.iter().copied()).collect();
        operand.block = shape.iter().map(|&extent| BlockDim::Blocked(extent)).collect();
        operand.array = TensorType { shape, ..operand.array };
    }
    let device = own_number(&mut launch.kernel);
    rows(&mut launch.kernel, number, size, device, 1);
    for map in launch.operands.iter_mut().filter_map(|operand| operand.index_map.as_mut()) {
        if let Some(&device) = map.params().first() {
            rows(map, axes + number, size, device, 0);
        }
    }
}

/// Lets only those devices run the kernel whose scalar is not zero; the scalars are a new fetched operand, the first one.
pub(super) fn take_part(launch: &mut Launch, size: usize) {
    let shape = Shape::from([size].as_slice());
    let operand = Operand {
        name: pallas_ir::launch::TAKES_PART.into(),
        role: Role::Prefetch,
        array: TensorType::new(DType::I32, shape.clone()),
        block: vec![BlockDim::Blocked(size)],
        index_map: None,
        space: MemorySpace::Smem,
        buffers: None,
        spans: pallas_ir::launch::OperandSpans::default(),
    };
    launch.operands.insert(0, operand);
    for alias in &mut launch.aliases {
        alias.0 += 1;
    }
    let (axes, ty) = (launch.grid.len(), Type::Ref(RefType::new(DType::I32, shape, MemorySpace::Smem)));
    for map in launch.operands.iter_mut().filter_map(|operand| operand.index_map.as_mut()) {
        let param = value(map, ty.clone());
        let body = map.body.0 as usize;
        map.regions[body].params.insert(axes, param);
    }
    let kernel = &mut launch.kernel;
    let param = value(kernel, ty);
    let body = kernel.body.0 as usize;
    kernel.regions[body].params.insert(0, param);
    let inside = std::mem::take(&mut kernel.regions[body].ops);
    let location = inside.first().map_or(LocationId(0), |&op| kernel.op(op).location);
    let nothing = region(kernel, Vec::new());
    let inside = region(kernel, inside);
    let device = own_number(kernel);
    let scalar = || Type::Tensor(TensorType::scalar(DType::I32));
    let own = value(kernel, scalar());
    let attributes =
        Attributes::none().with("index", Attribute::Index(IndexPattern(smallvec![DimIndex::At(Position::Dynamic)])));
    let load = OpData {
        op: Op(&ops::LOAD),
        operands: smallvec![param, device],
        results: smallvec![own],
        attributes,
        regions: SmallVec::new(),
        location,
    };
    let branch = OpData {
        op: Op(&ops::COND),
        operands: smallvec![own],
        results: SmallVec::new(),
        attributes: Attributes::none(),
        regions: smallvec![nothing, inside],
        location,
    };
    for op in [load, branch] {
        let id = push(kernel, op);
        kernel.regions[body].ops.push(id);
    }
}

/// A function's parameter becomes a Ref to rows, of which only that of a device is used. What uses the Ref in other ways than
/// by subscripts gets a view, which stands in the body from its `at`-th op on.
fn rows(function: &mut Function, parameter: usize, size: usize, device: ValueId, at: usize) {
    let Some(&param) = function.params().get(parameter) else { return };
    let before = function.ty(param).clone();
    let Some(ty) = before.as_ref_type() else { return };
    let shape: Shape = std::iter::once(size).chain(ty.shape.iter().copied()).collect();
    function.values[param.0 as usize].ty = Type::Ref(RefType { shape, ..ty.clone() });
    let view = value(function, before.clone());
    let mut is_used = false;
    for op in &mut function.ops {
        let subscripts =
            matches!(op.op.kind, OpKind::Memory(MemoryOp::Load | MemoryOp::Store | MemoryOp::Swap | MemoryOp::View));
        let first = op.operands.first() == Some(&param);
        if let (true, true, Some(pattern)) = (subscripts, first, op.attributes.index()) {
            let of_row = std::iter::once(DimIndex::At(Position::Dynamic)).chain(pattern.0.iter().cloned());
            let index = Attribute::Index(IndexPattern(of_row.collect()));
            op.attributes = super::structural::replaced(&op.attributes, "index", index);
            // A store's value stands behind its Ref.
            let stands = usize::from(matches!(op.op.kind, OpKind::Memory(MemoryOp::Store | MemoryOp::Swap)));
            op.operands.insert(1 + stands, device);
        }
        for operand in
            op.operands.iter_mut().skip(usize::from(subscripts && first)).filter(|operand| **operand == param)
        {
            (*operand, is_used) = (view, true);
        }
    }
    if !is_used {
        return;
    }
    let whole = ty.shape.iter().map(|&size| DimIndex::Slice { start: Position::Static(0), size, stride: 1 });
    let index = std::iter::once(DimIndex::At(Position::Dynamic)).chain(whole).collect();
    let id = push(
        function,
        OpData {
            op: Op(&ops::VIEW),
            operands: smallvec![param, device],
            results: smallvec![view],
            attributes: Attributes::none().with("index", Attribute::Index(IndexPattern(index))),
            regions: SmallVec::new(),
            location: LocationId(0),
        },
    );
    let body = function.body.0 as usize;
    function.regions[body].ops.insert(at, id);
}

/// The number of the device along the first axis, asked for at the beginning of the kernel.
fn own_number(kernel: &mut Function) -> ValueId {
    let device = value(kernel, Type::Tensor(TensorType::scalar(DType::I32)));
    let id = push(
        kernel,
        OpData {
            op: Op(&ops::PROGRAM_ID),
            operands: SmallVec::new(),
            results: smallvec![device],
            attributes: Attributes::none().with("axis", Attribute::Int(0)),
            regions: SmallVec::new(),
            location: LocationId(0),
        },
    );
    let body = kernel.body.0 as usize;
    kernel.regions[body].ops.insert(0, id);
    device
}

fn value(function: &mut Function, ty: Type) -> ValueId {
    function.values.push(ValueData { ty, name: None });
    ValueId(function.values.len() as u32 - 1)
}

fn push(function: &mut Function, op: OpData) -> OpId {
    function.ops.push(op);
    OpId(function.ops.len() as u32 - 1)
}

fn region(function: &mut Function, ops: Vec<OpId>) -> RegionId {
    function.regions.push(RegionData { params: Vec::new(), ops, yields: Vec::new() });
    RegionId(function.regions.len() as u32 - 1)
}
