//! Pipelines that are staged as loops, copies and waits: those whose BufferedRefs the program brings along, and those with
//! blocks of computed length or of gathered rows. The schedule is in Python (`written/pipelines.py`); here stands what it needs of the tracer.

use super::Emitted;
use super::grid::{Grid, PipelineGrid, enter};
use super::windows;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::pallas::add_functions;
use crate::pallas::asynchronous::semaphores::kernel;
use crate::pallas::spec::BlockSpec;
use crate::tree;
use pallas_ir::Role;
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

const NAME: &str = "jax._src.pallas.grids";

/// What the schedule in Python needs.
pub static MODULE: ModuleDef = ModuleDef {
    name: NAME,
    doc: "Grids of pipelines.",
    functions: &[],
    populate: |_interp, namespace| add_functions(namespace, NAME, FUNCTIONS),
};

static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "within",
        signature: "(indices, grid, function)",
        doc: "Calls a function for which `pl.program_id` and `pl.num_programs` ask this grid.",
        run: |interp, args| {
            let [indices, grid, function] = args.take();
            let cx = Context::jax(interp);
            let (ids, extents) = (interp.collect(&indices)?, interp.collect(&grid)?);
            let entered = enter(&cx, PipelineGrid { trace: kernel(&cx, "emit_pipeline")?, ids, extents });
            let result = interp.call_values(&function, []);
            drop(entered);
            result
        },
    },
    NativeDef {
        name: "is_whole",
        signature: "(spec, grid, ref)",
        doc: "Whether the block of a spec is all of a Ref in every step of a grid.",
        run: is_whole,
    },
];

fn is_whole(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [spec, extents, reference] = args.take();
    let cx = Context::jax(interp);
    let Some(described) = spec.downcast::<BlockSpec>() else { return Ok(Value::Bool(true)) };
    if described.block_shape.is_none() {
        return Ok(Value::Bool(true));
    }
    let grid = Grid::new(&cx, &interp.collect(&extents)?, &Value::None, &Value::None)?;
    let mut sources = Vec::new();
    windows::sources(&cx, &Value::tuple([spec.clone()]), &[reference], Role::Input, &mut sources)?;
    let trace = kernel(&cx, "emit_pipeline")?;
    for source in &sources {
        if !windows::is_whole(&cx, &trace, &grid, source)? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

impl Emitted {
    /// Whether some block's length is computed, or its rows are gathered.
    pub(super) fn has_parts(&self, cx: &Context<'_>) -> PyResult<bool> {
        let (specs, _) =
            tree::flatten(cx.interp, &Value::tuple([self.in_specs.clone(), self.out_specs.clone()]), None)?;
        Ok(specs.iter().filter_map(|spec| spec.downcast::<BlockSpec>()).any(BlockSpec::has_parts))
    }

    /// Stages the pipeline as a loop.
    pub(super) fn run_staged(
        &self,
        cx: &Context<'_>,
        refs: &Value,
        scratches: &Value,
        allocations: &Value,
        prologue: &Value,
    ) -> PyResult<Value> {
        let interp = cx.interp;
        kernel(cx, "emit_pipeline")?;
        let grid = Grid::new(cx, &self.grid, &self.core_axis, &self.semantics)?;
        let offsets = match &grid.offsets {
            Some(offsets) => offsets.iter().map(|tile| Value::object(ArrayObject { tile: tile.clone() })).collect(),
            None => vec![Value::from(0i64); grid.extents.len()],
        };
        let scratches = match scratches {
            Value::None | Value::Unset => Value::tuple([]),
            scratches => scratches.clone(),
        };
        let given = |value: &Value| if value.is_unset() { Value::None } else { value.clone() };
        let mut args = CallArgs::default();
        for (name, value) in [
            ("body", self.body.clone()),
            ("grid", Value::tuple(grid.values.iter().cloned())),
            ("offsets", Value::tuple(offsets)),
            ("in_specs", self.in_specs.clone()),
            ("out_specs", self.out_specs.clone()),
            ("refs", refs.clone()),
            ("allocations", given(allocations)),
            ("scratches", scratches),
            ("prologue", given(prologue)),
            ("synchronous", Value::Bool(self.synchronous)),
            ("explicit_indices", Value::Bool(self.explicit_indices)),
        ] {
            args.keywords.push((name.into(), value));
        }
        interp.call(&interp.get_attr(&interp.import("jax._src.pallas.mosaic.pipeline")?, "run")?, args)
    }
}
