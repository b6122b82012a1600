//! Builds functions op by op, with types inferred and checked as they are added. The tracer and the reader use it.

use crate::attribute::Attributes;
use crate::function::{Function, Location, LocationId, OpData, OpId, RegionData, RegionId, ValueData, ValueId};
use crate::op::{InferContext, InferError, Op};
use crate::types::Type;
use smallvec::SmallVec;
use std::sync::Arc;

/// A function under construction, with the stack of regions that are open.
#[derive(Debug)]
pub struct Builder {
    function: Function,
    open: Vec<RegionId>,
    last_location: Option<(Location, LocationId)>,
}

impl Builder {
    /// Starts a function; its body region is open and has no parameters yet.
    pub fn new(name: impl Into<Arc<str>>, location: Location) -> Self {
        let function = Function::empty(name, vec![location]);
        Builder { function, open: vec![RegionId(0)], last_location: None }
    }

    /// A builder that takes the place of one that was finished. What is added to it goes nowhere.
    pub fn closed() -> Self {
        let mut builder = Builder::new("closed", Location::default());
        builder.open.clear();
        builder
    }

    /// Whether values of `region` may be used now: it is open, and this builder has not been finished.
    pub fn is_open(&self, region: RegionId) -> bool {
        self.open.contains(&region)
    }

    /// The function so far.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        self.function.ty(value)
    }

    /// The innermost open region.
    pub fn region(&self) -> RegionId {
        // The body region stays open until `finish` takes the builder.
        self.open.last().copied().unwrap_or(self.function.body)
    }

    /// How many regions are open; values of an outer region may be used in an inner one, not the other way round.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Adds a parameter to the innermost open region.
    pub fn param(&mut self, ty: Type, name: Option<Arc<str>>) -> ValueId {
        let value = self.new_value(ty, name);
        let region = self.region();
        self.function.regions[region.0 as usize].params.push(value);
        value
    }

    /// Adds a parameter to the function itself, whatever regions are open.
    pub fn body_param(&mut self, ty: Type, name: Option<Arc<str>>) -> ValueId {
        let value = self.new_value(ty, name);
        let body = self.function.body;
        self.function.regions[body.0 as usize].params.push(value);
        value
    }

    /// Opens a region for the op that will be added next.
    pub fn open_region(&mut self) -> RegionId {
        let id = RegionId(self.function.regions.len() as u32);
        self.function.regions.push(RegionData::default());
        self.open.push(id);
        id
    }

    /// Closes the innermost region with what it yields. The body is closed by [`Builder::finish`].
    pub fn close_region(&mut self, yields: Vec<ValueId>) -> RegionId {
        let region = self.region();
        if self.open.len() > 1 {
            self.open.pop();
        }
        self.function.regions[region.0 as usize].yields = yields;
        region
    }

    /// Closes the innermost region and forgets it, for traces that failed half-way.
    pub fn abandon_region(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// Adds an op to the innermost open region.
    ///
    /// # Errors
    /// What the op's type rule refuses.
    pub fn add(
        &mut self,
        op: Op,
        operands: &[ValueId],
        attributes: Attributes,
        regions: &[RegionId],
        location: Location,
    ) -> Result<SmallVec<[ValueId; 1]>, InferError> {
        let types: SmallVec<[Type; 4]> = operands.iter().map(|&v| self.function.ty(v).clone()).collect();
        let context = InferContext { operands: &types, attributes: &attributes, function: &self.function, regions };
        let result_types = (op.infer)(&context)?;
        let results: SmallVec<[ValueId; 1]> = result_types.into_iter().map(|ty| self.new_value(ty, None)).collect();
        let location = self.location(location);
        let id = OpId(self.function.ops.len() as u32);
        self.function.ops.push(OpData {
            op,
            operands: operands.into(),
            results: results.clone(),
            attributes,
            regions: regions.into(),
            location,
        });
        let region = self.region();
        self.function.regions[region.0 as usize].ops.push(id);
        Ok(results)
    }

    /// Names a value for printing, if it has no name yet.
    pub fn name(&mut self, value: ValueId, name: Arc<str>) {
        self.function.values[value.0 as usize].name.get_or_insert(name);
    }

    /// Closes the body with what the function yields (nothing, for kernels).
    pub fn finish(mut self, yields: Vec<ValueId>) -> Function {
        let body = self.function.body;
        self.function.regions[body.0 as usize].yields = yields;
        self.function
    }

    fn new_value(&mut self, ty: Type, name: Option<Arc<str>>) -> ValueId {
        let id = ValueId(self.function.values.len() as u32);
        self.function.values.push(ValueData { ty, name });
        id
    }

    fn location(&mut self, location: Location) -> LocationId {
        if let Some((last, id)) = &self.last_location
            && *last == location
        {
            return *id;
        }
        let id = LocationId(self.function.locations.len() as u32);
        self.function.locations.push(location.clone());
        self.last_location = Some((location, id));
        id
    }
}
