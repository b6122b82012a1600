//! Which axes of a kernel are its cluster's and which one its threads', and what `pl.run_scoped(collective_axes=...)` may say
//! about them. The words are those of JAX's GPU interpreter.

use crate::context::Context;
use pallas_ir::{AxisSemantics, MemorySpace, Type};
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Named axes of the blocks of a kernel that is being traced.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockAxes {
    cluster: Vec<Rc<str>>,
    thread: Option<Rc<str>>,
}

impl BlockAxes {
    /// Those of a launch; nothing where it has neither clusters nor threads.
    pub(crate) fn of(semantics: &[AxisSemantics], names: &[Option<Rc<str>>]) -> Option<BlockAxes> {
        let mut axes = BlockAxes::default();
        for (semantics, name) in semantics.iter().zip(names) {
            match (semantics, name) {
                (AxisSemantics::Cluster, Some(name)) => axes.cluster.push(name.clone()),
                (AxisSemantics::Thread, Some(name)) => axes.thread = Some(name.clone()),
                _ => {}
            }
        }
        (!axes.cluster.is_empty() || axes.thread.is_some()).then_some(axes)
    }

    /// Those of a `plgpu.Mesh`.
    ///
    /// # Errors
    /// What reading its attributes raises.
    pub(crate) fn of_mesh(interp: &Interp, mesh: &Value) -> PyResult<Option<BlockAxes>> {
        let Some(names) = interp.find_attr(mesh, "cluster_names")? else { return Ok(None) };
        let mut axes = BlockAxes::default();
        for name in interp.collect(&names)? {
            axes.cluster.push(interp.str(&name)?.as_str().into());
        }
        if let Some(name) = interp.find_attr(mesh, "thread_name")?.filter(|name| !name.is_none()) {
            axes.thread = Some(interp.str(&name)?.as_str().into());
        }
        Ok(Some(axes))
    }
}

/// Axes that are known while it lasts.
pub(crate) struct Entered<'a>(&'a Context<'a>);

/// Makes the axes of a kernel known.
pub(crate) fn enter<'a>(cx: &'a Context<'a>, axes: Option<BlockAxes>) -> Entered<'a> {
    cx.state.blocks.borrow_mut().push(axes);
    Entered(cx)
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.state.blocks.borrow_mut().pop();
    }
}

/// That threads may have these allocations in common along these axes.
///
/// # Errors
/// `ValueError` where JAX raises it.
pub(crate) fn check(cx: &Context<'_>, collective: &[Rc<str>], allocations: &[Type]) -> PyResult<()> {
    let axes = cx.state.blocks.borrow().last().cloned().flatten();
    let Some(BlockAxes { cluster, thread }) = axes else { return Ok(()) };
    let refuse = |message: String| Err(cx.interp.value_error(message));
    let space = |ty: &Type| ty.as_ref_type().map(|ty| ty.space);
    if allocations.iter().all(|ty| space(ty) == Some(MemorySpace::Registers)) {
        return match collective.is_empty() || allocations.is_empty() {
            true => Ok(()),
            false => refuse("Scoped allocations in MemorySpace.REGS cannot be collective allocations.".to_string()),
        };
    }
    for axis in collective {
        if !cluster.contains(axis) && thread.as_ref() != Some(axis) {
            let known: Vec<String> = cluster.iter().chain(&thread).map(|name| format!("'{name}'")).collect();
            return refuse(format!("Collective axis `{axis}` not found among axes `[{}]`", known.join(", ")));
        }
    }
    // Barriers and shared memory belong to a block; semaphores in main memory need not.
    let belongs = |ty: &Type| {
        matches!(space(ty), Some(MemorySpace::Shared | MemorySpace::Tmem | MemorySpace::Barrier | MemorySpace::Gmem))
    };
    match &thread {
        None if !collective.is_empty() => {
            refuse("Requesting collective allocations, but no explicit thread axis specified.".to_string())
        }
        None => Ok(()),
        Some(_) if collective.iter().any(|axis| cluster.contains(axis)) => {
            refuse("Collective allocations along cluster axes are not supported.".to_string())
        }
        Some(thread) if !collective.contains(thread) && allocations.iter().any(belongs) => {
            refuse("Scoped allocation must have the thread axis in its collective axes.".to_string())
        }
        Some(_) => Ok(()),
    }
}
