//! Requests for what only GPU kernels allocate: tensor memory, accumulators, barriers. The classes are Python's; their
//! instances say here what they ask for (`_memory_request`).

use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::pallas::memory::{self, MemoryRef};
use crate::transform::named;
use pallas_ir::{Attribute, BarrierType, Overlay, RefType};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Sets of names of axes of the cluster, along which arrivals are seen.
pub(crate) type Across = Rc<[Vec<Rc<str>>]>;

/// Rows of the private module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "memory",
        signature: "(space, shape, dtype)",
        doc: "A request for memory.",
        run: |interp, args| {
            let [space, shape, element] = args.take();
            let cx = Context::jax(interp);
            let ty = RefType::new(
                dtype::parse(&cx, &element)?,
                convert::shape(&cx, &shape)?,
                memory::parse_space(interp, &space)?,
            );
            Ok(Value::object(MemoryRef { ty, across: Rc::default() }))
        },
    },
    NativeDef {
        name: "barriers",
        signature: "(shape, arrivals, tensor_core, across, led=False)",
        doc: "A request for barriers; `across`: sets of names of axes; `led`: whether only the first block counts.",
        run: barriers,
    },
    NativeDef {
        name: "overlaid",
        signature: "(request, largest)",
        doc: "A request for memory that other requests have in common; whether it belongs to the largest group of them.",
        run: |interp, args| {
            let [request, largest] = args.take();
            let overlay = if interp.truth(&largest)? { Overlay::Largest } else { Overlay::Beside };
            Ok(match request.downcast::<MemoryRef>() {
                Some(memory) => {
                    let ty = RefType { overlay, ..memory.ty.clone() };
                    Value::object(MemoryRef { ty, across: memory.across.clone() })
                }
                None => request.clone(),
            })
        },
    },
    NativeDef {
        name: "grid_axes",
        signature: "(names)",
        doc: "The axes of the grid that have these names.",
        run: |interp, args| {
            let [names] = args.take();
            let cx = Context::jax(interp);
            let axes = interp
                .collect(&names)?
                .iter()
                .map(|name| {
                    let text = interp.str(name)?;
                    grid_axis(&cx, &text).map(Value::from).ok_or_else(|| {
                        interp.value_error(format!("{text} is no axis of this kernel's grid or cluster"))
                    })
                })
                .collect::<PyResult<Vec<_>>>()?;
            Ok(Value::tuple(axes))
        },
    },
];

fn barriers(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [shape, arrivals, tensor_core, across, led] = args.take();
    let cx = Context::jax(interp);
    let mut sets = Vec::new();
    for set in interp.collect(&across)? {
        let names = match &set {
            Value::Tuple(_) | Value::List(_) => interp.collect(&set)?,
            single => vec![single.clone()],
        };
        sets.push(names.iter().map(|name| interp.str(name).map(|text| text.as_str().into())).collect::<PyResult<_>>()?);
    }
    if sets.len() > BarrierType::SETS {
        return Err(interp.value_error("a cluster has at most three axes"));
    }
    let barrier = BarrierType {
        arrivals: u32::try_from(interp.to_usize(&arrivals)?).unwrap_or(u32::MAX),
        tensor_core: interp.truth(&tensor_core)?,
        across: Default::default(),
        led: interp.truth(&led)?,
    };
    let ty = RefType::barriers(convert::shape(&cx, &shape)?, barrier);
    Ok(Value::object(MemoryRef { ty, across: sets.into() }))
}

impl MemoryRef {
    /// The Ref that is asked for. `axis` knows the axes of the grid by name.
    ///
    /// # Errors
    /// `ValueError` for an axis that there is not.
    pub(crate) fn reference(&self, interp: &Interp, axis: impl Fn(&str) -> Option<usize>) -> PyResult<RefType> {
        let mut ty = self.ty.clone();
        if let Some(barrier) = &mut ty.barrier {
            for (slot, names) in barrier.across.iter_mut().zip(&*self.across) {
                for name in names {
                    let axis = axis(name).filter(|&axis| axis < 16).ok_or_else(|| {
                        interp.value_error(format!("collective_axes: {name} is no axis of the cluster"))
                    })?;
                    *slot |= 1 << axis;
                }
            }
        }
        Ok(ty)
    }
}

/// What an instance of a Python class asks for, if it asks for memory.
///
/// # Errors
/// What its property raises.
pub(crate) fn requested(interp: &Interp, value: &Value) -> PyResult<Option<Value>> {
    match value {
        Value::Instance(_) => interp.find_attr(value, "_memory_request"),
        _ => Ok(None),
    }
}

/// The axis of the running kernel's grid that has a name.
pub(crate) fn grid_axis(cx: &Context<'_>, name: &str) -> Option<usize> {
    let axis = named::find(cx, name)?;
    let crate::tile::Tile::Traced(lane) = &axis.lane else { return None };
    let number = axis.trace.with_function(|function| {
        let op = function.op(function.definition(lane.value)?);
        match op.attributes.get("axis") {
            Some(Attribute::Int(axis)) => usize::try_from(*axis).ok(),
            _ => None,
        }
    })?;
    Some(number)
}
