//! Kernels that do one thing only, as often as a device can: copies, multiply-adds, products on tensor cores by the fastest instruction
//! that kernels are compiled to for it. CUDA C++ without headers, each one `extern "C" __global__` function.

use pallas_tensor::DType;
use std::fmt::Write;

/// A kernel, and what each of its blocks of [`THREADS`] threads does.
pub(crate) struct Peak {
    pub(crate) source: String,
    /// Operations of a block.
    pub(crate) work: f64,
    /// Bytes of shared memory of a block.
    pub(crate) shared: usize,
}

/// Blocks for each multiprocessor, and their threads.
pub(crate) const BLOCKS: usize = 8;
pub(crate) const THREADS: u32 = 256;

/// A copy of 256 MiB, sixteen bytes at a time.
pub(crate) const COPY: &str = "extern \"C\" __global__ void copy(const uint4* __restrict__ from, uint4* __restrict__ to) {\n\
     size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;\n\
     #pragma unroll\n\
     for (int n = 0; n < 4; ++n) to[i + n * 256] = from[i + n * 256];\n}\n";
pub(crate) const COPIED: usize = 256 << 20;

/// Rounds of a block, and sums that do not wait for each other.
const ROUNDS: usize = 2048;
const CHAINS: usize = 8;

/// The generation whose warpgroups multiply.
const WARPGROUPS: u32 = 90;
/// Rows and columns of a product of a warpgroup, products of a round, rounds of a block.
const ROWS: usize = 64;
const COLUMNS: usize = 256;
const STEPS: usize = 4;
const LONG_ROUNDS: usize = 512;
/// Threads of a warpgroup, and bytes of a row of a factor, all of whose products are of another 32.
const WARPGROUP: usize = 128;
const ROW: usize = 128;

/// The instruction that products are measured by.
pub fn instruction(architecture: u32) -> &'static str {
    if architecture == WARPGROUPS { "wgmma" } else { "mma.sync" }
}

/// Products by dtype of the factors.
pub(crate) fn products(architecture: u32) -> Vec<(DType, Peak)> {
    match architecture == WARPGROUPS {
        true => WIDE.iter().map(|wide| (wide.dtype, of_warpgroups(wide))).collect(),
        false => PRODUCTS.iter().filter(|one| one.from <= architecture).map(|one| (one.dtype, of_warps(one))).collect(),
    }
}

/// An instruction of warps: dtype of the factors, its name, terms, what it sums up in, and the least compute capability.
struct Product {
    dtype: DType,
    words: &'static str,
    terms: usize,
    sums: (&'static str, char),
    from: u32,
}

const FLOATS: (&str, char) = ("float", 'f');
const INTEGERS: (&str, char) = ("int", 'r');

const PRODUCTS: &[Product] = &[
    Product { dtype: DType::BF16, words: "m16n8k16.row.col.f32.bf16.bf16.f32", terms: 16, sums: FLOATS, from: 80 },
    Product { dtype: DType::F16, words: "m16n8k16.row.col.f32.f16.f16.f32", terms: 16, sums: FLOATS, from: 80 },
    Product { dtype: DType::F32, words: "m16n8k8.row.col.f32.tf32.tf32.f32", terms: 8, sums: FLOATS, from: 80 },
    Product { dtype: DType::F8E4M3Fn, words: "m16n8k32.row.col.f32.e4m3.e4m3.f32", terms: 32, sums: FLOATS, from: 89 },
    Product { dtype: DType::I8, words: "m16n8k32.row.col.s32.s8.s8.s32", terms: 32, sums: INTEGERS, from: 80 },
];

/// An instruction of warpgroups: the end of its name, and what stands behind its operands.
struct Wide {
    dtype: DType,
    words: &'static str,
    terms: usize,
    sums: (&'static str, char),
    rest: &'static str,
}

const WIDE: &[Wide] = &[
    Wide { dtype: DType::BF16, words: "f32.bf16.bf16", terms: 16, sums: FLOATS, rest: ", 1, 1, 0, 0" },
    Wide { dtype: DType::F16, words: "f32.f16.f16", terms: 16, sums: FLOATS, rest: ", 1, 1, 0, 0" },
    Wide { dtype: DType::F32, words: "f32.tf32.tf32", terms: 8, sums: FLOATS, rest: ", 1, 1" },
    Wide { dtype: DType::F8E4M3Fn, words: "f32.e4m3.e4m3", terms: 32, sums: FLOATS, rest: ", 1, 1" },
    Wide { dtype: DType::I8, words: "s32.s8.s8", terms: 32, sums: INTEGERS, rest: "" },
];

/// Products and nothing else: each warp has several sums, and the same factors all the time.
fn of_warps(product: &Product) -> Peak {
    let (ty, letter) = product.sums;
    let mut source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) peak({ty}* __restrict__ out) {{\n\
         unsigned a0 = threadIdx.x, a1 = a0 * 3, a2 = a0 * 5, a3 = a0 * 7, b0 = a0 * 11, b1 = a0 * 13;\n\
         {ty} c[{CHAINS}][4] = {{}};\n\
         #pragma unroll 4\n\
         for (int i = 0; i < {ROUNDS}; ++i) {{\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) asm volatile(\"mma.sync.aligned.{} {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}}, {{%8,%9}}, \
         {{%0,%1,%2,%3}};\" : ",
        product.words
    );
    let list = |names: [&str; 4], how: &str| names.map(|name| format!("\"{how}\"({name})")).join(", ");
    // Writing to a string cannot fail.
    let _ = write!(
        source,
        "{} : {}, \"r\"(b0), \"r\"(b1));\n}}\n",
        list(["c[j][0]", "c[j][1]", "c[j][2]", "c[j][3]"], &format!("+{letter}")),
        list(["a0", "a1", "a2", "a3"], "r")
    );
    let _ = write!(
        source,
        "{ty} sum = 0;\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) sum += c[j][0] + c[j][1] + c[j][2] + c[j][3];\n\
         out[(size_t)blockIdx.x * {THREADS} + threadIdx.x] = sum;\n}}\n"
    );
    let warps = f64::from(THREADS / 32);
    let work = 2.0 * 16.0 * 8.0 * product.terms as f64 * warps * (ROUNDS * CHAINS) as f64;
    Peak { source, work, shared: 0 }
}

/// The same by warpgroups: each has rows of its own, all have the columns, and both factors lie in shared memory as tensor cores read
/// them. A round's products are under way while the next round's are started.
fn of_warpgroups(wide: &Wide) -> Peak {
    let ((ty, letter), sums) = (wide.sums, COLUMNS / 2);
    let groups = THREADS as usize / WARPGROUP;
    let (left, right) = (ROWS * ROW, COLUMNS * ROW);
    let shared = right + groups * left;
    let numbers: Vec<String> = (0..sums).map(|number| format!("%{number}")).collect();
    let registers: Vec<String> = (0..sums).map(|number| format!("\"+{letter}\"(c[{number}])")).collect();
    // Finite numbers of any dtype, and not all alike. Rows of 128 bytes, eights of which are 1024 apart (swizzle 128).
    let source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) peak({ty}* __restrict__ out) {{\n\
         extern __shared__ __align__(1024) unsigned char shared[];\n\
         for (unsigned i = threadIdx.x; i < {words}; i += {THREADS}) ((unsigned*)shared)[i] = i * 2654435761u & 0xbfbfbfbfu;\n\
         asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n\
         __syncthreads();\n\
         const unsigned begin = (unsigned)__cvta_generic_to_shared(shared);\n\
         const unsigned group = __shfl_sync(0xffffffffu, threadIdx.x / {WARPGROUP}, 0);\n\
         const unsigned long long as = 1ull << 62 | 64ull << 32 | 1ull << 16, b = as | begin >> 4;\n\
         const unsigned long long a = as | (begin + {right} + group * {left}) >> 4;\n\
         {ty} c[{sums}] = {{}};\n\
         asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n\
         #pragma unroll 2\n\
         for (int i = 0; i < {LONG_ROUNDS}; ++i) {{\n\
         #pragma unroll\n\
         for (int j = 0; j < {STEPS}; ++j) asm volatile(\"{{\\n.reg .pred p;\\nsetp.eq.u32 p, 1, 1;\\n\
         wgmma.mma_async.sync.aligned.m{ROWS}n{COLUMNS}k{terms}.{name} {{{}}}, %{sums}, %{next}, p{rest};\\n}}\" : {} : \
         \"l\"(a + j * 2), \"l\"(b + j * 2));\n\
         asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n\
         asm volatile(\"wgmma.wait_group.sync.aligned 1;\" ::: \"memory\");\n}}\n\
         asm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");\n\
         {ty} sum = 0;\n\
         #pragma unroll\n\
         for (int r = 0; r < {sums}; ++r) {{ asm volatile(\"\" : \"+{letter}\"(c[r]) :: \"memory\"); sum += c[r]; }}\n\
         out[(size_t)blockIdx.x * {THREADS} + threadIdx.x] = sum;\n}}\n",
        numbers.join(", "),
        registers.join(", "),
        words = shared / 4,
        terms = wide.terms,
        name = wide.words,
        next = sums + 1,
        rest = wide.rest,
    );
    let each = 2.0 * (ROWS * COLUMNS * wide.terms) as f64;
    Peak { source, work: each * (groups * STEPS * LONG_ROUNDS) as f64, shared }
}

/// Fused multiply-adds of `f32`, and nothing else.
pub(crate) fn vector() -> Peak {
    let source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) peak(float* __restrict__ out) {{\n\
         float a = 1.0f + threadIdx.x * 1e-9f, b = threadIdx.x, c[{CHAINS}] = {{}};\n\
         #pragma unroll 4\n\
         for (int i = 0; i < {ROUNDS}; ++i) {{\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) asm volatile(\"fma.rn.f32 %0, %1, %0, %2;\" : \"+f\"(c[j]) : \"f\"(a), \"f\"(b));\n}}\n\
         float sum = 0;\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) sum += c[j];\n\
         out[(size_t)blockIdx.x * {THREADS} + threadIdx.x] = sum;\n}}\n"
    );
    Peak { source, work: 2.0 * f64::from(THREADS) * (ROUNDS * CHAINS) as f64, shared: 0 }
}
