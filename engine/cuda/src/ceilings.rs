//! What a device reaches at most: bytes that a plain copy moves in a second, and operations that nothing but products on tensor
//! cores, or fused multiply-adds, come to. Kernels of our own, measured on the device; the numbers are kept.

use crate::cache::Key;
use crate::compile::{Compile, Request};
use crate::device::{Device, DeviceInfo};
use crate::failure::Failure;
use crate::launch::{Memory, Rounds, Work, measure, median};
use crate::peaks::{BLOCKS, COPIED, COPIED_BY_BLOCK, Peak, THREADS, copy, products, vector};
use pallas_simt::Architecture;
use pallas_tensor::DType;
use std::fmt::Write;

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// Bytes that a copy moves in a second, those that it reads and those that it writes.
    pub copy: f64,
    /// Floating-point operations, or those of integers, of products in a second, by the factors' dtype, by the fastest
    /// [`instruction`](crate::instruction) that the device has for them.
    pub matrix: Vec<(DType, f64)>,
    /// Floating-point operations of fused multiply-adds of `f32` in a second.
    pub vector: f64,
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
    found.copy = rate(device, compiler, &copy(), COPIED / COPIED_BY_BLOCK, vec![memory(), memory()])?;
    let out = || vec![Memory { bytes: blocks * THREADS as usize * 4, initial: None, wanted: false }];
    for (dtype, product) in products(info.architecture(), 1) {
        said(dtype.short_name());
        found.matrix.push((dtype, rate(device, compiler, &product, blocks, out())?));
    }
    said("fma");
    found.vector = rate(device, compiler, &vector(1), blocks, out())?;
    if let Some(cache) = compiler.cache() {
        // A folder that cannot be written costs time, not the numbers.
        let _ = cache.put(key, found.text().as_bytes());
    }
    Ok(found)
}

/// What a kernel does in a second, by the median of its times.
fn rate(
    device: &mut dyn Device,
    compiler: &dyn Compile,
    peak: &Peak,
    blocks: usize,
    memories: Vec<Memory<'_>>,
) -> Result<f64, Failure> {
    let architecture = Architecture::new(device.info().architecture()).name();
    let compiled = compiler.compile(&Request { source: &peak.source, architecture: &architecture, lines: &[] });
    let compiled = compiled.map_err(|error| Failure::Driver { call: "NVRTC", code: error.to_string() })?;
    let work = Work {
        cubin: &compiled.cubin,
        entry: peak.entry,
        blocks,
        threads: THREADS,
        shared: peak.shared,
        memories,
        boxes: Vec::new(),
    };
    let samples = measure(device, &work, &|_| Rounds { warm_up: 3, counted: 20, launches: 1 }, &|| false)?;
    let took = median(&samples.times).filter(|took| *took > 0.0).unwrap_or(f64::INFINITY);
    Ok(peak.work * blocks as f64 / took * 1e6)
}

/// Of one device: its kind, and how much of it there is.
fn key(info: &DeviceInfo) -> Key {
    let numbers = format!("{} {} {}", info.architecture(), info.multiprocessors, info.memory);
    Key::new(["ceilings 3", info.name.as_str(), numbers.as_str()])
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
}
