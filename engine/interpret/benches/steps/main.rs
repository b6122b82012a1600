//! What a step of a kernel costs by itself: launches whose tiles are so small that what is computed is not what takes the time, on one
//! core, with all that is read in its caches, but for the one that is called far. `cargo bench -p pallas-interpret --bench steps [NAMES]`.
//!
//! Without a harness: it says nanoseconds for a program, the least of several launches, and nothing else is wanted of it.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use pallas_interpret::{LaunchPlan, NoHooks};
use pallas_ir::text::parse_launch;
use pallas_ir::{Launch, Role};
use pallas_tensor::threads::alone;
use pallas_tensor::{Array, DType, Shape};
use std::time::{Duration, Instant};

/// One step of decoding with keys and values in a few pages; the same with pages that each program has for itself; rows that are
/// normalised, with a tile that is kept from program to program; a loop over rows that carries floats.
const LAUNCHES: [(&str, &str, usize); 4] = [
    ("paged", include_str!("paged.ir"), 4),
    ("far paged", include_str!("paged.ir"), 512),
    ("norm", include_str!("norm.ir"), 1),
    ("scan", include_str!("scan.ir"), 1),
];

/// For how long each is launched again.
const TIME: Duration = Duration::from_secs(1);

/// That of the tools: arrays begin where a line of the caches does.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    println!("| launch | programs | nanoseconds a program |\n|---|--:|--:|");
    for (name, text, pages) in LAUNCHES {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let text = text.replace("[4,", &format!("[{pages},"));
        let launch = parse_launch(&text).expect("a launch");
        let plan = LaunchPlan::new(&launch).expect("it is well formed");
        let inputs = inputs(&launch, pages);
        let programs: usize = launch.grid.iter().product();
        let begin = Instant::now();
        let mut least = Duration::MAX;
        while begin.elapsed() < TIME {
            let start = Instant::now();
            alone(|| plan.run(inputs.clone(), &mut NoHooks)).expect("it runs");
            least = least.min(start.elapsed());
        }
        println!("| {name} | {programs} | {:.0} |", least.as_nanos() as f64 / programs as f64);
    }
}

/// Floats between -2.5 and 2.5, and integers: pages that there are, none behind the one before.
fn inputs(launch: &Launch, pages: usize) -> Vec<Array> {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    let array = inputs.map(|operand| {
        let shape: Shape = operand.array.shape.clone();
        let numbers = 0..shape.size();
        match operand.array.dtype {
            DType::F32 => Array::from_f32s(shape, &numbers.map(|i| i as f32 * 0.37 % 5.0 - 2.5).collect::<Vec<_>>()),
            _ => Array::from_i32s(shape, &numbers.map(|i| (i * 5 % pages) as i32).collect::<Vec<_>>()),
        }
        .expect("as many")
    });
    array.collect()
}
