//! The kernels of `benches/gpu`: where each is, what it does, and what it has to reach.

use super::launches;
use crate::corpus::root;
use pallas_engine::Launch;
use std::sync::Arc;

/// What a kernel does, for rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// Bytes that have to be read and written.
    Bytes(f64),
    /// Floating-point operations of its products.
    Flops(f64),
}

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// What it is called.
    pub name: &'static str,
    /// Its file, in `benches/gpu`.
    pub file: &'static str,
    /// The number of its launch there. The last launch of a file is a small one, which interpret mode runs too.
    pub launch: usize,
    /// What others call the same work.
    pub work: &'static str,
    /// What it does.
    pub effort: Effort,
}

const MI: f64 = 1024.0 * 1024.0;

const fn bytes(name: &'static str, count: f64) -> Kernel {
    Kernel { name, file: name, launch: 0, work: name, effort: Effort::Bytes(count) }
}

const fn product(name: &'static str, file: &'static str, launch: usize, work: &'static str, n: f64) -> Kernel {
    Kernel { name, file, launch, work, effort: Effort::Flops(2.0 * n * n * n) }
}

/// All of them, in the order of the table.
pub const KERNELS: [Kernel; 12] = [
    bytes("elementwise", 2.0 * 4.0 * 64.0 * MI),
    bytes("softmax", 2.0 * 4.0 * 32.0 * MI),
    bytes("layer_norm", 2.0 * 4.0 * 32.0 * MI),
    product("matmul_bf16_4096", "matmul_bf16", 0, "matmul_bf16_4096", 4096.0),
    product("matmul_wide_4096", "matmul_wide", 0, "matmul_bf16_4096", 4096.0),
    product("matmul_tpu_4096", "matmul_tpu", 0, "matmul_bf16_4096", 4096.0),
    product("matmul_plgpu_4096", "matmul_plgpu", 0, "matmul_bf16_4096", 4096.0),
    product("matmul_bf16_8192", "matmul_bf16", 1, "matmul_bf16_8192", 8192.0),
    product("matmul_wide_8192", "matmul_wide", 1, "matmul_bf16_8192", 8192.0),
    product("matmul_tpu_8192", "matmul_tpu", 1, "matmul_bf16_8192", 8192.0),
    product("matmul_plgpu_8192", "matmul_plgpu", 1, "matmul_bf16_8192", 8192.0),
    Kernel {
        name: "attention",
        file: "attention",
        launch: 0,
        work: "attention",
        effort: Effort::Flops(4.0 * 64.0 * 4096.0 * 4096.0 * 64.0),
    },
];

impl Kernel {
    /// Whether it is written for warpgroups, in JAX's dialect for Mosaic GPU.
    pub fn is_for_warpgroups(&self) -> bool {
        self.file == "matmul_plgpu"
    }

    /// Its launch, and the small one.
    ///
    /// # Errors
    /// The file has no such launches.
    pub fn launches(&self) -> Result<[Arc<Launch>; 2], String> {
        let path = root().join("benches/gpu").join(self.file).with_extension("py");
        let all = launches(&path)?;
        match (all.get(self.launch), all.last()) {
            (Some(launch), Some(small)) if self.launch + 1 < all.len() => Ok([launch.clone(), small.clone()]),
            _ => Err(format!("{} has no launch {} and a small one after it", path.display(), self.launch)),
        }
    }
}
