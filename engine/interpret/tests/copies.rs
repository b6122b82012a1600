//! Kernels that copy their tiles themselves: what they compute does not depend on the number of threads, nor on whether
//! somebody looks at single programs, who sees every copy made, every op by itself.

use pallas_interpret::{Hooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;

#[derive(Default)]
struct On {
    threads: usize,
    /// Whether single programs are looked at.
    plain: bool,
    asked: usize,
}

impl Hooks for On {
    fn threads(&self) -> usize {
        self.threads
    }

    fn wants_programs(&self) -> bool {
        self.plain
    }

    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        false
    }
}

fn values(shape: &[usize]) -> Array {
    let size: usize = shape.iter().product();
    let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    Array::from_f32s(shape, &values).expect("as many")
}

/// The outputs are the same in every way to run a launch; gives how often the caller's thread was asked whether to go on
/// where there were several: once for every program if it ran all of them.
fn same(text: &str, inputs: &[Array]) -> usize {
    let launch = parse_launch(text).expect("well written");
    let run = |threads, plain| {
        let mut hooks = On { threads, plain, asked: 0 };
        let outputs = run_launch(&launch, inputs.to_vec(), &mut hooks).expect("runs");
        (outputs, hooks.asked)
    };
    let (expected, _) = run(1, true);
    let mut asked = 0;
    for threads in [1, 3] {
        let (found, times) = run(threads, false);
        asked = times;
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.same_bits(expected), "on {threads} threads: {text}");
        }
    }
    asked
}

/// A product whose programs copy their tiles; `ROWS` is where a program's rows of the output begin.
const PRODUCT: &str = "launch grid=[8, 2, 3] interpret=device[] {
  input @x: f32[128,192] block=[128, 192] space=any
  input @y: f32[192,128] block=[192, 128] space=any
  output @o: f32[128,128] block=[128, 128] space=any
  scratch ref<f32[16,64], vmem>
  scratch ref<f32[64,64], vmem>
  scratch ref<f32[16,64], vmem>
  scratch ref<i32[2], dma_semaphore>
  kernel @k(%x: ref<f32[128,192], any>, %y: ref<f32[192,128], any>, %o: ref<f32[128,128], any>, %a: ref<f32[16,64], vmem>, %b: ref<f32[64,64], vmem>, %acc: ref<f32[16,64], vmem>, %sems: ref<i32[2], dma_semaphore>) {
    %i = program_id axis=0 : i32[]
    %j = program_id axis=1 : i32[]
    %k = program_id axis=2 : i32[]
    %zero = constant 0 : i32[]
    %two = constant 2 : i32[]
    %tall = constant 16 : i32[]
    %wide = constant 64 : i32[]
    %m = mul %i, %tall : i32[]
    %n = mul %j, %wide : i32[]
    %l = mul %k, %wide : i32[]
    %half = div %i, %two : i32[]
    %shared = mul %half, %tall : i32[]
    %s = view %sems[0] : ref<i32[], dma_semaphore>
    %t = view %sems[1] : ref<i32[], dma_semaphore>
    %from = view %x[ds(%m, 16), ds(%l, 64)] : ref<f32[16,64], any>
    copy_start %from, %a, %s
    %right = view %y[ds(%l, 64), ds(%n, 64)] : ref<f32[64,64], any>
    copy_start %right, %b, %t
    %first = eq %k, %zero : bool[]
    cond %first { } {
      %nil = constant 0.0 : f32[]
      %nils = broadcast_in_dim %nil shape=[16, 64] dims=[] : f32[16,64]
      store %acc[:, :], %nils
    }
    copy_wait %from, %a, %s
    copy_wait %right, %b, %t
    BETWEEN
    %u = load %a[:, :] : f32[16,64]
    %v = load %b[:, :] : f32[64,64]
    %w = load %acc[:, :] : f32[16,64]
    %p = dot_general %u, %v contracting=[[1], [0]] batch=[[], []] dtype=f32 : f32[16,64]
    %q = add %w, %p : f32[16,64]
    store %acc[:, :], %q
    %last = eq %k, %two : bool[]
    cond %last { } {
      %to = view %o[ds(ROWS, 16), ds(%n, 64)] : ref<f32[16,64], any>
      copy_start %acc, %to, %s
      copy_wait %acc, %to, %s
    }
    AFTER
  }
}";

fn product(rows: &str, between: &str, after: &str) -> usize {
    let text = PRODUCT.replace("ROWS", rows).replace("BETWEEN", between).replace("AFTER", after);
    same(&text, &[values(&[128, 192]), values(&[192, 128])])
}

const PROGRAMS: usize = 8 * 2 * 3;

#[test]
fn programs_that_copy_to_places_of_their_own_run_on_threads() {
    let asked = product("%m", "", "");
    assert!(asked <= 1 + PROGRAMS, "the programs ran a second time, one after the other");
}

#[test]
fn places_that_threads_share_are_written_in_order() {
    // Two programs along the first axis copy to one place, and the last one counts.
    let asked = product("%shared", "", "");
    assert!(asked >= PROGRAMS, "nobody has noticed");
}

#[test]
fn an_output_that_programs_read_keeps_them_in_order() {
    let read = "%old = view %o[ds(%zero, 16), ds(%n, 64)] : ref<f32[16,64], any>
    copy_start %old, %a, %s
    copy_wait %old, %a, %s";
    assert_eq!(product("%m", "", read), PROGRAMS);
}

#[test]
fn a_copy_that_the_next_program_waits_for_keeps_them_in_order() {
    let wait = "%some = ne %i, %zero : bool[]
    cond %some { } {
      copy_wait %right, %b, %t
    }";
    let start = "%seven = constant 7 : i32[]
    %more = ne %i, %seven : bool[]
    cond %more { } {
      copy_start %right, %b, %t
    }";
    // The first and the last round wait and start as often as each other only along the whole axis.
    let text =
        PRODUCT.replace("grid=[8, 2, 3]", "grid=[8, 1, 1]").replace("%last = eq %k, %two", "%last = eq %k, %zero");
    let text = text.replace("ROWS", "%m").replace("BETWEEN", wait).replace("AFTER", start);
    let asked = same(&text, &[values(&[128, 192]), values(&[192, 128])]);
    assert!(asked >= 8, "nobody has noticed");
}

#[test]
fn a_tile_that_was_copied_is_the_programs_own() {
    // What is stored to the tile does not reach the input, nor the other way around.
    let own = "%row = load %a[3, :] : f32[64]
    %twice = add %row, %row : f32[64]
    store %a[5, :], %twice
    %c = load %b[0:16, :] : f32[16,64]
    %d = load %a[:, :] : f32[16,64]
    %e = mul %c, %d : f32[16,64]
    store %a[:, :], %e";
    product("%m", own, "");
    let written = "copy_start %acc, %from, %s
    copy_wait %acc, %from, %s";
    let asked = product("%m", written, "");
    assert!(asked >= PROGRAMS, "a program has written to an input");
}
