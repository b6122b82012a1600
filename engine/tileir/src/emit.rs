//! The module under construction: ops at the end of the innermost block, regions, and constants, which stand in the entry
//! block, each once.

use crate::Refusal;
use crate::types::{self, Tile, element};
use cutile_ir::builder::{OpBuilder, append_op, build_single_block_region};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Attribute, BlockId, DenseElements, Location, Module, OpId, RegionId, Type, Value};
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Kind, Scalar, Shape, ops};
use std::collections::HashMap;

/// Writes a module.
pub(crate) struct Emitter {
    pub(crate) module: Module,
    /// Open blocks with their regions, the innermost last; the first is the entry's.
    open: Vec<(BlockId, RegionId)>,
    /// Where the op at hand comes from.
    pub(crate) span: Span,
    spans: HashMap<OpId, Span>,
    constants: HashMap<(Type, Vec<u8>), Value>,
}

/// An op's attribute.
pub(crate) type Attr = (&'static str, Attribute);

/// Sizes of groups of operands.
pub(crate) fn groups(sizes: &[usize]) -> Attr {
    ("operandSegmentSizes", Attribute::Array(sizes.iter().map(|&size| Attribute::i32(size as i64)).collect()))
}

/// A number of an enumeration.
pub(crate) fn choice(name: &'static str, value: i64) -> Attr {
    (name, Attribute::i32(value))
}

impl Emitter {
    /// An entry with such parameters.
    pub(crate) fn new(name: &str, params: &[Type]) -> (Emitter, Vec<Value>) {
        let mut module = Module::new(name);
        let (region, block, values) = build_single_block_region(&mut module, params);
        let emitter = Emitter {
            module,
            open: vec![(block, region)],
            span: Span::default(),
            spans: HashMap::new(),
            constants: HashMap::new(),
        };
        (emitter, values)
    }

    /// The module, and where its ops come from.
    pub(crate) fn finish(mut self, name: &str, params: &[Type]) -> (Module, HashMap<OpId, Span>) {
        self.op(Opcode::Return, &[], vec![], &[]);
        let ty = cutile_ir::ir::FuncType { inputs: params.to_vec(), results: Vec::new() };
        let region = self.open[0].1;
        let (entry, _) = OpBuilder::new(Opcode::Entry, Location::Unknown)
            .attr("sym_name", Attribute::String(name.to_string()))
            .attr("function_type", Attribute::Type(Type::Func(ty)))
            .region(region)
            .build(&mut self.module);
        self.module.functions.push(entry);
        (self.module, self.spans)
    }

    fn put(
        &mut self,
        block: BlockId,
        opcode: Opcode,
        operands: &[Value],
        attributes: Vec<Attr>,
        results: &[Type],
        regions: Vec<RegionId>,
    ) -> Vec<Value> {
        let builder = OpBuilder::new(opcode, Location::Unknown)
            .operands(operands.iter().copied())
            .attrs(attributes.into_iter().map(|(name, value)| (name.to_string(), value)))
            .results(results.iter().cloned())
            .regions(regions);
        let (id, values) = builder.build(&mut self.module);
        self.spans.insert(id, self.span);
        append_op(&mut self.module, block, id);
        values
    }

    fn innermost(&self) -> BlockId {
        self.open[self.open.len() - 1].0
    }

    /// An op.
    pub(crate) fn op(
        &mut self,
        opcode: Opcode,
        operands: &[Value],
        attributes: Vec<Attr>,
        results: &[Type],
    ) -> Vec<Value> {
        self.put(self.innermost(), opcode, operands, attributes, results, Vec::new())
    }

    /// An op with regions.
    pub(crate) fn control(
        &mut self,
        opcode: Opcode,
        operands: &[Value],
        attributes: Vec<Attr>,
        results: &[Type],
        regions: Vec<RegionId>,
    ) -> Vec<Value> {
        self.put(self.innermost(), opcode, operands, attributes, results, regions)
    }

    /// An op of the entry block, whatever is open; its operands are of that block, too.
    pub(crate) fn early(
        &mut self,
        opcode: Opcode,
        operands: &[Value],
        attributes: Vec<Attr>,
        results: &[Type],
    ) -> Vec<Value> {
        self.put(self.open[0].0, opcode, operands, attributes, results, Vec::new())
    }

    /// An op with one tile as its result.
    pub(crate) fn tile(
        &mut self,
        opcode: Opcode,
        operands: &[&Tile],
        attributes: Vec<Attr>,
        dtype: DType,
        shape: &[usize],
    ) -> Result<Tile, Refusal> {
        let operands: Vec<Value> = operands.iter().map(|tile| tile.value).collect();
        let ty = types::tile(element(dtype)?, shape);
        let values = self.op(opcode, &operands, attributes, &[ty]);
        Ok(Tile::new(values[0], dtype, shape))
    }

    /// Begins a region with such parameters.
    pub(crate) fn begin(&mut self, params: &[Type]) -> Vec<Value> {
        let (region, block, values) = build_single_block_region(&mut self.module, params);
        self.open.push((block, region));
        values
    }

    /// Ends the innermost region with what it hands on.
    pub(crate) fn end(&mut self, opcode: Opcode, values: &[Value]) -> RegionId {
        self.op(opcode, values, vec![], &[]);
        let (_, region) = self.open[self.open.len() - 1];
        self.open.pop();
        region
    }

    /// A tile that is the same everywhere.
    pub(crate) fn constant(&mut self, dtype: DType, shape: &[usize], value: Scalar) -> Result<Tile, Refusal> {
        types::fits(shape)?;
        let data = bytes(dtype, value.cast(dtype));
        let ty = types::tile(element(dtype)?, shape);
        let known = (shape.is_empty() && !dtype.is_float()).then(|| value.cast(dtype).as_int()).flatten();
        let known = known.and_then(|number| i64::try_from(number).ok());
        let value = self.dense(ty, shape, data);
        Ok(Tile { known, ..Tile::new(value, dtype, shape) })
    }

    fn dense(&mut self, ty: Type, shape: &[usize], data: Vec<u8>) -> Value {
        if let Some(&value) = self.constants.get(&(ty.clone(), data.clone())) {
            return value;
        }
        let shape = shape.iter().map(|&extent| extent as i64).collect();
        let elements = DenseElements { element_type: ty.clone(), shape, data: data.clone() };
        let value = self.early(
            Opcode::Constant,
            &[],
            vec![("value", Attribute::DenseElements(elements))],
            std::slice::from_ref(&ty),
        )[0];
        self.constants.insert((ty, data), value);
        value
    }

    /// A tile with the elements of an array. Bools are made of bytes.
    pub(crate) fn table(&mut self, array: &Array) -> Result<Tile, Refusal> {
        let shape = array.shape().to_vec();
        let first = array.get(0);
        if let Some(first) = first
            && array.size() > 0
            && array.iter_scalars().all(|scalar| {
                scalar == first && !matches!(scalar, Scalar::Float(value) if value == 0.0 && value.is_sign_negative())
            })
        {
            return self.constant(array.dtype(), &shape, first);
        }
        types::fits(&shape)?;
        let dtype = types::stored(array.dtype());
        let data = array.iter_scalars().flat_map(|scalar| bytes(dtype, scalar.cast(dtype))).collect();
        let ty = types::tile(element(dtype)?, &shape);
        let value = self.dense(ty, &shape, data);
        let tile = Tile::new(value, dtype, &shape);
        if array.dtype() == DType::Bool { crate::ops::convert::cast(self, &tile, DType::Bool) } else { Ok(tile) }
    }

    /// A scalar `i32`.
    pub(crate) fn index(&mut self, value: i64) -> Result<Tile, Refusal> {
        self.constant(DType::I32, &[], Scalar::Int(value.into()))
    }

    /// A number in the type of a tile.
    pub(crate) fn like(&mut self, tile: &Tile, value: f64) -> Result<Tile, Refusal> {
        let scalar = if tile.dtype.is_float() { Scalar::Float(value) } else { Scalar::Int(value as i128) };
        self.constant(tile.dtype, &tile.shape, scalar)
    }
}

/// A scalar's bytes as constants have them; of a bool all bits.
pub(crate) fn bytes(dtype: DType, scalar: Scalar) -> Vec<u8> {
    let size = dtype.size_bytes().max(1);
    let bits = match dtype.kind() {
        Kind::Bool => return vec![if scalar.as_bool() == Some(true) { 0xff } else { 0 }],
        Kind::Float => {
            let wide = match size {
                1 => DType::U8,
                2 => DType::U16,
                4 => DType::U32,
                _ => DType::U64,
            };
            let array = Array::full(dtype, Shape::scalar(), scalar);
            let bits = array.and_then(|array| ops::bitcast_convert(&array, wide));
            bits.ok().and_then(|bits| bits.item()).and_then(Scalar::as_int).unwrap_or(0)
        }
        _ => scalar.as_int().unwrap_or(0),
    };
    bits.to_le_bytes()[..size].to_vec()
}
