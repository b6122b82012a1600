//! The derivation of a double-buffered pipeline in the software pipelining guide, line by line, and its figure.

use pallas_pipeline::{
    Direction, Durations, Instruction, Moves, Order, Rates, Schedule, Stage, Stream, Timing, Totals,
};

/// `Y = X + 1` over N blocks of A.
fn add_one(programs: usize, slots: usize) -> Schedule {
    let stream = |name: &str, direction| Stream {
        name: name.into(),
        operand: 0,
        direction,
        bytes: 1,
        slots,
        moves: Moves::Along(vec![true]),
    };
    Schedule { order: Order::new(&[programs]), streams: vec![stream("X", Direction::In), stream("Y", Direction::Out)] }
}

/// The lines as the guide writes them; copies are of `A[program]`.
fn written(lines: &[Instruction]) -> Vec<String> {
    let line = |line: &Instruction| match *line {
        Instruction::Start { stream: 0, program, slot, .. } => format!("copy_in_start(A[{program}], X[{slot}])"),
        Instruction::Start { program, slot, .. } => format!("copy_out_start(Y[{slot}], A[{program}])"),
        Instruction::Wait { stream: 0, slot, .. } => format!("copy_in_wait(X[{slot}])"),
        Instruction::Wait { slot, .. } => format!("copy_out_wait(Y[{slot}])"),
        Instruction::Compute { program } => format!("Y[{0}] = X[{0}] + 1", program % 2),
    };
    lines.iter().map(line).collect()
}

fn whole(schedule: &Schedule) -> String {
    let mut text = String::from("# Prologue\n");
    let mut add = |lines: &[Instruction]| text.extend(written(lines).iter().map(|line| format!("{line}\n")));
    add(&schedule.prologue());
    for program in 0..schedule.programs() {
        add(&schedule.iteration(program));
    }
    add(&schedule.epilogue());
    text
}

#[test]
fn the_derivation_for_four_programs() {
    let expected = "\
# Prologue
copy_in_start(A[0], X[0])
copy_in_start(A[1], X[1])
copy_in_wait(X[0])
Y[0] = X[0] + 1
copy_out_start(Y[0], A[0])
copy_in_start(A[2], X[0])
copy_in_wait(X[1])
Y[1] = X[1] + 1
copy_out_start(Y[1], A[1])
copy_out_wait(Y[0])
copy_in_start(A[3], X[1])
copy_in_wait(X[0])
Y[0] = X[0] + 1
copy_out_start(Y[0], A[2])
copy_out_wait(Y[1])
copy_in_wait(X[1])
Y[1] = X[1] + 1
copy_out_start(Y[1], A[3])
copy_out_wait(Y[0])
copy_out_wait(Y[1])
";
    let schedule = add_one(4, 2);
    assert_eq!(whole(&schedule), expected);
    // Which of them stand in which iteration, as the guide's comments say.
    let lengths: Vec<usize> = (0..4).map(|program| schedule.iteration(program).len()).collect();
    assert_eq!((schedule.prologue().len(), lengths, schedule.epilogue().len()), (1, vec![4, 5, 5, 4], 1));
}

#[test]
fn one_slot_is_the_loop_that_blocks() {
    let iteration = "copy_in_start(A[1], X[0])
copy_in_wait(X[0])
Y[1] = X[1] + 1
copy_out_start(Y[0], A[1])
copy_out_wait(Y[0])";
    let schedule = add_one(4, 1);
    assert_eq!(written(&schedule.iteration(1)).join("\n"), iteration);
    assert!(schedule.prologue().is_empty() && schedule.epilogue().is_empty());
}

#[test]
fn three_slots_start_two_programs_ahead() {
    let schedule = add_one(6, 3);
    assert_eq!(written(&schedule.prologue()), ["copy_in_start(A[0], X[0])", "copy_in_start(A[1], X[1])"]);
    assert_eq!(written(&schedule.iteration(1))[0], "copy_in_start(A[3], X[0])");
    assert_eq!(written(&schedule.iteration(4))[0], "copy_in_wait(X[1])");
    assert_eq!(written(&schedule.epilogue()), ["copy_out_wait(Y[1])", "copy_out_wait(Y[2])"]);
}

#[test]
fn the_figure_is_busy_in_six_of_eight_slots_of_time() {
    // Every stage takes one slot of time, and copies in both directions run at once.
    let slot = 1_000;
    let rates = Rates { latency: slot, per_byte: (0, 1) };
    let timing = Timing::new(add_one(6, 2), Durations::constant(slot), rates);
    let totals = timing.totals();
    assert_eq!(totals, Totals { time: 8 * slot, compute: 6 * slot, fill: slot, drain: slot, stalls: 0 });
    assert!((totals.utilisation() - 0.75).abs() < 1e-12);
    let row = |stage| {
        let mut row = [' '; 8];
        for event in timing.events(0, 6).iter().filter(|event| event.stage == stage) {
            for slot in &mut row[(event.start / slot) as usize..(event.end / slot) as usize] {
                *slot = char::from(b'0' + event.program as u8);
            }
        }
        row.iter().collect::<String>()
    };
    assert_eq!(row(Stage::Compute), " 012345 ");
    assert_eq!(row(Stage::CopyOut), "  012345");
    // The derivation starts the second copy with the first; both are there when the figure needs them.
    let arrivals: Vec<i128> = timing
        .events(0, 6)
        .iter()
        .filter(|event| event.stage == Stage::CopyIn)
        .map(|event| event.end / slot - event.program as i128)
        .collect();
    assert_eq!(arrivals, [1, 0, 1, 1, 1, 1], "program p computes from 1 + p on");
}

#[test]
fn blocks_that_stay_are_not_copied_again() {
    // The guide's sum over the last axis: the output leaves when it is complete.
    let schedule = Schedule {
        order: Order::new(&[2, 3]),
        streams: vec![
            Stream {
                name: "x".into(),
                operand: 0,
                direction: Direction::In,
                bytes: 4,
                slots: 2,
                moves: Moves::Along(vec![true, true]),
            },
            Stream {
                name: "o".into(),
                operand: 1,
                direction: Direction::Out,
                bytes: 4,
                slots: 2,
                moves: Moves::Along(vec![true, false]),
            },
        ],
    };
    let outs: Vec<usize> = (0..6)
        .filter(|&program| {
            let is_out = |line: &Instruction| matches!(line, Instruction::Start { stream: 1, .. });
            schedule.iteration(program).iter().any(is_out)
        })
        .collect();
    assert_eq!(outs, [2, 5]);
    assert_eq!(schedule.bytes(), 6 * 4 + 2 * 4);
}
