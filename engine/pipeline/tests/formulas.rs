//! The guide's three formulas, against the time of the schedule that they describe.

use pallas_pipeline::{
    Bound, Direction, Durations, Formulas, Moves, Order, Rates, Schedule, Stream, Timing, seconds, ticks,
};

/// A pipeline of an input and, perhaps, an output of so many bytes each.
fn pipeline(formulas: Formulas, output: bool) -> f64 {
    // One byte moves in the time of a whole copy; with an output each direction has half of it.
    let streams: Vec<Stream> = [Direction::In, Direction::Out]
        .into_iter()
        .take(1 + usize::from(output))
        .map(|direction| Stream {
            name: "x".into(),
            operand: 0,
            direction,
            bytes: if output { 1 } else { 2 },
            slots: formulas.slots,
            moves: Moves::Along(vec![true]),
        })
        .collect();
    let rates = Rates { latency: ticks(formulas.latency), per_byte: (ticks(formulas.transfer), 2) };
    let schedule = Schedule { order: Order::new(&[formulas.programs]), streams };
    seconds(Timing::new(schedule, Durations::constant(ticks(formulas.compute)), rates).totals().time)
}

fn letters(latency: f64, transfer: f64, compute: f64, slots: usize, bubbles: usize) -> Formulas {
    Formulas { programs: 1000, latency, transfer, compute, slots, rounds: 1000, bubbles }
}

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} and {b} differ by more than {within}");
}

#[test]
fn compute_bound() {
    let formulas = letters(1e-6, 2e-6, 10e-6, 2, 1);
    assert_eq!(formulas.bound(), Bound::Compute);
    // (alpha + X / beta) + N (Y / F), exactly.
    close(formulas.compute_bound(), 3e-6 + 1000.0 * 10e-6, 1e-15);
    close(pipeline(formulas, false), formulas.time(), 1e-14);
    // With an output there is a bubble at the end too; each copy is half of X here.
    let both = letters(1e-6, 2e-6, 10e-6, 2, 2);
    close(both.compute_bound(), 2.0 * 3e-6 + 1000.0 * 10e-6, 1e-15);
    close(pipeline(both, true), both.time() - both.transfer, 1e-14);
}

#[test]
fn bandwidth_bound() {
    let formulas = letters(1e-6, 10e-6, 3e-6, 2, 1);
    assert_eq!(formulas.bound(), Bound::Bandwidth);
    close(formulas.bandwidth_bound(), 1e-6 + 1000.0 * 10e-6, 1e-15);
    // The last program computes after the last copy, which the formula leaves out.
    close(pipeline(formulas, false), formulas.time() + formulas.compute, 1e-14);
}

#[test]
fn latency_bound() {
    let formulas = letters(20e-6, 1e-6, 3e-6, 2, 1);
    assert_eq!(formulas.bound(), Bound::Latency);
    close(formulas.latency_bound(), 1000.0 * 24e-6 / 2.0, 1e-15);
    close(pipeline(formulas, false), formulas.time(), 2.0 * formulas.bubble());
    // More slots mend it, until the compute is what bounds it; memory is what they cost.
    let times: Vec<f64> = (1..=10).map(|slots| pipeline(Formulas { slots, ..formulas }, false)).collect();
    assert!(times.windows(2).take(7).all(|pair| pair[1] < pair[0]), "{times:?}");
    assert_eq!(Formulas { slots: 8, ..formulas }.bound(), Bound::Compute);
    close(times[7], formulas.compute_bound(), 1e-14);
    close(times[9], formulas.compute_bound(), 1e-14);
}

#[test]
fn one_slot_waits_for_everything() {
    let formulas = letters(1e-6, 2e-6, 3e-6, 1, 1);
    assert_eq!(formulas.bound(), Bound::Latency);
    close(pipeline(formulas, false), 1000.0 * 6e-6, 1e-14);
    close(formulas.time(), 1000.0 * 6e-6, 1e-14);
}

#[test]
fn who_is_busy_all_the_time_is_not_held_up_by_the_rest() {
    // One program with one slot: it copies first, computes for long, and copies again.
    let alone = |compute: f64| Formulas { programs: 1, rounds: 1, ..letters(1e-6, 1e-8, compute, 1, 2) };
    assert_eq!(alone(33.6e-3).bound(), Bound::Compute);
    assert_eq!(alone(1e-7).bound(), Bound::Latency);
    let copies = Formulas { programs: 1, rounds: 1, ..letters(1e-6, 1e-3, 1e-8, 1, 2) };
    assert_eq!(copies.bound(), Bound::Bandwidth);
}
