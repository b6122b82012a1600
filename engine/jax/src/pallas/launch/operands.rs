//! Specs matched to the arrays of a call: one [`Operand`] each, with its block and its traced index map.

use super::index_map::trace_index_map;
use crate::api::struct_type;
use crate::context::Context;
use crate::pallas::call::PallasCall;
use crate::pallas::spec::{self, BlockSpec, GridSpec, NoBlockSpec};
use crate::tree::{self, TreeDef};
use pallas_ir::launch::OperandSpans;
use pallas_ir::{BlockDim, MemorySpace, Operand, RefType, Role, TensorType};
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use std::rc::Rc;
use std::sync::Arc;

/// An operand before its spec is known to fit.
pub(super) struct Planned {
    pub(super) role: Role,
    pub(super) array: TensorType,
    pub(super) origin: String,
    pub(super) spec: Option<Rc<SpecRef>>,
}

/// A spec as a value, with the object inside.
pub(super) struct SpecRef(Value);

impl SpecRef {
    pub(super) fn get(&self) -> Option<&BlockSpec> {
        self.0.downcast()
    }
}

pub(super) fn bare(ty: TensorType) -> TensorType {
    TensorType { weak: false, ..ty }
}

pub(super) fn ref_type(ty: &TensorType, space: MemorySpace) -> RefType {
    RefType::new(ty.dtype, ty.shape.clone(), space)
}

pub(super) fn out_type(cx: &Context<'_>, call: &PallasCall, leaf: &Value) -> PyResult<TensorType> {
    if struct_type::leaves_axes_open(leaf) && crate::transform::named::asks_what_varies(cx) {
        return Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            "When `check_vma=True` on `jax.shard_map`, `manual_axis_type` on `jax.ShapeDtypeStruct` must not be `None`. \
             Please specify how the output should be varying across mesh axes using the `manual_axis_type` argument of \
             `jax.ShapeDtypeStruct` or set `check_vma=False` on `jax.shard_map`."
                .to_string(),
            Diagnosis {
                code: "PL102",
                span: call.out_shape_span,
                message: Some(
                    "within `jax.shard_map`, `out_shape` has to say along which axes of the mesh the output varies"
                        .to_string(),
                ),
                help: Some("pass `check_vma=False` to `jax.shard_map`, which then does not check it".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    match spec::declared(cx, leaf)? {
        // A Ref of 64 bits stays one, also where values of 64 bits cannot be had: nothing can be stored to it then.
        Some((shape, dtype)) => Ok(TensorType::new(dtype, shape)),
        None => {
            let class = cx.interp.repr(&Value::Class(cx.interp.type_of(leaf)))?;
            Err(cx.interp.error_with(
                &cx.interp.types().value_error,
                format!("Invalid out_shape type: {class}"),
                Diagnosis {
                    code: "PL102",
                    span: call.out_shape_span,
                    help: Some("use `jax.ShapeDtypeStruct(shape, dtype)`".to_string()),
                    ..Diagnosis::default()
                },
            ))
        }
    }
}

/// `outputs`, `outputs[0]`, `outputs['a']`: how JAX names outputs in messages.
pub(super) fn out_origins(tree: &TreeDef) -> Vec<String> {
    let mut out = Vec::new();
    tree.paths("outputs", &mut out);
    out
}

/// One spec per leaf. `None` for whole arrays.
pub(super) fn specs(
    cx: &Context<'_>,
    call: &PallasCall,
    value: &Value,
    tree: &TreeDef,
    leaves: usize,
    what: &str,
    against: &str,
) -> PyResult<Vec<Option<Rc<SpecRef>>>> {
    let interp = cx.interp;
    if matches!(value, Value::None | Value::Unset) || value.downcast::<NoBlockSpec>().is_some() {
        return Ok((0..leaves).map(|_| None).collect());
    }
    let value = match value {
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        value => value.clone(),
    };
    let (spec_leaves, spec_tree) = tree::flatten(interp, &value, None)?;
    if !spec_tree.same(tree, interp)? {
        return Err(tree_mismatch(cx, call, (what, &spec_tree), (against, tree)));
    }
    Ok(spec_leaves
        .into_iter()
        .map(|leaf| leaf.downcast::<BlockSpec>().is_some().then(|| Rc::new(SpecRef(leaf))))
        .collect())
}

fn tree_mismatch(
    cx: &Context<'_>,
    call: &PallasCall,
    (what, specs): (&str, &TreeDef),
    (against, tree): (&str, &TreeDef),
) -> Box<Stop> {
    let found = tree::differences(cx.interp, specs, tree).unwrap_or_default();
    let mut message =
        format!("Pytree for {what} and {against} do not match. There are {} mismatches, including:", found.len());
    for difference in &found {
        let place = if difference.path.is_empty() { String::new() } else { format!("at {}, ", difference.path) };
        message.push_str(&format!(
            "\n    * {place}{what} is a {} but {against} is a {}, so {}",
            difference.first, difference.second, difference.why
        ));
    }
    let span = if what == "`in_specs`" { call.in_specs_span } else { call.out_specs_span };
    let scalars = call.grid_spec.downcast::<GridSpec>().map_or(0, |spec| spec.prefetch);
    let count = format!(
        "{} spec{} for {} operand{}",
        specs.leaves(),
        if specs.leaves() == 1 { "" } else { "s" },
        tree.leaves(),
        if tree.leaves() == 1 { "" } else { "s" }
    );
    cx.interp.error_with(
        &cx.interp.types().value_error,
        message,
        Diagnosis {
            code: "PL103",
            span,
            message: Some(format!("{what} does not match {against}: {count}")),
            help: Some(match (what, scalars) {
                ("`in_specs`", 1..) => format!(
                    "give one BlockSpec per array, in the same nesting; `num_scalar_prefetch={scalars}` takes the first \
                     {scalars} of the call's arguments, which have no BlockSpec"
                ),
                _ => "give one BlockSpec per array, in the same nesting".to_string(),
            }),
            ..Diagnosis::default()
        },
    )
}

/// An operand with its block and traced index map.
/// A block that does not fit an input, where scalars are fetched before: they may stand in the wrong place.
fn behind_scalars(mut stop: Box<Stop>, role: Role, scalars: usize) -> Box<Stop> {
    if let Stop::Raise(raise) = &mut *stop
        && let Some(help) = raise.diagnosis.as_mut().and_then(|diagnosis| diagnosis.help.as_mut())
        && role == Role::Input
        && scalars > 0
    {
        let which =
            if scalars == 1 { "args[0] is".to_string() } else { format!("args[0] to args[{}] are", scalars - 1) };
        help.push_str(&format!(
            "; {which} prefetched (`num_scalar_prefetch={scalars}`): scalars stand before the inputs"
        ));
    }
    stop
}

pub(super) fn operand(
    cx: &Context<'_>,
    plan: Planned,
    grid: &[Option<usize>],
    scalars: &[RefType],
    scalar_tree: &TreeDef,
    space: MemorySpace,
) -> PyResult<Operand> {
    let Planned { role, array, origin, spec } = plan;
    let spec_ref = spec.as_deref().and_then(SpecRef::get);
    let whole = || array.shape.iter().map(|&n| BlockDim::Blocked(n)).collect::<Vec<_>>();
    let block = match spec_ref {
        Some(spec) => spec.dims(cx, &array.shape, &origin).map_err(|stop| behind_scalars(stop, role, scalars.len()))?,
        None => whole(),
    };
    let index_map = match spec_ref {
        Some(spec) if !spec.index_map.is_none() => {
            Some(trace_index_map(cx, spec, &block, &origin, grid, scalars, scalar_tree)?)
        }
        _ => None,
    };
    let space = match (role, spec_ref) {
        (Role::Prefetch, _) => MemorySpace::Smem,
        (_, Some(spec)) => spec.space,
        _ => space,
    };
    Ok(Operand {
        name: Arc::from(origin),
        role,
        array,
        block,
        index_map,
        space,
        buffers: spec_ref.and_then(|s| s.buffers.as_ref().map(|b| b.count)),
        spans: OperandSpans {
            spec: spec_ref.map(|s| s.span),
            block_shape: spec_ref.and_then(|s| s.block_shape_span),
            index_map: spec_ref.and_then(|s| s.index_map_span),
            ..OperandSpans::default()
        },
    })
}
