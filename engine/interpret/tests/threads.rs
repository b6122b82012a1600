//! Programs on several threads: the outputs are those of one thread to the bit, and so is everything that hooks are told;
//! what must not be cut runs in one piece.

use pallas_interpret::{Hooks, OutOfBounds, RunErrorKind, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::ThreadId;

/// Runs on a number of threads, keeps what is told, and stops after a number of questions.
struct On {
    threads: usize,
    told: Vec<String>,
    asked: usize,
    patience: usize,
}

impl Hooks for On {
    fn threads(&self) -> usize {
        self.threads
    }

    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        // The other threads get their turn, however busy the machine is.
        if self.threads > 1 {
            std::thread::sleep(std::time::Duration::from_micros(500));
        }
        self.asked > self.patience
    }

    fn debug_print(&mut self, format: &str, _values: &[Array]) {
        self.told.push(format.to_string());
    }

    fn out_of_bounds(&mut self, access: &OutOfBounds<'_>) {
        self.told.push(format!("{:?} at {}", access.ids, access.start));
    }
}

fn on(threads: usize) -> On {
    On { threads, told: Vec::new(), asked: 0, patience: usize::MAX }
}

fn values(shape: &[usize]) -> Array {
    let size: usize = shape.iter().product();
    let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    Array::from_f32s(shape, &values).expect("as many")
}

/// Outputs and reports are the same on one thread and on several; gives how often the caller's thread was asked whether to
/// go on: once for every program if it ran all of them.
fn same(text: &str, inputs: &[Array]) -> (usize, Vec<String>) {
    let launch = parse_launch(text).expect("well written");
    let mut one = on(1);
    let expected = run_launch(&launch, inputs.to_vec(), &mut one).expect("runs");
    let mut several = on(3);
    let found = run_launch(&launch, inputs.to_vec(), &mut several).expect("runs");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!(found.same_bits(expected), "{text}");
    }
    assert_eq!(one.told, several.told);
    (several.asked, one.told)
}

const SOFTMAX: &str = "launch grid=[64, 2] {
  input @x: f32[512,2000] block=[8, 1000] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  output @o: f32[512,2000] block=[8, 1000] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  kernel @k(%x: ref<f32[8,1000]>, %o: ref<f32[8,1000]>) {
    %v = load %x[:, :] : f32[8,1000]
    %e = exp %v : f32[8,1000]
    %s = reduce_sum %e axes=[1] : f32[8]
    %w = broadcast_in_dim %s shape=[8, 1000] dims=[0] : f32[8,1000]
    %r = div %e, %w : f32[8,1000]
    store %o[:, :], %r
  }
}";

#[test]
fn blocks_that_follow_the_first_axis_are_the_same_on_threads() {
    same(SOFTMAX, &[values(&[512, 2000])]);
}

#[test]
fn the_last_thread_meets_rows_that_are_padding() {
    let text = SOFTMAX.replace("512,2000", "509,1777");
    same(&text, &[values(&[509, 1777])]);
}

#[test]
fn blocks_that_no_program_writes_stay_uninitialised() {
    let text = SOFTMAX.replace("grid=[64, 2]", "grid=[60, 1]");
    let launch = parse_launch(&text).expect("well written");
    let outputs = run_launch(&launch, vec![values(&[512, 2000])], &mut on(3)).expect("runs");
    let elements: &[f32] = outputs[0].elements().expect("floats");
    assert!(!elements[0].is_nan() && elements[1000].is_nan() && elements[480 * 2000].is_nan());
    same(&text, &[values(&[512, 2000])]);
}

/// Few programs along the first axis: blocks of each are dealt to threads along the second one as well, beside each other.
fn boxes() -> String {
    SOFTMAX
        .replace("grid=[64, 2]", "grid=[2, 8]")
        .replace("[8, 1000]", "[256, 250]")
        .replace("[8,1000]", "[256,250]")
        .replace("f32[8]", "f32[256]")
}

#[test]
fn blocks_beside_each_other_are_the_same_on_threads() {
    let (asked, _) = same(&boxes(), &[values(&[512, 2000])]);
    assert!(asked <= 1 + 16, "the programs ran a second time, one after the other");
    // Rows and columns that are padding, and one run of programs in all that is above each other.
    same(&boxes().replace("512,2000", "509,1777"), &[values(&[509, 1777])]);
    let beside = boxes().replace("grid=[2, 8]", "grid=[1, 8]").replace("512,2000", "256,2000");
    let (asked, _) = same(&beside, &[values(&[256, 2000])]);
    assert!(asked <= 1 + 8, "the programs ran a second time, one after the other");
}

#[test]
fn blocks_beside_each_other_that_no_program_writes_stay_uninitialised() {
    let text = boxes().replace("grid=[2, 8]", "grid=[2, 7]");
    let outputs = run_launch(&parse_launch(&text).expect("well written"), vec![values(&[512, 2000])], &mut on(3));
    let outputs = outputs.expect("runs");
    let elements: &[f32] = outputs[0].elements().expect("floats");
    for row in [0, 300, 511] {
        assert!(!elements[row * 2000 + 1749].is_nan() && elements[row * 2000 + 1750].is_nan(), "row {row}");
    }
    same(&text, &[values(&[512, 2000])]);
}

/// Blocks that programs come back to, whose place follows the first two axes.
const BACK: &str = "launch grid=[2, 8, 5] {
  input @x: f32[5,512,2000] block=[squeezed, 256, 250] map @m(%i: i32[], %j: i32[], %k: i32[]) { yield %k, %i, %j }
  output @o: f32[512,2000] block=[256, 250] map @n(%i: i32[], %j: i32[], %k: i32[]) { yield %i, %j }
  kernel @k(%x: ref<f32[256,250]>, %o: ref<f32[256,250]>) {
    %k = program_id axis=2 : i32[]
    %zero = constant 0 : i32[]
    %first = eq %k, %zero : bool[]
    cond %first { } {
      %nil = constant 0.0 : f32[]
      %nils = broadcast_in_dim %nil shape=[256, 250] dims=[] : f32[256,250]
      store %o[:, :], %nils
    }
    %v = load %x[:, :] : f32[256,250]
    %a = load %o[:, :] : f32[256,250]
    %s = add %a, %v : f32[256,250]
    store %o[:, :], %s
  }
}";

#[test]
fn blocks_beside_each_other_that_programs_come_back_to_are_the_same_on_threads() {
    let (asked, _) = same(BACK, &[values(&[5, 512, 2000])]);
    assert!(asked <= 1 + 80, "the programs ran a second time, one after the other");
    // A block that goes back to its array in between, and is read from there.
    let text = BACK.replace("grid=[2, 8, 5]", "grid=[5, 2, 8]");
    let text = text.replace("(%i: i32[], %j: i32[], %k: i32[])", "(%k: i32[], %i: i32[], %j: i32[])");
    let (asked, _) = same(&text.replace("axis=2", "axis=0"), &[values(&[5, 512, 2000])]);
    assert!(asked <= 1 + 80, "the programs ran a second time, one after the other");
}

/// Adds up along the second axis in scratch memory; `START` is where the sum starts anew.
const SUMS: &str = "launch grid=[16, 8] {
  input @x: f32[16,8,4096] block=[squeezed, squeezed, 4096] map @m(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %j, %z
  }
  output @o: f32[16,4096] block=[squeezed, 4096] map @n(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %z
  }
  scratch ref<f32[4096], vmem>
  kernel @k(%x: ref<f32[4096]>, %o: ref<f32[4096]>, %acc: ref<f32[4096], vmem>) {
    %i = program_id axis=0 : i32[]
    %j = program_id axis=1 : i32[]
    %n = add %i, %j : i32[]
    %zero = constant 0 : i32[]
    %first = eq START, %zero : bool[]
    cond %first { } {
      %nil = constant 0.0 : f32[]
      %nils = broadcast_in_dim %nil shape=[4096] dims=[] : f32[4096]
      store %acc[:], %nils
    }
    %a = load %acc[:] : f32[4096]
    %v = load %x[:] : f32[4096]
    %s = add %a, %v : f32[4096]
    store %acc[:], %s
    store %o[:], %s
  }
}";

#[test]
fn scratch_memory_that_starts_anew_in_time_does_not_hold_threads_back() {
    let (asked, _) = same(&SUMS.replace("START", "%j"), &[values(&[16, 8, 4096])]);
    // Once before its first program, and once for each that the caller's thread ran.
    assert!(asked <= 1 + 16 * 8, "the programs ran a second time, one after the other");
}

#[test]
fn scratch_memory_that_goes_from_the_first_program_to_the_last_keeps_them_in_order() {
    let (asked, _) = same(&SUMS.replace("START", "%n"), &[values(&[16, 8, 4096])]);
    assert!(asked >= 16 * 8, "programs ran without what others had left for them");
}

/// The same, and stores each of the sums on the way, of few rows.
fn running(start: &str) -> String {
    SUMS.replace("START", start)
        .replace("grid=[16, 8]", "grid=[2, 32]")
        .replace("f32[16,8,4096]", "f32[2,32,4096]")
        .replace("f32[16,4096] block=[squeezed, 4096]", "f32[2,32,4096] block=[squeezed, squeezed, 4096]")
        .replace("yield %i, %z", "yield %i, %j, %z")
}

#[test]
fn scratch_memory_that_goes_along_the_second_axis_has_the_grid_cut_along_the_first() {
    let (asked, _) = same(&running("%j"), &[values(&[2, 32, 4096])]);
    // Twice before the first program, once for those that found out, and once for each of a run.
    assert!(asked <= 2 + 12 + 64, "the programs ran a second time, one after the other");
    let (asked, _) = same(&running("%zero"), &[values(&[2, 32, 4096])]);
    assert!(asked <= 1 + 64, "the programs ran a second time");
}

/// Adds up along the first axis in the output, whose rows follow the second.
const TURNED: &str = "launch grid=[8, 16] {
  input @x: f32[16,8,4096] block=[squeezed, squeezed, 4096] map @m(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %j, %i, %z
  }
  output @o: f32[16,4096] block=[squeezed, 4096] map @n(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %j, %z
  }
  scratch ref<f32[4096], vmem>
  kernel @k(%x: ref<f32[4096]>, %o: ref<f32[4096]>, %acc: ref<f32[4096], vmem>) {
    %i = program_id axis=0 : i32[]
    %zero = constant 0 : i32[]
    %first = eq %i, %zero : bool[]
    cond %first { } {
      %nil = constant 0.0 : f32[]
      %nils = broadcast_in_dim %nil shape=[4096] dims=[] : f32[4096]
      store %o[:], %nils
    }
    %v = load %x[:] : f32[4096]
    SCRATCH
    %a = load %o[:] : f32[4096]
    %s = add %a, %v : f32[4096]
    store %o[:], %s
  }
}";

#[test]
fn blocks_that_follow_another_axis_than_the_first_are_the_same_on_threads() {
    let (asked, _) = same(&TURNED.replace("SCRATCH", ""), &[values(&[16, 8, 4096])]);
    assert!(asked <= 1 + 16 * 8, "the programs ran a second time, one after the other");
}

#[test]
fn scratch_memory_does_not_go_from_one_stretch_of_programs_to_the_next() {
    // From the second round on, programs read what the one before has left, which may be another thread's.
    let scratch = "cond %first {
      %old = load %acc[:] : f32[4096]
      %now = load %o[:] : f32[4096]
      %more = add %now, %old : f32[4096]
      store %o[:], %more
    } { }
    store %acc[:], %v";
    same(&TURNED.replace("SCRATCH", scratch), &[values(&[16, 8, 4096])]);
}

#[test]
fn an_output_that_all_programs_share_is_not_cut() {
    let text = SUMS.replace("START", "%j").replace("yield %i, %z", "yield %z, %z");
    let (asked, _) = same(&text, &[values(&[16, 8, 4096])]);
    assert_eq!(asked, 16 * 8);
}

#[test]
fn inputs_that_programs_write_to_are_seen_by_later_ones() {
    let text = SOFTMAX.replace("yield %i, %j }\n  output", "%z = constant 0 : i32[]\n yield %z, %j }\n  output");
    let text = text.replace("store %o[:, :], %r", "store %o[:, :], %r\n    store %x[:, :], %r");
    same(&text, &[values(&[512, 2000])]);
}

#[test]
fn prints_and_accesses_outside_come_in_order_and_once() {
    let text = SOFTMAX.replace(
        "%e = exp",
        "%i = program_id axis=0 : i32[]\n    %at = load %x[%i, 0] : f32[]\n    debug_print %i format=\"i {}\"\n    %e = exp",
    );
    let (_, told) = same(&text, &[values(&[512, 2000])]);
    assert_eq!(told.len(), 64 * 2 + 56 * 2);
    let quiet = text.replace("debug_print %i format=\"i {}\"", "");
    let (_, told) = same(&quiet, &[values(&[512, 2000])]);
    assert_eq!(told.len(), 56 * 2);
}

#[test]
fn a_run_on_threads_can_be_stopped() {
    let launch = parse_launch(SOFTMAX).expect("well written");
    // Asked once before its first program, a thread that gets no program at all has been asked, too.
    let mut hooks = On { patience: 0, ..on(3) };
    let error = run_launch(&launch, vec![values(&[512, 2000])], &mut hooks).expect_err("stopped");
    assert!(matches!(error.kind, RunErrorKind::Cancelled));
}

#[test]
fn hooks_stay_on_the_thread_of_their_caller() {
    static SEEN: Mutex<Option<HashSet<ThreadId>>> = Mutex::new(None);
    struct Watching;
    impl Hooks for Watching {
        fn threads(&self) -> usize {
            SEEN.lock().expect("nobody panics").get_or_insert_default().insert(std::thread::current().id());
            2
        }
        fn cancelled(&mut self) -> bool {
            SEEN.lock().expect("nobody panics").get_or_insert_default().insert(std::thread::current().id());
            false
        }
    }
    let launch = parse_launch(SOFTMAX).expect("well written");
    let outputs = run_launch(&launch, vec![values(&[512, 2000])], &mut Watching).expect("runs");
    assert_eq!(outputs.len(), 1);
    assert_eq!(SEEN.lock().expect("nobody panics").as_ref().map(HashSet::len), Some(1));
}

/// Adds the blocks of integers up, twice; `START` is where the sum starts anew, `SUM` what is stored.
const COUNTS: &str = "launch grid=[64] {
  input @x: i32[262144] block=[4096] map @m(%i: i32[]) { yield %i }
  output @o: i32[4096] block=[4096] map @n(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %z
  }
  kernel @k(%x: ref<i32[4096]>, %o: ref<i32[4096]>) {
    %i = program_id axis=0 : i32[]
    %zero = constant 0 : i32[]
    %twenty = constant 20 : i32[]
    %first = eq START, %zero : bool[]
    cond %first { } {
      %seven = constant 7 : i32[]
      %sevens = broadcast_in_dim %seven shape=[4096] dims=[] : i32[4096]
      store %o[:], %sevens
    }
    %v = load %x[:] : i32[4096]
    %a = load %o[:] : i32[4096]
    %s = add %a, %v : i32[4096]
    store %o[:], SUM
    %b = load %o[:] : i32[4096]
    %t = add %v, %b : i32[4096]
    store %o[:], %t
  }
}";

/// How often the caller's thread was asked while integers were added up.
fn counting(start: &str, sum: &str, grid: &str) -> usize {
    let text = COUNTS.replace("START", start).replace("SUM", sum).replace("grid=[64]", grid);
    let text = text.replace("%first = eq", "%late = rem %i, %twenty : i32[]\n    %first = eq");
    let elements: Vec<i32> = (0..262_144).map(|i: i32| i.wrapping_mul(1_000_003)).collect();
    same(&text, &[Array::from_i32s([262_144], &elements).expect("as many")]).0
}

#[test]
fn integers_that_programs_only_add_to_are_added_up_on_threads() {
    assert!(counting("%i", "%s", "grid=[64]") < 64);
}

#[test]
fn integers_that_programs_do_more_with_are_not() {
    // Set anew by a later program.
    assert!(counting("%late", "%s", "grid=[64]") >= 64);
    // Not a sum with what was there.
    assert!(counting("%i", "%v", "grid=[64]") >= 64);
}
