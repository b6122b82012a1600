//! What kernels note of their times, by the simulator's clock: the same results, and events that fit together.

use pallas_ir::text::parse_launch;
use pallas_ir::{Launch, Role};
use pallas_simt::marks::{TimedStage, Times, read};
use pallas_simt::{Architecture, Options, Program, Tuning, compile, compile_with, sim};
use pallas_tensor::{Array, Scalar};
use std::path::Path;

const FUEL: u64 = 4_000_000;

fn launch(name: &str) -> Launch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    parse_launch(&std::fs::read_to_string(path).expect("a case")).expect("a launch")
}

fn timed(launch: &Launch) -> Program {
    compile_with(launch, Options { timed: true, ..Options::new(Architecture::new(90)) }).expect("a program")
}

fn inputs(launch: &Launch) -> Vec<Array> {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    inputs
        .map(|operand| {
            let (dtype, shape) = (operand.array.dtype, operand.array.shape.clone());
            let number = |n: usize| Scalar::Float((n % 7) as f64 - 3.0).cast(dtype);
            let elements: Vec<Scalar> = (0..shape.size()).map(number).collect();
            Array::from_scalars(dtype, shape, &elements).expect("an array")
        })
        .collect()
}

fn times(launch: &Launch) -> Times {
    let program = timed(launch);
    let (found, report) = sim::run(&program, &inputs(launch), FUEL).expect("it runs");
    assert!(report.is_clean(), "{:?}", report.complaints);
    let (expected, _) =
        sim::run(&compile(launch, Architecture::new(90)).expect("a program"), &inputs(launch), FUEL).expect("it runs");
    assert!(found.iter().zip(&expected).all(|(found, expected)| found.same_bits(expected)), "times change results");
    read(&program.kernel, &report.notes)
}

/// Each program's time is its computing, waiting and storing, one after the other.
fn fits(times: &Times, programs: usize) {
    assert_eq!(times.lost, 0);
    let mut seen = vec![0.0; programs];
    for block in 0..times.blocks.len() {
        let mut own: Vec<_> = times.events.iter().filter(|event| event.block == block).collect();
        own.retain(|event| event.stage != TimedStage::CopyIn);
        own.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.end.total_cmp(&b.end)));
        for pair in own.windows(2) {
            assert!(pair[0].end <= pair[1].start, "two things at once: {pair:?}");
        }
        for event in own {
            let time = times.blocks[block];
            assert!(time.start <= event.start && event.end <= time.end, "{event:?} outside of {time:?}");
            seen[event.program] += event.end - event.start;
        }
    }
    assert!(seen.iter().all(|&time| time > 0.0), "a program without time: {seen:?}");
}

#[test]
fn programs_of_a_small_kernel_are_timed_on_their_multiprocessors() {
    let launch = launch("add_partial.ir");
    let times = times(&launch);
    fits(&times, launch.programs());
    assert!(times.events.iter().any(|event| event.stage == TimedStage::CopyOut && event.operand.is_some()));
    // A multiprocessor of the simulator runs a block at a time.
    for (number, block) in times.blocks.iter().enumerate() {
        for other in &times.blocks[..number] {
            let apart = other.multiprocessor != block.multiprocessor || other.end <= block.start;
            assert!(apart, "{other:?} and {block:?}");
        }
    }
}

#[test]
fn copies_ahead_have_slots_and_are_waited_for() {
    let launch = launch("matmul.ir");
    let times = times(&launch);
    fits(&times, launch.programs());
    let copies: Vec<_> = times.events.iter().filter(|event| event.stage == TimedStage::CopyIn).collect();
    let waits = times.events.iter().filter(|event| event.stage == TimedStage::Wait).count();
    assert!(copies.iter().all(|copy| copy.bytes > 0 && copy.end > copy.start && copy.operand.is_some()));
    let operands: std::collections::BTreeSet<_> = copies.iter().map(|copy| copy.operand).collect();
    assert_eq!(operands.len(), 2, "both factors are copied");
    assert_eq!(copies.len(), 2 * waits, "every wait is for one copy of each factor");
    let slots: std::collections::BTreeSet<u32> = copies.iter().map(|copy| copy.slot).collect();
    assert!(slots.len() >= 2, "{slots:?}");
    // A slot is filled again only once what was in it has arrived.
    for copy in &copies {
        let other = |other: &&&pallas_simt::marks::TimedEvent| {
            (other.block, other.operand, other.slot) == (copy.block, copy.operand, copy.slot)
                && other.start < copy.start
        };
        assert!(copies.iter().filter(other).all(|other| other.end <= copy.start));
    }
}

/// What the last program along an axis stores goes behind the loop, and is its own all the same.
#[test]
fn what_goes_behind_a_loop_is_the_last_programs() {
    for name in ["warpgroups_grid.ir", "scratch_product.ir"] {
        let launch = launch(name);
        let times = times(&launch);
        fits(&times, launch.programs());
        let stores: Vec<usize> = times
            .events
            .iter()
            .filter(|event| event.stage == TimedStage::CopyOut)
            .map(|event| launch.program(event.program)[2])
            .collect();
        assert_eq!(stores, vec![launch.grid[2] - 1; launch.grid[0] * launch.grid[1]], "{name}");
    }
}

#[test]
fn warps_and_stages_change_what_threads_do_and_not_what_they_compute() {
    for name in ["matmul.ir", "matmul_f32.ir", "add_partial.ir"] {
        let launch = launch(name);
        let inputs = inputs(&launch);
        let architecture = Architecture::new(90);
        let (expected, _) =
            sim::run(&compile(&launch, architecture).expect("a program"), &inputs, FUEL).expect("it runs");
        let mut sources = std::collections::BTreeSet::new();
        for (warps, stages) in [(1, 1), (2, 2), (4, 3), (8, 4), (16, 2), (32, 6)] {
            let tuning = Tuning { warps: Some(warps), stages: Some(stages) };
            let program = compile_with(&launch, Options { tuning, ..Options::new(architecture) }).expect("a program");
            assert_eq!(program.threads, 32 * warps);
            assert!(program.shared_bytes <= architecture.shared_bytes);
            let (found, report) = sim::run(&program, &inputs, FUEL).expect("it runs");
            assert!(report.is_clean(), "{name} {tuning:?}: {:?}", report.complaints);
            for (found, expected) in found.iter().zip(&expected) {
                let pairs = found.iter_scalars().zip(expected.iter_scalars());
                let apart = pairs.filter_map(|(a, b)| Some((a.as_f64()? - b.as_f64()?).abs())).fold(0.0, f64::max);
                assert!(apart < 1e-3, "{name} {tuning:?}: {apart}");
            }
            sources.insert(program.source);
        }
        assert!(sources.len() >= 5, "{name}");
        let tuning = Tuning { warps: Some(3), ..Tuning::default() };
        assert!(compile_with(&launch, Options { tuning, ..Options::new(architecture) }).is_err());
    }
}

#[test]
fn a_ring_that_is_written_over_keeps_the_last_notes() {
    let launch = launch("matmul.ir");
    let program = timed(&launch);
    let (_, report) = sim::run(&program, &inputs(&launch), FUEL).expect("it runs");
    let whole = read(&program.kernel, &report.notes);
    let size = pallas_simt::marks::words(&program.kernel);
    let capacity = pallas_simt::marks::capacity(&program.kernel) as u64;
    // The same notes, said to be the last of more than there is room for.
    let mut words = report.notes.clone();
    for block in words.chunks_exact_mut(size) {
        block[5] += capacity;
    }
    let rest = read(&program.kernel, &words);
    let made: u64 = report.notes.chunks_exact(size).map(|block| block[5]).sum();
    assert_eq!((whole.lost, rest.lost), (0, made), "of each block as many as it made are said to be gone");
    assert!(rest.time <= whole.time && rest.events.len() <= whole.events.len());
    assert_eq!(read(&program.kernel, &[]), Times::default());
    let source = &program.source;
    assert!(source.contains("note_time(noted, count++") && source.contains("end_notes(noted, count)"), "{source}");
}
