//! This CPU as a machine: interpret mode's own alpha, beta and F, measured with small launches on a clock that the front
//! end passes in.

use pallas_interpret::{Hooks, LaunchPlan, ProgramEvent};
use pallas_ir::Role;
use pallas_ir::text::parse_launch;
use pallas_pipeline::Machine;
use pallas_tensor::Array;

/// Programs of each launch: enough for the quickest one to be undisturbed.
const PROGRAMS: usize = 24;

/// Blocks of so many elements, copied and left alone.
fn copy(elements: usize) -> String {
    let all = elements * PROGRAMS;
    format!(
        "launch grid=[{PROGRAMS}] {{\n  input @x: f32[{all}] block=[{elements}] map @m(%i: i32[]) {{ yield %i }}\n  \
         output @o: f32[1] block=[1]\n  kernel @copy(%x: ref<f32[{elements}]>, %o: ref<f32[1]>) {{\n  }}\n}}\n"
    )
}

/// `o = x op x` on one block, program after program.
fn compute(side: usize, op: &str) -> String {
    let ty = format!("f32[{side},{side}]");
    format!(
        "launch grid=[{PROGRAMS}] {{\n  input @x: {ty} block=[{side}, {side}]\n  output @o: {ty} block=[{side}, {side}]\n  \
         kernel @compute(%x: ref<{ty}>, %o: ref<{ty}>) {{\n    %a = load %x[:, :] : {ty}\n    %b = {op} : {ty}\n    \
         store %o[:, :], %b\n  }}\n}}\n"
    )
}

struct Stopwatch<'a> {
    clock: &'a mut dyn FnMut() -> u64,
    /// The shortest copy and the shortest kernel so far.
    copy: u64,
    kernel: u64,
}

impl Hooks for Stopwatch<'_> {
    fn now(&mut self) -> Option<u64> {
        Some((self.clock)())
    }

    fn wants_programs(&self) -> bool {
        true
    }

    fn program(&mut self, event: &ProgramEvent<'_>) {
        if let Some(times) = event.times {
            self.copy = self.copy.min(times.compute.saturating_sub(times.copy_in));
            self.kernel = self.kernel.min(times.end.saturating_sub(times.compute));
        }
    }
}

/// Seconds of the quickest copy and the quickest kernel of a launch.
fn quickest(text: &str, clock: &mut dyn FnMut() -> u64) -> Option<(f64, f64)> {
    let launch = parse_launch(text).ok()?;
    let inputs: Option<Vec<Array>> = launch
        .operands
        .iter()
        .filter(|operand| operand.role != Role::Output)
        .map(|operand| Array::zeros(operand.array.dtype, operand.array.shape.clone()).ok())
        .collect();
    let mut stopwatch = Stopwatch { clock, copy: u64::MAX, kernel: u64::MAX };
    LaunchPlan::new(&launch).ok()?.run(inputs?, &mut stopwatch).ok()?;
    // A clock that does not move in between gives no rate; a nanosecond does no harm.
    Some((stopwatch.copy.max(1) as f64 * 1e-9, stopwatch.kernel.max(1) as f64 * 1e-9))
}

/// Measures this CPU. `clock` gives nanoseconds.
pub fn this_cpu(clock: &mut dyn FnMut() -> u64) -> Option<Machine> {
    const LARGE: usize = 1 << 18;
    const SIDE: usize = 256;
    let (small, _) = quickest(&copy(1), clock)?;
    let (large, _) = quickest(&copy(LARGE), clock)?;
    let bandwidth = (LARGE * 4) as f64 / (large - small).max(1e-9);
    let (_, matrix) = quickest(&compute(SIDE, "dot_general %a, %a contracting=[[1], [0]] batch=[[], []]"), clock)?;
    let (_, vector) = quickest(&compute(SIDE, "mul %a, %a"), clock)?;
    let cube = (SIDE * SIDE * SIDE) as f64;
    Some(Machine::this_cpu(small, bandwidth, 2.0 * cube / matrix, (SIDE * SIDE) as f64 / vector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_gives_rates() {
        let mut now = 0;
        let machine = this_cpu(&mut || {
            now += 1000;
            now
        })
        .expect("the launches are well formed");
        // How often the clock is asked within a copy or a kernel is the interpreter's business: a few times.
        let few = 0.9e-6..5e-6;
        assert!(few.contains(&machine.latency.value), "{}", machine.latency.value);
        assert!(few.contains(&(256.0 * 256.0 / machine.vector.value)), "{}", machine.vector.value);
        assert!(machine.bandwidth.value > 0.0);
    }
}
