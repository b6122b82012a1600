//! Launches that are written for TPUs, of which nothing says what they are compiled for: the rules of the TPU's compiler (PL501,
//! PL502, PL504) do not look at them. Says that, so that "no problems" is not taken for more than it is.

use crate::analysis::Analysis;
use crate::fixes::tree;
use pallas_ir::{Launch, Target};

const TPU: &str = "jax.experimental.pallas.tpu";

impl Analysis {
    /// Whether a launch is one for TPUs whose compiler was not asked for.
    pub fn is_uncompiled(&self, launch: &Launch) -> bool {
        let chosen = self.machines.of(launch);
        let is_of_gpus = launch.written_for == Target::Triton || launch.written_for.is_mosaic_gpu();
        let is_for_tpus = match chosen.said {
            true => !chosen.named && chosen.machine.name.starts_with("TPU"),
            // Nothing in the kernel says so; that the file has the module does.
            false => tree::module_name(&self.module, TPU).is_some(),
        };
        launch.target == Target::Unsaid && !is_of_gpus && is_for_tpus
    }
}
