//! The times that are computed by powers of matrices, against a simulation that walks through every program with the
//! slots, the path to memory and the waits in its hands, and knows nothing of matrices or schedules.

use pallas_ir::text::parse_launch;
use pallas_pipeline::{
    Direction, Durations, MACHINES, Model, Moves, Order, Rates, Schedule, Stage, Stream, Ticks, Timing, Wishes, seconds,
};

/// What the simulation found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    time: Ticks,
    /// (program, start, end) of the kernel.
    computes: Vec<(usize, Ticks, Ticks)>,
    /// (stream, first or last program of the block, start, end) of copies, sorted.
    copies: Vec<(usize, usize, Ticks, Ticks)>,
}

/// The block of each program as a number: whatever maps say, walked one by one.
fn blocks(moves: &Moves, order: &Order) -> Vec<usize> {
    let mut block = 0;
    (0..order.programs())
        .map(|program| {
            if program > 0 {
                let stepped: Vec<bool> = (0..order.grid().len())
                    .map(|axis| order.id(axis, program) != order.id(axis, program - 1))
                    .collect();
                let outermost = stepped.iter().position(|stepped| *stepped).expect("an id changes");
                block += usize::from(match moves {
                    Moves::Never => false,
                    Moves::Every => true,
                    Moves::Along(axes) => axes[outermost],
                    Moves::Listed(moved) => moved[program],
                });
            }
            block
        })
        .collect()
}

/// Events in the order of time: a copy that is requested takes its turn on the path, one after the other.
fn simulate(schedule: &Schedule, duration: impl Fn(usize) -> Ticks, rates: Rates) -> Seen {
    let programs = schedule.programs();
    let mut seen = Seen::default();
    let mut path_free: Ticks = 0;
    let mut now: Ticks = 0;
    struct Operand {
        blocks: Vec<usize>,
        /// Per slot: which block it holds or will hold, and when it is there.
        arrives: Vec<Option<(usize, Ticks)>>,
        /// Per slot of an output: when the copy from it is done.
        leaves: Vec<Ticks>,
    }
    let mut operands: Vec<Operand> = schedule
        .streams
        .iter()
        .map(|stream| Operand {
            blocks: blocks(&stream.moves, &schedule.order),
            arrives: vec![None; stream.slots],
            leaves: vec![0; stream.slots],
        })
        .collect();
    let mut transfer = |stream: &Stream, requested: Ticks| {
        path_free = path_free.max(requested) + rates.transfer(stream.bytes);
        path_free + rates.latency
    };
    for program in 0..programs {
        // Requests: at first everything up to S - 2 programs ahead, program by program; then in each iteration the block
        // S - 1 programs ahead, operand by operand; unless it is on its way already.
        let is_input = |at: &usize| schedule.streams[*at].direction == Direction::In;
        let inputs: Vec<usize> = (0..schedule.streams.len()).filter(is_input).collect();
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        if program == 0 {
            wanted.extend((0..programs).flat_map(|target| inputs.iter().map(move |&at| (at, target))));
            wanted.retain(|&(at, target)| target + 1 < schedule.streams[at].slots);
        }
        wanted.extend(inputs.iter().map(|&at| (at, program + schedule.streams[at].slots - 1)));
        for (at, target) in wanted.into_iter().filter(|&(_, target)| target < programs) {
            let stream = &schedule.streams[at];
            let block = operands[at].blocks[target];
            let slot = block % stream.slots;
            if operands[at].arrives[slot].is_none_or(|(held, _)| held != block) {
                let arrives = transfer(stream, now);
                operands[at].arrives[slot] = Some((block, arrives));
                seen.copies.push((at, target, now, arrives));
            }
        }
        for (operand, stream) in operands.iter().zip(&schedule.streams) {
            if stream.direction == Direction::In {
                let block = operand.blocks[program];
                let (held, arrives) = operand.arrives[block % stream.slots].expect("it was requested");
                assert_eq!(held, block, "the slot holds another block");
                now = now.max(arrives);
            }
        }
        let start = now;
        now += duration(program);
        seen.computes.push((program, start, now));
        let mut left = Vec::new();
        for (at, (operand, stream)) in operands.iter_mut().zip(&schedule.streams).enumerate() {
            let block = operand.blocks[program];
            let goes = program + 1 == programs || operand.blocks[program + 1] != block;
            if stream.direction == Direction::Out && goes {
                let done = transfer(stream, now);
                operand.leaves[block % stream.slots] = done;
                seen.copies.push((at, program, now, done));
                left.push((at, (block + 1) % stream.slots));
            }
        }
        // The slot that is written next has to be empty.
        for (at, slot) in left {
            now = now.max(operands[at].leaves[slot]);
        }
    }
    for operand in &operands {
        now = operand.leaves.iter().copied().fold(now, Ticks::max);
    }
    seen.time = now;
    seen.copies.sort();
    seen
}

fn computed(timing: &Timing) -> Seen {
    let mut seen = Seen { time: timing.totals().time, ..Seen::default() };
    for event in timing.events(0, timing.schedule().programs()) {
        match (event.stage, event.stream) {
            (Stage::Compute, _) => seen.computes.push((event.program, event.start, event.end)),
            (Stage::CopyIn | Stage::CopyOut, Some(at)) => seen.copies.push((at, event.program, event.start, event.end)),
            _ => {}
        }
    }
    seen.copies.sort();
    seen
}

/// A generator of small numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn stream(dice: &mut Dice, grid: &[usize], programs: usize, direction: Direction) -> Stream {
    let moves = match dice.below(6) {
        0 => Moves::Never,
        1 => Moves::Every,
        2 => Moves::Listed((0..programs).map(|_| dice.below(2) == 0).collect()),
        _ => Moves::Along(grid.iter().map(|&extent| extent > 1 && dice.below(2) == 0).collect()),
    };
    Stream { name: "x".into(), operand: 0, direction, bytes: dice.below(40) as u128, slots: 1 + dice.below(4), moves }
}

#[test]
fn computed_times_are_those_of_the_simulation() {
    let mut dice = Dice(7);
    for case in 0..1500 {
        let rank = dice.below(4);
        let grid: Vec<usize> = (0..rank).map(|_| 1 + dice.below(7)).collect();
        let order = Order::new(&grid);
        let programs = order.programs();
        let streams: Vec<Stream> = (0..dice.below(3))
            .map(|_| Direction::In)
            .chain((0..dice.below(3)).map(|_| Direction::Out))
            .map(|direction| stream(&mut dice, &grid, programs, direction))
            .collect();
        let axes: Vec<usize> = (0..rank).filter(|_| dice.below(3) == 0).collect();
        let combinations: usize = axes.iter().map(|&axis| grid[axis]).product();
        let ticks: Vec<Ticks> = (0..combinations).map(|_| dice.below(3) as Ticks * 17).collect();
        let durations = Durations { axes, ticks };
        let rates = Rates { latency: dice.below(60) as Ticks, per_byte: (dice.below(3) as Ticks, 1) };
        let schedule = Schedule { order, streams };
        let timing = Timing::new(schedule.clone(), durations.clone(), rates);
        let simulated = simulate(&schedule, |program| timing.duration(program), rates);
        let found = computed(&timing);
        assert_eq!(found, simulated, "case {case}: {schedule:?} {durations:?} {rates:?}");
        // Totals add up, and iterations begin where they do in the middle of the grid.
        let totals = timing.totals();
        assert_eq!(totals.compute, simulated.computes.iter().map(|(_, start, end)| end - start).sum::<Ticks>());
        assert_eq!(totals.compute + totals.fill + totals.drain + totals.stalls, totals.time);
        assert!(totals.stalls >= 0 && totals.fill >= 0 && totals.drain >= 0);
        let middle = dice.below(programs);
        let window: Vec<_> = timing.events(middle, 2);
        let compute = window.iter().find(|event| event.stage == Stage::Compute).expect("each program computes");
        assert_eq!((compute.program, compute.start, compute.end), simulated.computes[middle], "case {case}");
        assert!(timing.begin(middle) <= compute.start);
        if compute.end > compute.start {
            assert_eq!(timing.program_at(compute.end - 1), middle, "case {case}");
        }
    }
}

#[test]
fn sixteen_million_programs_cost_nothing() {
    let along = |axes: [bool; 2]| Moves::Along(axes.to_vec());
    let stream =
        |direction, slots, moves| Stream { name: "x".into(), operand: 0, direction, bytes: 4096, slots, moves };
    let streams = || {
        vec![
            stream(Direction::In, 2, along([true, true])),
            stream(Direction::In, 3, along([true, false])),
            stream(Direction::Out, 2, along([true, true])),
        ]
    };
    let rates = Rates { latency: 900, per_byte: (1, 3) };
    let duration = 1000;
    let large = Timing::new(
        Schedule { order: Order::new(&[4096, 4096]), streams: streams() },
        Durations::constant(duration),
        rates,
    );
    let small = |rows, columns| {
        let schedule = Schedule { order: Order::new(&[rows, columns]), streams: streams() };
        simulate(&schedule, |_| duration, rates).time
    };
    // Rows of programs are alike: the time grows by the same for each one more, and for each program in it.
    let (a, b, c, d) = (small(10, 40), small(11, 40), small(10, 41), small(11, 41));
    let per_corner = d - c - b + a;
    let (per_row, per_column) = (b - a, c - a);
    let (rows, columns) = (4096 - 10, 4096 - 40);
    let expected = a + rows * per_row + columns * per_column + rows * columns * per_corner;
    assert_eq!(large.totals().time, expected);
    let last = large.events(4096 * 4096 - 1, 1);
    assert_eq!(last.iter().map(|event| event.end).max(), Some(expected));
    assert_eq!(large.program_at(expected), 4096 * 4096 - 1);
}

/// A matmul that clears its output in the first step of each sum, and whose first operand has `slots` slots.
fn matmul([i, j, k]: [usize; 3], block: [usize; 3], slots: usize) -> String {
    let [bm, bn, bk] = block;
    let (m, n, d) = (i * bm, j * bn, k * bk);
    format!(
        r#"launch grid=[{i}, {j}, {k}] {{
  input @x: bf16[{m},{d}] block=[{bm}, {bk}] buffers={slots} map @xm(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %k }}
  input @y: bf16[{d},{n}] block=[{bk}, {bn}] map @ym(%i: i32[], %j: i32[], %k: i32[]) {{ yield %k, %j }}
  output @o: f32[{m},{n}] block=[{bm}, {bn}] map @om(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %j }}
  kernel @matmul(%x: ref<bf16[{bm},{bk}]>, %y: ref<bf16[{bk},{bn}]>, %o: ref<f32[{bm},{bn}]>) {{
    %k = program_id axis=2 : i32[]
    %zero = constant 0 : i32[]
    %first = eq %k, %zero : bool[]
    cond %first {{ }} {{
      %none = constant 0.0 : f32[]
      %zeros = broadcast_in_dim %none shape=[{bm}, {bn}] dims=[] : f32[{bm},{bn}]
      %noise = exp %zeros : f32[{bm},{bn}]
      store %o[:, :], %noise
    }}
    %a = load %x[:, :] : bf16[{bm},{bk}]
    %b = load %y[:, :] : bf16[{bk},{bn}]
    %p = dot_general %a, %b contracting=[[1], [0]] batch=[[], []] dtype=f32 : f32[{bm},{bn}]
    %o0 = load %o[:, :] : f32[{bm},{bn}]
    %sum = add %o0, %p : f32[{bm},{bn}]
    store %o[:, :], %sum
  }}
}}
"#
    )
}

#[test]
fn predictions_of_launches_are_those_of_the_simulation_on_every_machine() {
    let mut bounds = Vec::new();
    for machine in MACHINES {
        for (grid, block) in [([3, 2, 4], [128, 128, 128]), ([2, 3, 5], [8, 128, 128]), ([2, 2, 2], [512, 512, 512])] {
            for slots in [1, 2, 3] {
                let text = matmul(grid, block, slots);
                let launch = parse_launch(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                let model = Model::new(&launch, machine, Wishes::default());
                let timing = &model.timing;
                let simulated = simulate(timing.schedule(), |program| timing.duration(program), timing.rates());
                let what = format!("{} {grid:?} {block:?} {slots}", machine.name);
                assert_eq!(computed(timing), simulated, "{what}");
                assert_eq!(model.time(), seconds(simulated.time), "{what}");
                // Cores take turns, so that the first one has the most to do: the others are done no later.
                let cores = machine.core_count();
                let mine = launch.programs().div_ceil(cores);
                assert_eq!((timing.schedule().programs(), model.stride), (mine, cores), "{what}");
                let all: u128 = timing.schedule().streams.iter().map(|stream| stream.bytes).sum();
                assert!(cores > 1 || model.bytes < all * launch.programs() as u128, "blocks of o stay: {what}");
                bounds.push(model.formulas.bound().name());
            }
        }
    }
    bounds.sort_unstable();
    bounds.dedup();
    assert_eq!(bounds, ["bandwidth", "compute", "latency"], "every kind is among them");
}
