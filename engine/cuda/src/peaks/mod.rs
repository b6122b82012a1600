//! Kernels that do one thing only, as often as a device can: copies, multiply-adds, products on tensor cores by the fastest instruction
//! that it has. CUDA C++ without headers, each one `extern "C" __global__` function. How long they take is measured elsewhere
//! (`ceilings`). Of those that go round and round a `share` may be had: rounds are divided by it, which is for tests alone.

mod tensor;
mod warpgroups;
mod warps;

use pallas_tensor::DType;

/// A kernel, and what each of its blocks of [`THREADS`] threads does.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// CUDA C++.
    pub source: String,
    /// The function in it.
    pub entry: &'static str,
    /// Operations of a block: additions and multiplications. Of a copy, the bytes that it reads and those that it writes.
    pub work: f64,
    /// Bytes of dynamic shared memory of a block.
    pub shared: usize,
}

/// Blocks for each multiprocessor.
pub(crate) const BLOCKS: usize = 8;
/// Threads of each block.
pub const THREADS: u32 = 256;

/// Bytes that are copied, and those of a block.
pub(crate) const COPIED: usize = 256 << 20;
/// Bytes that a block copies.
pub const COPIED_BY_BLOCK: usize = 16 << 10;

/// Rounds of a block, and sums that do not wait for each other.
const ROUNDS: usize = 2048;
const CHAINS: usize = 8;
/// Rounds of a block whose products are large, and products of a round: all terms of a row of a factor.
const LONG_ROUNDS: usize = 512;
const STEPS: usize = 4;
/// Bytes of a row of a factor in shared memory, of which a product takes 32.
const ROW: usize = 128;

/// Behind a number: makes a word of it, of factors of any dtype. All of them are finite and less than two, and no two are alike, as those of
/// zeros would be multiplied with less power, and so with a higher clock.
const NUMBERS: &str = "* 2654435761u & 0xbfbfbfbfu";

/// What is summed up in: its name in C++, and the constraint of its registers.
type Sums = (&'static str, char);
const FLOATS: Sums = ("float", 'f');
const INTEGERS: Sums = ("int", 'r');

/// The generation whose warpgroups multiply, and those with tensor memory.
const WARPGROUPS: u32 = 90;
const TENSOR_MEMORY: std::ops::Range<u32> = 100..120;

/// The instruction that products of a dtype are measured by.
pub fn instruction(architecture: u32, dtype: DType) -> &'static str {
    if tensor::has(architecture, dtype) {
        "tcgen05"
    } else if architecture == WARPGROUPS {
        "wgmma"
    } else {
        "mma.sync"
    }
}

/// Products by dtype of the factors.
pub fn products(architecture: u32, share: usize) -> Vec<(DType, Peak)> {
    let known = warps::PRODUCTS.iter().filter(|product| product.from <= architecture);
    let peak = |product: &warps::Product| match instruction(architecture, product.dtype) {
        "tcgen05" => tensor::peak(product.dtype, share),
        "wgmma" => warpgroups::peak(product.dtype, share),
        _ => Some(warps::peak(product, share)),
    };
    known.filter_map(|product| Some((product.dtype, peak(product)?))).collect()
}

/// A copy, sixteen bytes at a time.
pub fn copy() -> Peak {
    let source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) copy(const uint4* __restrict__ from, uint4* __restrict__ to) {{\n\
         size_t i = (size_t)blockIdx.x * {each} + threadIdx.x;\n\
         #pragma unroll\n\
         for (int n = 0; n < {each} / {THREADS}; ++n) to[i + n * {THREADS}] = from[i + n * {THREADS}];\n}}\n",
        each = COPIED_BY_BLOCK / 16,
    );
    Peak { source, entry: "copy", work: 2.0 * COPIED_BY_BLOCK as f64, shared: 0 }
}

/// Fused multiply-adds of `f32`, and nothing else.
pub fn vector(share: usize) -> Peak {
    let rounds = ROUNDS / share;
    let source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) peak(float* __restrict__ out) {{\n\
         float a = 1.0f + threadIdx.x * 1e-9f, b = threadIdx.x, c[{CHAINS}] = {{}};\n\
         #pragma unroll 4\n\
         for (int i = 0; i < {rounds}; ++i) {{\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) asm volatile(\"fma.rn.f32 %0, %1, %0, %2;\" : \"+f\"(c[j]) : \"f\"(a), \"f\"(b));\n}}\n\
         float sum = 0;\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) sum += c[j];\n\
         out[(size_t)blockIdx.x * {THREADS} + threadIdx.x] = sum;\n}}\n"
    );
    Peak { source, entry: "peak", work: 2.0 * f64::from(THREADS) * (rounds * CHAINS) as f64, shared: 0 }
}
