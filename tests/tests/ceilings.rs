//! The kernels by which a device's ceilings are measured do what their rates are computed from. No GPU is needed: NVRTC compiles them, and the
//! machine of `tests/ptx` executes a few rounds of each by the host side that a GPU gets. It counts what is executed, stops at whatever lies
//! outside of what was allocated, and what comes out is compared with sums that are computed here.

use pallas_engine::cuda::peaks::{COPIED_BY_BLOCK, Peak, THREADS, copy, instruction, products, vector};
use pallas_engine::cuda::{Memory, Request, Work, run};
use pallas_engine::simt::Architecture;
use pallas_tensor::DType;
use pallas_tests::cuda::{compile, compiler};
use pallas_tests::ptx::Machine;

/// Rounds are divided by it.
const SHARE: usize = 256;
/// Blocks that are started: several clusters of two.
const BLOCKS: usize = 4;
/// Registers of a multiprocessor.
const REGISTERS: u32 = 64 << 10;

/// Runs a kernel on the machine; its memories that are wanted, and the machine behind it. `None` where there is no NVRTC.
fn ran(capability: u32, peak: &Peak, memories: Vec<Memory<'_>>) -> Option<(Vec<Vec<u8>>, Machine)> {
    let compiler = compiler("the kernels of ceilings")?;
    let architecture = Architecture::new(capability).name();
    let request = Request { source: &peak.source, architecture: &architecture, lines: &[] };
    let compiled = compile(&compiler, &request).unwrap_or_else(|error| panic!("{error}\n{}", peak.source));
    let used = compiled.resources.expect("the assembler says what it takes");
    assert!(!used.spills() && used.registers * THREADS <= REGISTERS, "{architecture}: {used:?}\n{}", peak.source);
    let ptx = compiled.ptx.expect("it was made here");
    let work = Work {
        cubin: ptx.as_bytes(),
        entry: peak.entry,
        blocks: BLOCKS,
        threads: THREADS,
        shared: peak.shared,
        memories,
        boxes: Vec::new(),
    };
    let mut machine = Machine::new(capability, 10_000_000);
    let outcome = run(&mut machine, &work).unwrap_or_else(|failure| panic!("{architecture}: {failure}\n{ptx}"));
    Some((outcome.contents, machine))
}

/// Runs a kernel that writes a word for each thread.
fn summed(capability: u32, peak: &Peak) -> Option<(Vec<u32>, Machine)> {
    let out = Memory { bytes: BLOCKS * THREADS as usize * 4, initial: None, wanted: true };
    let (contents, machine) = ran(capability, peak, vec![out])?;
    Some((contents[0].chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(), machine))
}

/// How many threads executed instructions whose names begin so.
fn executed(machine: &Machine, name: &str) -> u64 {
    machine.executed.iter().filter(|(other, _)| other.starts_with(name)).map(|(_, threads)| threads).sum()
}

#[test]
fn what_is_copied_arrives_and_is_what_is_counted() {
    let bytes = BLOCKS * COPIED_BY_BLOCK;
    let content: Vec<u8> = (0..bytes).map(|at| (at * 7 + at / 256) as u8).collect();
    for capability in [80, 90, 100, 120] {
        let memories = vec![
            Memory { bytes, initial: Some(&content), wanted: false },
            Memory { bytes, initial: None, wanted: true },
        ];
        let Some((contents, machine)) = ran(capability, &copy(), memories) else { return };
        assert!(contents[0] == content, "sm_{capability}: another content");
        let moved = executed(&machine, "ld.global") + executed(&machine, "st.global");
        let accesses = |name: &&String| name.starts_with("ld.global") || name.starts_with("st.global");
        assert!(machine.executed.keys().filter(accesses).all(|name| name.contains(".v4.")), "{:?}", machine.executed);
        assert_eq!((moved * 16) as f64, copy().work * BLOCKS as f64, "sm_{capability}: {:?}", machine.executed);
    }
}

#[test]
fn multiply_adds_are_all_executed() {
    let peak = vector(1);
    for capability in [80, 90, 100, 120] {
        let Some((found, machine)) = summed(capability, &peak) else { return };
        // One more makes a thread's factor.
        let count = executed(&machine, "fma.rn.f32") / u64::from(THREADS) / BLOCKS as u64 - 1;
        assert_eq!((2 * count) as f64 * f64::from(THREADS), peak.work, "sm_{capability}: {:?}", machine.executed);
        let rounds = count / 8;
        for (number, found) in found.into_iter().enumerate() {
            let thread = (number as u32 % THREADS) as f32;
            let a = thread.mul_add(1e-9, 1.0);
            let sum = 8.0 * (0..rounds).fold(0.0, |sum: f32, _| a.mul_add(sum, thread));
            let near = (f32::from_bits(found) - sum).abs() <= 1e-5 * sum.abs();
            assert!(near, "sm_{capability}: thread {number} has {} for {sum}", f32::from_bits(found));
        }
    }
}

/// The factors' words, by number.
fn word(number: usize) -> u32 {
    (number as u32).wrapping_mul(2_654_435_761) & 0xbfbf_bfbf
}

/// A finite number with so many bits of exponent and of fraction.
fn float(bits: u32, exponent: u32, fraction: u32) -> f64 {
    let sign = if bits >> (exponent + fraction) & 1 == 1 { -1.0 } else { 1.0 };
    let (power, rest) = (bits >> fraction & ((1 << exponent) - 1), bits & ((1 << fraction) - 1));
    let lowest = f64::from(power.max(1)) - f64::from((1_u32 << (exponent - 1)) - 1) - f64::from(fraction);
    sign * f64::from(rest + if power > 0 { 1 << fraction } else { 0 }) * lowest.exp2()
}

/// The elements of a word.
fn elements(dtype: DType, word: u32) -> Vec<f64> {
    let bytes = || word.to_le_bytes().into_iter();
    let halves = || [word & 0xffff, word >> 16].into_iter();
    match dtype {
        DType::BF16 => halves().map(|bits| float(bits, 8, 7)).collect(),
        DType::F16 => halves().map(|bits| float(bits, 5, 10)).collect(),
        DType::F8E4M3Fn => bytes().map(|bits| float(bits.into(), 4, 3)).collect(),
        DType::I8 => bytes().map(|bits| f64::from(bits as i8)).collect(),
        // What tensor cores take of it.
        _ => vec![float(word >> 13, 8, 10)],
    }
}

/// The product of a row and a column, both by their words' numbers.
fn dot(dtype: DType, row: impl Iterator<Item = usize>, column: impl Iterator<Item = usize>) -> f64 {
    let of_words = |(a, b)| {
        let (a, b) = (elements(dtype, word(a)), elements(dtype, word(b)));
        a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>()
    };
    row.zip(column).map(of_words).sum()
}

/// Words of a row of 128 bytes in shared memory, the first row of which is at a word: pieces of 16 bytes change places by the row.
fn panel(first: usize, row: usize) -> impl Iterator<Item = usize> {
    (0..32).map(move |word| first + row * 32 + (word ^ (row % 8 * 4)))
}

/// What a round gives to each thread of two blocks, by the instruction.
fn expected(by: &str, dtype: DType) -> Vec<f64> {
    let thread = |number: usize| {
        let (block, thread) = (number / THREADS as usize % 2, number % THREADS as usize);
        let (warp, lane) = (thread / 32, thread % 32);
        // Sums lie as those of all products of warps do: eight rows apart, two neighbours.
        let pairs = |columns: usize| {
            (0..2 * columns / 8).flat_map(move |number| {
                let (eight, second) = (number / 2 * 8, number % 2);
                [0, 8].map(|below| (lane / 4 + below, eight + lane % 4 * 2 + second))
            })
        };
        match by {
            "mma.sync" => {
                let register = |lane: usize, register: usize| (warp * 32 + lane) * 6 + register;
                let left =
                    |row: usize| (0..8).map(move |word| register(row % 8 * 4 + word % 4, row / 8 + word / 4 * 2));
                let right = |column: usize| (0..8).map(move |word| register(column * 4 + word % 4, 4 + word / 4));
                // Eight chains.
                8.0 * pairs(8).map(|(row, column)| dot(dtype, left(row), right(column))).sum::<f64>()
            }
            "wgmma" => {
                let left = |row: usize| panel(256 * 32 + warp / 4 * 64 * 32, warp % 4 * 16 + row);
                pairs(256).map(|(row, column)| dot(dtype, left(row), panel(0, column))).sum()
            }
            _ => {
                // Words of a block; half of its threads have the columns of the other block.
                let of = |block: usize| block * 256 * 32;
                let row = warp % 4 * 32 + lane;
                let right = |column: usize| panel(of(warp / 4) + 128 * 32, column);
                (0..128).map(|column| dot(dtype, panel(of(block), row), right(column))).sum()
            }
        }
    };
    (0..2 * THREADS as usize).map(thread).collect()
}

#[test]
fn products_are_all_executed_and_come_to_what_they_should() {
    for capability in [80, 89, 90, 100, 103] {
        for (dtype, peak) in products(capability, SHARE) {
            let (by, name) = (instruction(capability, dtype), dtype.short_name());
            let Some((found, machine)) = summed(capability, &peak) else { return };
            assert_eq!((2 * machine.terms) as f64, peak.work * BLOCKS as f64, "sm_{capability} {name}");
            let names = ["mma.sync", "wgmma.mma_async", "tcgen05.mma.cta_group::2"];
            let counts = names.map(|name| executed(&machine, name) > 0);
            assert_eq!(
                counts,
                names.map(|name| name.starts_with(by)),
                "sm_{capability} {name}: {:?}",
                machine.executed
            );
            let rounds = if by == "mma.sync" { 2048 } else { 512 } / SHARE;
            let expected = expected(by, dtype);
            let largest = expected.iter().fold(0.0, |most: f64, sum| most.max(sum.abs()));
            assert!(largest > 1e-3, "sm_{capability} {name}: nothing but zeros");
            for (number, found) in found.into_iter().enumerate() {
                let number_in_pair = number % expected.len();
                let expected = rounds as f64 * expected[number_in_pair];
                let (found, near) = match dtype {
                    DType::I8 => (f64::from(found as i32), 0.0),
                    _ => (f64::from(f32::from_bits(found)), 1e-4 * rounds as f64 * largest),
                };
                assert!(
                    (found - expected).abs() <= near,
                    "sm_{capability} {name}: thread {number} has {found} for {expected}"
                );
            }
        }
    }
}

/// What is measured on a device are the same kernels with more rounds.
#[test]
fn what_is_measured_has_more_rounds_and_nothing_else() {
    for capability in [80, 89, 90, 100, 103, 120] {
        let (short, long) = (products(capability, SHARE), products(capability, 1));
        assert_eq!(short.len(), long.len());
        for ((dtype, short), (_, long)) in short.into_iter().zip(long) {
            let rounds = if instruction(capability, dtype) == "mma.sync" { 2048 } else { 512 };
            let [few, many] = [rounds / SHARE, rounds].map(|rounds| format!("for (int i = 0; i < {rounds}; ++i)"));
            assert_eq!(short.source.matches(&few).count(), 1, "{}", short.source);
            assert_eq!(short.source.replace(&few, &many), long.source);
            assert_eq!((short.work * SHARE as f64, short.shared), (long.work, long.shared));
        }
    }
}
