//! Products by warpgroups (`wgmma`), with both factors in shared memory.

use super::{FLOATS, INTEGERS, LONG_ROUNDS, NUMBERS, Peak, ROW, STEPS, Sums, THREADS};
use pallas_tensor::DType;

/// Rows and columns of a product.
const ROWS: usize = 64;
const COLUMNS: usize = 256;
const WARPGROUP: usize = 128;

/// An instruction of warpgroups: the end of its name, and what stands behind its operands.
struct Wide {
    dtype: DType,
    words: &'static str,
    terms: usize,
    sums: Sums,
    rest: &'static str,
}

const WIDE: &[Wide] = &[
    Wide { dtype: DType::BF16, words: "f32.bf16.bf16", terms: 16, sums: FLOATS, rest: ", 1, 1, 0, 0" },
    Wide { dtype: DType::F16, words: "f32.f16.f16", terms: 16, sums: FLOATS, rest: ", 1, 1, 0, 0" },
    Wide { dtype: DType::F32, words: "f32.tf32.tf32", terms: 8, sums: FLOATS, rest: ", 1, 1" },
    Wide { dtype: DType::F8E4M3Fn, words: "f32.e4m3.e4m3", terms: 32, sums: FLOATS, rest: ", 1, 1" },
    Wide { dtype: DType::I8, words: "s32.s8.s8", terms: 32, sums: INTEGERS, rest: "" },
];

/// Products and nothing else: each warpgroup has rows of its own, all have the columns, and both factors lie in shared memory as tensor
/// cores read them. A round's products are under way while the next round's are started.
pub(super) fn peak(dtype: DType, share: usize) -> Option<Peak> {
    let wide = WIDE.iter().find(|wide| wide.dtype == dtype)?;
    let rounds = LONG_ROUNDS / share;
    let ((ty, letter), sums) = (wide.sums, COLUMNS / 2);
    let groups = THREADS as usize / WARPGROUP;
    let (left, right) = (ROWS * ROW, COLUMNS * ROW);
    let shared = right + groups * left;
    let numbers: Vec<String> = (0..sums).map(|number| format!("%{number}")).collect();
    let registers: Vec<String> = (0..sums).map(|number| format!("\"+{letter}\"(c[{number}])")).collect();
    // Rows of 128 bytes, eights of which are 1024 apart (swizzle 128).
    let source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) peak({ty}* __restrict__ out) {{\n\
         extern __shared__ __align__(1024) unsigned char shared[];\n\
         for (unsigned i = threadIdx.x; i < {words}; i += {THREADS}) ((unsigned*)shared)[i] = i {NUMBERS};\n\
         asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n\
         __syncthreads();\n\
         const unsigned begin = (unsigned)__cvta_generic_to_shared(shared);\n\
         const unsigned group = __shfl_sync(0xffffffffu, threadIdx.x / {WARPGROUP}, 0);\n\
         const unsigned long long as = 1ull << 62 | 64ull << 32 | 1ull << 16, b = as | begin >> 4;\n\
         const unsigned long long a = as | (begin + {right} + group * {left}) >> 4;\n\
         {ty} c[{sums}] = {{}};\n\
         asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n\
         #pragma unroll 2\n\
         for (int i = 0; i < {rounds}; ++i) {{\n\
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
    Some(Peak { source, entry: "peak", work: each * (groups * STEPS * rounds) as f64, shared })
}
