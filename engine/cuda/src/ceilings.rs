//! What a device reaches at most: bytes that a plain copy moves in a second, and operations that nothing but products on tensor
//! cores, or fused multiply-adds, come to. Kernels of our own, measured on the device; the numbers are kept.

use crate::cache::Key;
use crate::compile::{Compile, Request};
use crate::device::{Device, DeviceInfo};
use crate::failure::Failure;
use crate::launch::{Memory, Rounds, Work, measure, median};
use pallas_simt::Architecture;
use pallas_tensor::DType;
use std::fmt::Write;

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// Bytes that a copy moves in a second, those that it reads and those that it writes.
    pub copy: f64,
    /// Floating-point operations, or those of integers, of products in a second, by the factors' dtype: `mma.sync`, as kernels
    /// are compiled to. Newer devices have instructions that reach more.
    pub matrix: Vec<(DType, f64)>,
    /// Floating-point operations of fused multiply-adds of `f32` in a second.
    pub vector: f64,
}

/// A copy of 256 MiB, sixteen bytes at a time.
const COPY: &str = "extern \"C\" __global__ void copy(const uint4* __restrict__ from, uint4* __restrict__ to) {\n\
                    size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;\n\
                    #pragma unroll\n\
                    for (int n = 0; n < 4; ++n) to[i + n * 256] = from[i + n * 256];\n}\n";
const COPIED: usize = 256 << 20;

/// Blocks for each multiprocessor, their threads, and rounds of each.
const BLOCKS: usize = 8;
const THREADS: u32 = 256;
const ROUNDS: usize = 2048;
/// Sums that do not wait for each other.
const CHAINS: usize = 8;

/// An instruction of tensor cores: dtype of the factors, its name, words of factors, terms, and the least compute capability.
struct Product {
    dtype: DType,
    words: &'static str,
    terms: usize,
    sums: (&'static str, char),
    from: u32,
}

const PRODUCTS: &[Product] = &[
    Product {
        dtype: DType::BF16,
        words: "m16n8k16.row.col.f32.bf16.bf16.f32",
        terms: 16,
        sums: ("float", 'f'),
        from: 80,
    },
    Product { dtype: DType::F16, words: "m16n8k16.row.col.f32.f16.f16.f32", terms: 16, sums: ("float", 'f'), from: 80 },
    Product { dtype: DType::F32, words: "m16n8k8.row.col.f32.tf32.tf32.f32", terms: 8, sums: ("float", 'f'), from: 80 },
    Product { dtype: DType::I8, words: "m16n8k32.row.col.s32.s8.s8.s32", terms: 32, sums: ("int", 'r'), from: 80 },
];

/// Products and nothing else: each warp has several sums, and the same factors all the time.
fn product_source(product: &Product) -> String {
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
    source
}

/// Operations of a thread block of [`product_source`].
fn product_work(product: &Product) -> f64 {
    let warps = f64::from(THREADS / 32);
    2.0 * 16.0 * 8.0 * product.terms as f64 * warps * (ROUNDS * CHAINS) as f64
}

/// Fused multiply-adds of `f32`, and nothing else.
fn vector_source() -> String {
    format!(
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
    )
}

/// Measures a device, or finds what was measured of it before. `said` hears what is being measured.
///
/// # Errors
/// What went wrong on the device; NVRTC's failures are those of its driver.
pub fn ceilings(device: &mut dyn Device, compiler: &dyn Compile, said: &dyn Fn(&str)) -> Result<Ceilings, Failure> {
    let key = key(device.info());
    if let Some(kept) = compiler.cache().and_then(|cache| cache.get(key)).and_then(|text| Ceilings::read(&text)) {
        return Ok(kept);
    }
    let info = device.info().clone();
    let blocks = info.multiprocessors * BLOCKS;
    let mut found = Ceilings::default();
    said("copy");
    let memory = || Memory { bytes: COPIED, initial: None, wanted: false };
    let took = peak(device, compiler, COPY, "copy", COPIED / 16 / 1024, vec![memory(), memory()])?;
    found.copy = 2.0 * COPIED as f64 / took * 1e6;
    let out = || vec![Memory { bytes: blocks * THREADS as usize * 4, initial: None, wanted: false }];
    for product in PRODUCTS.iter().filter(|product| product.from <= info.architecture()) {
        said(product.dtype.short_name());
        let took = peak(device, compiler, &product_source(product), "peak", blocks, out())?;
        found.matrix.push((product.dtype, product_work(product) * blocks as f64 / took * 1e6));
    }
    said("fma");
    let took = peak(device, compiler, &vector_source(), "peak", blocks, out())?;
    let operations = 2.0 * f64::from(THREADS) * (ROUNDS * CHAINS * blocks) as f64;
    found.vector = operations / took * 1e6;
    if let Some(cache) = compiler.cache() {
        // A folder that cannot be written costs time, not the numbers.
        let _ = cache.put(key, found.text().as_bytes());
    }
    Ok(found)
}

/// The median time of a kernel in microseconds.
fn peak(
    device: &mut dyn Device,
    compiler: &dyn Compile,
    source: &str,
    entry: &str,
    blocks: usize,
    memories: Vec<Memory<'_>>,
) -> Result<f64, Failure> {
    let architecture = Architecture::new(device.info().architecture()).name();
    let compiled = compiler.compile(&Request { source, architecture: &architecture, lines: &[] });
    let compiled = compiled.map_err(|error| Failure::Driver { call: "NVRTC", code: error.to_string() })?;
    let work = Work {
        cubin: &compiled.cubin,
        entry,
        blocks,
        threads: THREADS,
        shared: 0,
        memories,
        boxes: Vec::new(),
        patience: 30,
    };
    let samples = measure(device, &work, &|_| Rounds { warm_up: 3, counted: 20, launches: 1 }, &|| false)?;
    Ok(median(&samples.times).filter(|took| *took > 0.0).unwrap_or(f64::INFINITY))
}

/// Of one device: its kind, and how much of it there is.
fn key(info: &DeviceInfo) -> Key {
    let numbers = format!("{} {} {}", info.architecture(), info.multiprocessors, info.memory);
    Key::new(["ceilings 1", info.name.as_str(), numbers.as_str()])
}

impl Ceilings {
    /// The ceiling of products of a dtype.
    pub fn matrix_of(&self, dtype: DType) -> Option<f64> {
        self.matrix.iter().find(|(other, _)| *other == dtype).map(|(_, rate)| *rate)
    }

    fn text(&self) -> String {
        let mut text = format!("copy {}\nvector {}\n", self.copy, self.vector);
        for (dtype, rate) in &self.matrix {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {rate}", dtype.short_name());
        }
        text
    }

    /// What [`Ceilings::text`] wrote; `None` of anything else.
    fn read(bytes: &[u8]) -> Option<Ceilings> {
        let mut found = Ceilings::default();
        for line in std::str::from_utf8(bytes).ok()?.lines() {
            let (name, number) = line.split_once(' ')?;
            let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)?;
            match name {
                "copy" => found.copy = number,
                "vector" => found.vector = number,
                name => found.matrix.push((DType::all().find(|dtype| dtype.short_name() == name)?, number)),
            }
        }
        (found.copy > 0.0 && found.vector > 0.0).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back_and_nothing_else() {
        let ceilings =
            Ceilings { copy: 4.3e12, matrix: vec![(DType::BF16, 6.1e14), (DType::I8, 1.2e15)], vector: 5.9e13 };
        assert_eq!(Ceilings::read(ceilings.text().as_bytes()), Some(ceilings.clone()));
        assert_eq!(ceilings.matrix_of(DType::I8), Some(1.2e15));
        for broken in ["", "copy 1", "copy x\nvector 2\n", "copy 1\nvector inf\n", "copy 1\nvector 2\nf99 3\n"] {
            assert_eq!(Ceilings::read(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn the_work_of_a_product_is_that_of_its_instruction() {
        // m16n8k16: 4096 operations; eight warps, eight chains, so many rounds.
        assert_eq!(product_work(&PRODUCTS[0]), 4096.0 * 8.0 * (ROUNDS * CHAINS) as f64);
        assert!(product_source(&PRODUCTS[3]).contains("\"+r\"(c[j][0])"));
    }

    /// The sources, for whoever has a compiler.
    #[test]
    fn sources_are_accepted_by_nvrtc_where_it_is() {
        let places = crate::Places::named_by(|name| std::env::var_os(name));
        let Ok(nvrtc) = crate::Nvrtc::load(crate::find(&places).nvrtc.as_deref()) else { return };
        let compiler = crate::Compiler::new(nvrtc, None);
        let sources = PRODUCTS.iter().map(product_source).chain([vector_source(), COPY.to_string()]);
        for source in sources {
            let compiled = compiler.compile(&Request { source: &source, architecture: "sm_90a", lines: &[] });
            let used = compiled.unwrap_or_else(|error| panic!("{error}\n{source}")).resources;
            assert!(used.is_some_and(|used| !used.spills()), "{source}");
        }
    }
}
