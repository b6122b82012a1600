//! Which programs a mesh stands for: cores of a TPU, or the blocks and threads of a GPU. They run at the same time, so that a
//! function over such a mesh is a launch. How it is launched is said elsewhere.

use crate::pallas::agents;
use pallas_ir::{AxisSemantics, MemorySpace, Target};
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::iter::repeat_n;

/// Programs that run at the same time.
pub(super) struct Programs {
    /// What each axis of the mesh is.
    pub(super) semantics: Vec<AxisSemantics>,
    /// Where their operands are.
    pub(super) space: MemorySpace,
    /// What they are compiled for.
    pub(super) target: Target,
}

impl Programs {
    /// Those of a mesh with so many axes; nothing for meshes whose cores are run one after the other.
    ///
    /// # Errors
    /// What reading its attributes, or those of the compiler parameters, raises.
    pub(super) fn of(interp: &Interp, mesh: &Value, axes: usize, params: &Value) -> PyResult<Option<Programs>> {
        match &*interp.type_of(mesh).name {
            "TensorCoreMesh" if axes == 1 => Ok(Some(Programs {
                semantics: vec![AxisSemantics::Core],
                space: MemorySpace::Any,
                target: Target::Unsaid,
            })),
            _ => Programs::of_blocks(interp, mesh, axes, params),
        }
    }

    /// Those of a `plgpu.Mesh`: the axes of its grid, then of its cluster, then its threads.
    fn of_blocks(interp: &Interp, mesh: &Value, axes: usize, params: &Value) -> PyResult<Option<Programs>> {
        let Some(cluster) = interp.find_attr(mesh, "cluster_names")? else { return Ok(None) };
        let clusters = interp.collect(&cluster)?.len();
        let threads = usize::from(!interp.get_attr(mesh, "thread_name")?.is_none());
        let blocks = axes.saturating_sub(clusters + threads);
        let semantics = repeat_n(AxisSemantics::Parallel, blocks)
            .chain(repeat_n(AxisSemantics::Cluster, clusters))
            .chain(repeat_n(AxisSemantics::Thread, threads));
        Ok(Some(Programs {
            semantics: semantics.collect(),
            space: MemorySpace::Gmem,
            target: agents::target(interp, params)?,
        }))
    }
}
