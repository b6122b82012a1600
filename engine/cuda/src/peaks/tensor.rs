//! Products into tensor memory (`tcgen05`), of two blocks that multiply together: each has half of the rows, and reads half of the columns.

use super::{FLOATS, INTEGERS, LONG_ROUNDS, NUMBERS, Peak, ROW, STEPS, Sums, TENSOR_MEMORY, THREADS};
use pallas_tensor::DType;

/// Rows of a block, and columns that both have. A lane of tensor memory has a row, a column of it one of the columns.
const ROWS: usize = 128;
const COLUMNS: usize = 256;
/// Columns of tensor memory of a block, and of the multiprocessor.
const OF_BLOCK: usize = COLUMNS;
const OF_MULTIPROCESSOR: usize = 512;
/// Bytes of shared memory that a multiprocessor has, at least (228 KiB, and 1 KiB of each block is the system's).
const SHARED: usize = 227 << 10;
/// Columns that a thread loads at once.
const LOADED: usize = 32;

/// An instruction: dtype of the factors, its kind, the number of the dtype in it, terms, what it sums up in and the number of that.
struct Wide {
    dtype: DType,
    kind: &'static str,
    number: u32,
    terms: usize,
    sums: (Sums, u32),
}

const WIDE: &[Wide] = &[
    Wide { dtype: DType::BF16, kind: "f16", number: 1, terms: 16, sums: (FLOATS, 1) },
    Wide { dtype: DType::F16, kind: "f16", number: 0, terms: 16, sums: (FLOATS, 1) },
    Wide { dtype: DType::F32, kind: "tf32", number: 2, terms: 8, sums: (FLOATS, 1) },
    Wide { dtype: DType::F8E4M3Fn, kind: "f8f6f4", number: 0, terms: 32, sums: (FLOATS, 1) },
    Wide { dtype: DType::I8, kind: "i8", number: 1, terms: 32, sums: (INTEGERS, 2) },
];

/// Whether a device multiplies factors of a dtype so: integers only some do (PTX ISA 9.7.16.10.9, `.kind::i8`).
pub(super) fn has(architecture: u32, dtype: DType) -> bool {
    let integers = matches!(architecture, 100 | 101 | 110);
    TENSOR_MEMORY.contains(&architecture)
        && WIDE.iter().any(|wide| wide.dtype == dtype && (wide.kind != "i8" || integers))
}

/// Products and nothing else, which a thread of the first block starts; they are waited for once, behind the last. Two blocks of a
/// multiprocessor have tensor memory at the same time, so that one multiplies while the other one begins or ends, and no third one, which would
/// wait for columns, has shared memory.
pub(super) fn peak(dtype: DType, share: usize) -> Option<Peak> {
    let Wide { kind, number, terms, sums: ((ty, letter), sums), .. } = WIDE.iter().find(|wide| wide.dtype == dtype)?;
    let rounds = LONG_ROUNDS / share;
    // Factors, one behind the other; the barrier; where columns begin is written behind it.
    let (left, right) = (ROWS * ROW, COLUMNS / 2 * ROW);
    let done = left + right;
    let shared = SHARED / (OF_MULTIPROCESSOR / OF_BLOCK + 1) / 1024 * 1024 + 1024;
    // Dtypes of sums and of both factors, columns in eights, and the rows of both blocks in sixteens.
    let said = sums << 4 | number << 7 | number << 10 | (COLUMNS as u32 / 8) << 17 | (2 * ROWS as u32 / 16) << 24;
    let registers =
        |from: usize, how: &dyn Fn(usize) -> String| (from..from + LOADED).map(how).collect::<Vec<String>>().join(", ");
    // Rows of 128 bytes, eights of which are 1024 apart (swizzle 128).
    let source = format!(
        "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__({THREADS}) peak({ty}* __restrict__ out) {{\n\
         extern __shared__ __align__(1024) unsigned char shared[];\n\
         unsigned rank;\n\
         asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n\
         for (unsigned i = threadIdx.x; i < {words}; i += {THREADS}) ((unsigned*)shared)[i] = (i + rank * {words}) {NUMBERS};\n\
         const unsigned begin = (unsigned)__cvta_generic_to_shared(shared), done = begin + {done}, slot = done + 8;\n\
         if (threadIdx.x == 0) {{\n\
         asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(done) : \"memory\");\n\
         asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n}}\n\
         __syncwarp();\n\
         {MEET}\
         if (threadIdx.x < 32) {{\n\
         asm volatile(\"tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], {OF_BLOCK};\" :: \"r\"(slot) : \"memory\");\n\
         asm volatile(\"tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\");\n}}\n\
         asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n\
         asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");\n\
         {MEET}\
         asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");\n\
         unsigned sums;\n\
         asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(sums) : \"r\"(slot) : \"memory\");\n\
         const unsigned long long as = 2ull << 61 | 1ull << 46 | 64ull << 32 | 1ull << 16;\n\
         const unsigned long long a = as | begin >> 4, b = as | (begin + {left}) >> 4;\n\
         if (rank == 0 && threadIdx.x == 0) {{\n\
         for (int i = 0; i < {rounds}; ++i) {{\n\
         #pragma unroll\n\
         for (int j = 0; j < {STEPS}; ++j) asm volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p, %4, 0;\\n\
         tcgen05.mma.cta_group::2.kind::{kind} [%0], %1, %2, %3, p;\\n}}\" :: \"r\"(sums), \"l\"(a + j * 2), \"l\"(b + j * 2), \
         \"r\"({said}u), \"r\"(i | j) : \"memory\");\n}}\n\
         asm volatile(\"tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;\" :: \
         \"r\"(done), \"h\"((unsigned short)3) : \"memory\");\n}}\n\
         __syncwarp();\n\
         for (unsigned over = 0; !over;) asm volatile(\"{{\\n.reg .pred p;\\n\
         mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\\nselp.b32 %0, 1, 0, p;\\n}}\" : \"=r\"(over) : \"r\"(done) : \
         \"memory\");\n\
         __syncwarp();\n\
         asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");\n\
         const unsigned warp = threadIdx.x / 32, own = sums + (warp % 4 << 21) + warp / 4 * {half};\n\
         {ty} sum = 0;\n\
         for (unsigned column = 0; column < {half}; column += {LOADED}) {{\n\
         {ty} c[{LOADED}];\n\
         asm volatile(\"tcgen05.ld.sync.aligned.32x32b.x{LOADED}.b32 {{{loaded}}}, [%{LOADED}];\\ntcgen05.wait::ld.sync.aligned;\" : \
         {outputs} : \"r\"(own + column) : \"memory\");\n\
         #pragma unroll\n\
         for (int r = 0; r < {LOADED}; ++r) sum += c[r];\n}}\n\
         out[(size_t)blockIdx.x * {THREADS} + threadIdx.x] = sum;\n\
         asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");\n\
         {MEET}\
         if (threadIdx.x < 32) asm volatile(\"tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, {OF_BLOCK};\" :: \"r\"(sums));\n\
         __syncwarp();\n\
         {MEET}}}\n",
        words = done / 4,
        half = COLUMNS / (THREADS as usize / ROWS),
        loaded = registers(0, &|number| format!("%{number}")),
        outputs = registers(0, &|number| format!("\"={letter}\"(c[{number}])")),
    );
    let each = 2.0 * (ROWS * COLUMNS * terms) as f64;
    Some(Peak { source, entry: "peak", work: each * (STEPS * rounds) as f64, shared })
}

/// All threads of both blocks meet.
const MEET: &str =
    "asm volatile(\"barrier.cluster.arrive.aligned;\\nbarrier.cluster.wait.aligned;\" ::: \"memory\");\n";
