//! What hooks see and how they stop a run; the tape's own tricks.

use pallas_interpret::{Hooks, OutOfBounds, ProgramEvent, RunErrorKind, format_debug_print, run_function, run_launch};
use pallas_ir::text::{parse_function, parse_launch};
use pallas_tensor::{Array, DType, Scalar};

#[derive(Default)]
struct Recorder {
    lines: Vec<String>,
    ticks: u64,
    polls: usize,
    /// Polls after which the run is cancelled.
    patience: Option<usize>,
}

impl Hooks for Recorder {
    fn debug_print(&mut self, format: &str, values: &[Array]) {
        self.lines.push(format_debug_print(format, values));
    }

    fn cancelled(&mut self) -> bool {
        self.polls += 1;
        self.patience.is_some_and(|patience| self.polls > patience)
    }

    fn now(&mut self) -> Option<u64> {
        self.ticks += 1;
        Some(self.ticks)
    }

    fn wants_programs(&self) -> bool {
        true
    }

    fn program(&mut self, event: &ProgramEvent<'_>) {
        let times = event.times.expect("there is a clock");
        assert!(times.copy_in < times.compute && times.compute < times.end);
        self.lines.push(format!("program {} {:?} blocks {:?}", event.number, event.ids, event.blocks));
    }

    fn out_of_bounds(&mut self, access: &OutOfBounds<'_>) {
        self.lines.push(format!(
            "{} at {:?}: axis {} from {} size {} stride {} of {}",
            if access.writes { "write" } else { "read" },
            access.ids,
            access.axis,
            access.start,
            access.size,
            access.stride,
            access.bound
        ));
    }
}

fn i32s(values: &[i32]) -> Array {
    Array::from_i32s([values.len()], values).expect("as many as there are")
}

#[test]
fn programs_prints_and_accesses_outside_are_reported() {
    let launch = parse_launch(
        "launch grid=[3] {
           input @x: i32[4] block=[2] map @m(%i: i32[]) { yield %i }
           output @o: i32[4] block=[4]
           kernel @k(%x: ref<i32[2]>, %o: ref<i32[4]>) {
             %i = program_id axis=0 : i32[]
             %v = load %x[%i] : i32[]
             debug_print %i, %v format=\"i={} v={}\"
             %two = constant 2 : i32[]
             %j = mul %i, %two : i32[]
             %w = constant dense<[7, 8]> : i32[2]
             store %o[ds(%j, 2)], %w
           }
         }",
    )
    .expect("well written");
    let mut hooks = Recorder::default();
    let outputs = run_launch(&launch, vec![i32s(&[1, 2, 3, 4])], &mut hooks).expect("runs");
    assert_eq!(outputs, [i32s(&[7, 8, 7, 8])]);
    assert_eq!(
        hooks.lines,
        [
            "i=0 v=1",
            "program 0 [0] blocks [[0], []]",
            "i=1 v=4",
            "program 1 [1] blocks [[1], []]",
            "read at [2]: axis 0 from 2 size 1 stride 1 of 2",
            "i=2 v=4",
            "write at [2]: axis 0 from 4 size 2 stride 1 of 4",
            "program 2 [2] blocks [[2], []]",
        ]
    );
}

#[test]
fn what_a_mask_switches_off_is_not_outside() {
    let launch = parse_launch(
        "launch grid=[] {
           input @x: i32[5] block=[5]
           input @i: i32[4] block=[4]
           output @o: i32[4] block=[4]
           kernel @k(%x: ref<i32[5]>, %i: ref<i32[4]>, %o: ref<i32[4]>) {
             %at = load %i[:] : i32[4]
             %five = constant 5 : i32[4]
             %zero = constant 0 : i32[]
             %mask = lt %at, %five : bool[4]
             %a = load %x[[%at]] mask %mask other %zero padded=true : i32[4]
             store %o[:], %a
             %start = load %i[0] : i32[]
             %b = load %x[ds(%start, 4)] mask %mask other %zero padded=true : i32[4]
             %c = load %x[[%at]] : i32[4]
           }
         }",
    )
    .expect("well written");
    let run = |at: &[i32]| {
        let mut hooks = Recorder::default();
        let inputs = vec![i32s(&[10, 20, 30, 40, 50]), i32s(at)];
        let outputs = run_launch(&launch, inputs, &mut hooks).expect("runs");
        hooks.lines.retain(|line| line.starts_with("read"));
        (outputs[0].clone(), hooks.lines)
    };
    let (output, lines) = run(&[3, 4, 5, 6]);
    assert_eq!(output, i32s(&[40, 50, 0, 0]));
    assert_eq!(lines, ["read at []: axis 0 from 5 size 1 stride 1 of 5"], "only %c reads outside");
    let (_, lines) = run(&[3, 0, 0, 6]);
    assert_eq!(
        lines,
        ["read at []: axis 0 from 3 size 4 stride 1 of 5", "read at []: axis 0 from 6 size 1 stride 1 of 5"],
        "%b reads element 5 with its mask on"
    );
}

#[test]
fn endless_loops_can_be_stopped() {
    let function = parse_function(
        "func @spin(%x: i32[]) {
           %y = while %x (%a: i32[]) { %t = constant true : bool[] yield %t } (%b: i32[]) { yield %b } : i32[]
           yield %y
         }",
    )
    .expect("well written");
    let mut hooks = Recorder { patience: Some(1000), ..Recorder::default() };
    let zero = Array::scalar(DType::I32, Scalar::Int(0));
    let error = run_function(&function, vec![zero], &mut hooks).expect_err("it never ends");
    assert_eq!(error.kind, RunErrorKind::Cancelled);
    assert_eq!(hooks.polls, 1001);
}

#[test]
fn host_functions_run_launches() {
    let function = parse_function(
        "func @host(%x: i32[4]) {
           %y = launch %x launch=launch grid=[2] {
             input @x: i32[4] block=[2] map @m(%i: i32[]) { yield %i }
             output @o: i32[4] block=[2] map @m(%i: i32[]) { yield %i }
             kernel @double(%x: ref<i32[2]>, %o: ref<i32[2]>) {
               %a = load %x[:] : i32[2]
               %b = add %a, %a : i32[2]
               store %o[:], %b
             }
           } : i32[4]
           %z = mul %y, %x : i32[4]
           yield %z, %x, %x
         }",
    )
    .expect("well written");
    let outputs = run_function(&function, vec![i32s(&[1, 2, 3, 4])], &mut Recorder::default());
    let x = i32s(&[1, 2, 3, 4]);
    assert_eq!(outputs, Ok(vec![i32s(&[2, 8, 18, 32]), x.clone(), x]));
}

/// Registers are emptied at last uses, scalars stand for tiles, constants are folded: values must not change.
#[test]
fn values_used_again_in_and_after_regions_stay() {
    let function = parse_function(
        "func @f(%x: i32[2], %n: i32[]) {
           %zero = constant 0 : i32[]
           %ones = broadcast_in_dim %n shape=[2] dims=[] : i32[2]
           %y = add %x, %x : i32[2]
           %s = for %zero, %n, %y (%i: i32[], %c: i32[2]) {
             %t = add %c, %y : i32[2]
             %u = add %t, %ones : i32[2]
             %v = cond %i { yield %u } {
               %w = add %u, %y : i32[2]
               yield %w
             } : i32[2]
             yield %v
           } : i32[2]
           %r = add %ones, %y : i32[2]
           %q = add %ones, %ones : i32[2]
           yield %s, %r, %q, %y, %y
         }",
    )
    .expect("well written");
    let n = Array::scalar(DType::I32, Scalar::Int(3));
    let outputs = run_function(&function, vec![i32s(&[1, 10]), n], &mut Recorder::default());
    // y = [2, 20]; turns: c + y + 3, then + y from the second turn on.
    let expected = [[21, 129], [5, 23], [6, 6], [2, 20], [2, 20]];
    assert_eq!(outputs, Ok(expected.iter().map(|v| i32s(v)).collect()));
}

#[test]
fn malformed_functions_are_errors() {
    for text in [
        "func @f(%x: f32[2]) { %y = program_id axis=0 : i32[] yield %y }",
        "func @f(%x: f32[2]) { %y = load %x[:] : f32[2] yield %y }",
        "func @f(%x: f32[2]) { %y = add %x : f32[2] yield %y }",
        "func @f(%x: f32[2]) { %y = for %x : f32[2] yield %y }",
        "func @f(%x: f32[2]) { %y = for %x, %x { } }",
        "func @f(%x: f32[2]) { %y = cond %x : f32[2] yield %y }",
        "func @f(%x: f32[2]) { %y, %z = neg %x : f32[2], f32[2] yield %y }",
        "func @f(%x: f32[2]) { %y = reduce_sum %x axes=[4] : f32[] yield %y }",
        "func @f(%x: f32[2]) { %y = scoped (%r: f32[2]) { yield %r } : f32[2] yield %y }",
        "func @f(%x: ref<f32[2]>) { %y = load %x[:, :] : f32[2] yield %y }",
    ] {
        let Ok(function) = parse_function(text) else {
            continue;
        };
        let x = Array::from_f32s([2], &[1.0, 2.0]).expect("two");
        assert!(run_function(&function, vec![x], &mut Recorder::default()).is_err(), "{text}");
    }
}

/// `jax.random.bits(jax.random.key(42), (3,))`, `split` and `fold_in` of JAX 0.10.2.
#[test]
fn random_ops_give_jaxs_bits() {
    let function = parse_function(
        "func @f(%seed: i32[]) {
           %key = random_seed %seed : key<fry>[]
           %bits = random_bits %key bit_width=32 shape=[3] : u32[3]
           %keys = random_split %key shape=[2] : key<fry>[2]
           %words = random_unwrap %keys : u32[2,2]
           %again = random_wrap %words : key<fry>[2]
           %more = random_bits %again bit_width=8 shape=[2] : u8[2,2]
           %five = constant 5 : u32[]
           %folded = random_fold_in %key, %five : key<fry>[]
           %out = random_unwrap %folded : u32[2]
           yield %bits, %words, %more, %out
         }",
    )
    .expect("well written");
    let seed = Array::scalar(DType::I32, Scalar::Int(42));
    let outputs = run_function(&function, vec![seed], &mut Recorder::default()).expect("runs");
    let texts: Vec<String> = outputs.iter().map(pallas_tensor::print::numpy_str).collect();
    assert_eq!(texts, RANDOM);
}

const RANDOM: [&str; 4] = [
    "[2098992034 2919706841 2646866425]",
    "[[1832780943  270669613]\n [  64467757 2916123636]]",
    "[[ 77 192]\n [196  18]]",
    "[2765691542  824333390]",
];

/// Remembers when things happened on a clock that counts its own ticks.
#[derive(Default)]
struct Clock {
    ticks: u64,
    copies: Vec<(usize, usize, bool)>,
    compute: Vec<u64>,
    /// Ticks by line of the kernel, of programs that it is asked for.
    places: Vec<Vec<u64>>,
    asked: Vec<usize>,
}

impl Hooks for Clock {
    fn now(&mut self) -> Option<u64> {
        self.ticks += 1;
        Some(self.ticks)
    }

    fn wants_programs(&self) -> bool {
        true
    }

    fn wants_places(&self, number: usize) -> bool {
        self.asked.contains(&number)
    }

    fn places(&mut self, _: &[pallas_ir::Location], ticks: &[u64]) {
        self.places.push(ticks.to_vec());
    }

    fn program(&mut self, event: &ProgramEvent<'_>) {
        let times = event.times.expect("there is a clock");
        let mut last = times.copy_in;
        for copy in event.copies {
            assert!(copy.start >= last && copy.end > copy.start && copy.end <= times.compute);
            last = copy.end;
            self.copies.push((event.number, copy.operand, copy.out));
        }
        self.compute.push(times.end - times.compute);
    }

    fn written_back(&mut self, number: usize, copies: &[pallas_interpret::CopyTimes]) {
        self.copies.extend(copies.iter().map(|copy| (number, copy.operand, copy.out)));
    }
}

#[test]
fn copies_are_timed_where_blocks_move() {
    // x moves with every program, the output with every second one.
    let launch = parse_launch(
        "launch grid=[2, 2] {
  input @x: i32[4] block=[1] map @xm(%i: i32[], %j: i32[]) { %two = constant 2 : i32[]
 %a = mul %i, %two : i32[]
 %b = add %a, %j : i32[]
 yield %b }
  output @o: i32[2] block=[1] map @om(%i: i32[], %j: i32[]) { yield %i }
  kernel @sum(%x: ref<i32[1]>, %o: ref<i32[1]>) {
    %a = load %x[:] : i32[1]
    %b = add %a, %a : i32[1]
    store %o[:], %b
  }
}
",
    )
    .expect("it is well formed");
    let mut clock = Clock { asked: vec![2], ..Clock::default() };
    let outputs = run_launch(&launch, vec![i32s(&[1, 2, 3, 4])], &mut clock).expect("it runs");
    assert_eq!(outputs[0], i32s(&[4, 8]));
    let (copy_in, copy_out) = (false, true);
    let expected = [
        (0, 0, copy_in),
        (0, 1, copy_in),
        (1, 0, copy_in),
        (2, 0, copy_in),
        (2, 1, copy_out),
        (2, 1, copy_in),
        (3, 0, copy_in),
        (3, 1, copy_out),
    ];
    assert_eq!(clock.copies, expected);
    // The kernel takes a tick, and one more for each op where places are asked for; their times add up.
    assert_eq!(clock.compute, [1, 1, 4, 1]);
    assert_eq!(clock.places.iter().map(|places| places.iter().sum::<u64>()).collect::<Vec<_>>(), [4]);
    // With a clock or without: the same values.
    assert_eq!(
        run_launch(&launch, vec![i32s(&[1, 2, 3, 4])], &mut pallas_interpret::NoHooks).expect("it runs"),
        outputs
    );
}
