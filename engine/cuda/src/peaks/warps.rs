//! Products by warps (`mma.sync`), all of whose operands are registers.

use super::{CHAINS, FLOATS, INTEGERS, NUMBERS, Peak, ROUNDS, Sums, THREADS};
use pallas_tensor::DType;
use std::fmt::Write;

/// An instruction of warps: dtype of the factors, its name, terms, what it sums up in, and the least compute capability.
pub(super) struct Product {
    pub(super) dtype: DType,
    words: &'static str,
    terms: usize,
    sums: Sums,
    pub(super) from: u32,
}

pub(super) const PRODUCTS: &[Product] = &[
    Product { dtype: DType::BF16, words: "m16n8k16.row.col.f32.bf16.bf16.f32", terms: 16, sums: FLOATS, from: 80 },
    Product { dtype: DType::F16, words: "m16n8k16.row.col.f32.f16.f16.f32", terms: 16, sums: FLOATS, from: 80 },
    Product { dtype: DType::F32, words: "m16n8k8.row.col.f32.tf32.tf32.f32", terms: 8, sums: FLOATS, from: 80 },
    Product { dtype: DType::F8E4M3Fn, words: "m16n8k32.row.col.f32.e4m3.e4m3.f32", terms: 32, sums: FLOATS, from: 89 },
    Product { dtype: DType::I8, words: "m16n8k32.row.col.s32.s8.s8.s32", terms: 32, sums: INTEGERS, from: 80 },
];

/// Products and nothing else: each warp has several sums, and the same factors all the time.
pub(super) fn peak(product: &Product, share: usize) -> Peak {
    let rounds = ROUNDS / share;
    let (ty, letter) = product.sums;
    let mut source = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}) peak({ty}* __restrict__ out) {{\n\
         unsigned f[6];\n\
         #pragma unroll\n\
         for (int i = 0; i < 6; ++i) f[i] = (threadIdx.x * 6 + i) {NUMBERS};\n\
         {ty} c[{CHAINS}][4] = {{}};\n\
         #pragma unroll 4\n\
         for (int i = 0; i < {rounds}; ++i) {{\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) asm volatile(\"mma.sync.aligned.{} {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}}, {{%8,%9}}, \
         {{%0,%1,%2,%3}};\" : ",
        product.words
    );
    let list = |names: [&str; 4], how: &str| names.map(|name| format!("\"{how}\"({name})")).join(", ");
    // Writing to a string cannot fail.
    let _ = write!(
        source,
        "{} : {}, \"r\"(f[4]), \"r\"(f[5]));\n}}\n",
        list(["c[j][0]", "c[j][1]", "c[j][2]", "c[j][3]"], &format!("+{letter}")),
        list(["f[0]", "f[1]", "f[2]", "f[3]"], "r")
    );
    let _ = write!(
        source,
        "{ty} sum = 0;\n\
         #pragma unroll\n\
         for (int j = 0; j < {CHAINS}; ++j) sum += c[j][0] + c[j][1] + c[j][2] + c[j][3];\n\
         out[(size_t)blockIdx.x * {THREADS} + threadIdx.x] = sum;\n}}\n"
    );
    let warps = f64::from(THREADS / 32);
    let work = 2.0 * 16.0 * 8.0 * product.terms as f64 * warps * (rounds * CHAINS) as f64;
    Peak { source, entry: "peak", work, shared: 0 }
}
