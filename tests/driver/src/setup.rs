//! What the environment asks for. Tests set these variables for the process that they start:
//!
//! - `PALLAS_DRIVER_LOG`: a file to which each call is written, with its answer, and at the end what was not given back.
//! - `PALLAS_DRIVER_DEVICE`: `9.0` (an H100, without a word), `8.0` (an A100) or `10.0` (a B200).
//! - `PALLAS_DRIVER_DEVICES`: how many devices there are; one of them at most.
//! - `PALLAS_DRIVER_VERSION`: the newest CUDA that it knows, `13000` without a word. Older ones load no machine code of NVRTC 13.
//! - `PALLAS_DRIVER_MEMORY`: bytes of the device's memory; 128 MiB without a word. With 512 MiB and more the kernels fit that measure what a
//!   device reaches at most, which takes hours here.
//! - `PALLAS_DRIVER_BUDGET`: instructions after which a kernel is one that never ends.
//! - `PALLAS_DRIVER_FAULTS`: `cuMemAlloc_v2@3=2 cuInit=999`: the third call answers 2, every call 999.

use crate::codes::Code;
use std::sync::LazyLock;

/// A device, as its attributes say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) capability: (i32, i32),
    pub(crate) multiprocessors: i32,
    /// Bytes of shared memory of a block that asked for more than 48 KiB.
    pub(crate) shared_opt_in: i32,
    /// Of a multiprocessor.
    pub(crate) shared: i32,
}

const HOPPER: Model = Model {
    name: "Virtual H100",
    capability: (9, 0),
    multiprocessors: 132,
    shared_opt_in: 227 << 10,
    shared: 228 << 10,
};
const BLACKWELL: Model = Model {
    name: "Virtual B200",
    capability: (10, 0),
    multiprocessors: 148,
    shared_opt_in: 227 << 10,
    shared: 228 << 10,
};
const AMPERE: Model = Model {
    name: "Virtual A100",
    capability: (8, 0),
    multiprocessors: 108,
    shared_opt_in: 163 << 10,
    shared: 164 << 10,
};

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    call: String,
    /// Which of its calls, from 1; none: all.
    number: Option<usize>,
    code: Code,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) model: Model,
    pub(crate) devices: i32,
    pub(crate) version: i32,
    pub(crate) memory: usize,
    pub(crate) budget: u64,
    planned: Vec<Planned>,
}

impl Setup {
    /// What the so-manieth call of a function is to answer.
    pub(crate) fn fault(&self, call: &str, number: usize) -> Option<Code> {
        let fits = |planned: &&Planned| planned.call == call && planned.number.is_none_or(|n| n == number);
        self.planned.iter().find(fits).map(|planned| planned.code)
    }
}

/// What the environment of this process says.
pub(crate) static SETUP: LazyLock<Setup> = LazyLock::new(|| {
    let variable = |name: &str| std::env::var(format!("PALLAS_DRIVER_{name}")).unwrap_or_default();
    let number = |name: &str| variable(name).parse::<u64>().ok();
    Setup {
        model: match variable("DEVICE").as_str() {
            "8.0" => AMPERE,
            "10.0" => BLACKWELL,
            _ => HOPPER,
        },
        devices: number("DEVICES").map_or(1, |devices| devices.min(1) as i32),
        version: number("VERSION").map_or(13000, |version| version as i32),
        memory: number("MEMORY").map_or(128 << 20, |bytes| bytes as usize),
        budget: number("BUDGET").unwrap_or(2_000_000_000),
        planned: variable("FAULTS").split_whitespace().filter_map(planned).collect(),
    }
});

fn planned(word: &str) -> Option<Planned> {
    let (call, code) = word.split_once('=')?;
    let (call, number) = match call.split_once('@') {
        Some((call, number)) => (call, Some(number.parse().ok()?)),
        None => (call, None),
    };
    Some(Planned { call: call.to_string(), number, code: code.parse().ok()? })
}
