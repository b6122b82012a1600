//! `GridSpec` and `PrefetchScalarGridSpec`.

use super::{argument_span, check_in_specs, native_class};
use crate::jnp::call::find_unknown;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::Span;
use std::rc::Rc;

/// `GridSpec`, also with prefetched scalars.
pub struct GridSpec {
    /// Whether it is a `PrefetchScalarGridSpec`.
    pub prefetched: bool,
    /// Number of leading arguments that are prefetched scalars.
    pub prefetch: usize,
    /// `grid`
    pub grid: Value,
    /// `in_specs`
    pub in_specs: Value,
    /// `out_specs`
    pub out_specs: Value,
    /// `scratch_shapes`
    pub scratch_shapes: Value,
    /// The `grid` argument.
    pub grid_span: Option<Span>,
}

native_class!(
    GRID_SPEC,
    GRID_SPEC_DEF,
    "GridSpec",
    "(grid=(), in_specs=None, out_specs=None, scratch_shapes=())",
    "A grid with the specs of inputs, outputs and scratch.",
    |interp, args| make_grid_spec(interp, args, false)
);

native_class!(
    PREFETCH_GRID_SPEC,
    PREFETCH_GRID_SPEC_DEF,
    "PrefetchScalarGridSpec",
    "(num_scalar_prefetch, grid=(), in_specs=None, out_specs=None, scratch_shapes=())",
    "A grid whose index maps may read prefetched scalars.",
    |interp, args| make_grid_spec(interp, args, true)
);

fn make_grid_spec(interp: &Interp, args: Arguments, prefetched: bool) -> PyResult<Value> {
    let grid_span = argument_span(interp, "grid", usize::from(prefetched));
    let (prefetch, [grid, in_specs, out_specs, scratch_shapes]) = if prefetched {
        let [count, grid, in_specs, out_specs, scratch] = args.take();
        (interp.to_usize(&count)?, [grid, in_specs, out_specs, scratch])
    } else {
        (0, args.take())
    };
    if let Some(unknown) = [&grid, &in_specs, &out_specs].into_iter().find_map(|v| find_unknown(v, 4)) {
        return Ok(unknown);
    }
    check_in_specs(interp, &in_specs, interp.span())?;
    let as_tuple = |specs: Value| match &specs {
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        _ => specs,
    };
    let (in_specs, out_specs) = (as_tuple(in_specs), as_tuple(out_specs));
    Ok(Value::object(GridSpec { prefetched, prefetch, grid, in_specs, out_specs, scratch_shapes, grid_span }))
}

impl Object for GridSpec {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.prefetched { &PREFETCH_GRID_SPEC } else { &GRID_SPEC })
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "grid" => Some(self.grid.clone()),
            "in_specs" => Some(self.in_specs.clone()),
            "out_specs" => Some(self.out_specs.clone()),
            "scratch_shapes" => Some(self.scratch_shapes.clone()),
            "num_scalar_prefetch" if self.prefetched => Some(Value::from(self.prefetch)),
            "grid_names" => Some(Value::None),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let specs = |specs: &Value| match specs {
            Value::None | Value::Unset => Ok("NoBlockSpec".to_string()),
            specs => interp.repr(specs),
        };
        let scratch = match &self.scratch_shapes {
            Value::List(items) => interp.repr(&Value::tuple(items.borrow().iter().cloned()))?,
            scratch => interp.repr(scratch)?,
        };
        let (name, prefetch) = match self.prefetched {
            true => ("PrefetchScalarGridSpec", format!(", num_scalar_prefetch={}", self.prefetch)),
            false => ("GridSpec", String::new()),
        };
        Ok(Some(format!(
            "{name}(grid={}, grid_names=None, in_specs={}, out_specs={}, scratch_shapes={scratch}{prefetch})",
            interp.repr(&self.grid)?,
            specs(&self.in_specs)?,
            specs(&self.out_specs)?
        )))
    }
}
