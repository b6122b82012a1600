//! Blocks that are stored whole and then in parts are put together when they go to their output; what comes out is what ops give
//! one by one, and on one thread or several.

use pallas_interpret::{Hooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;

/// Looks at programs, so that ops run one by one, or has threads.
struct Looking {
    looks: bool,
    threads: usize,
}

impl Hooks for Looking {
    fn wants_programs(&self) -> bool {
        self.looks
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

const PLANES: usize = 40;
const ROWS: usize = 120;
const COLUMNS: usize = 100;

/// Planes of an array, each with its neighbours; `STORES` is what becomes of them.
const STENCIL: &str = "launch grid=[38] {
  input @b: f32[40,120,100] block=[squeezed, 120, 100] map @m(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %z, %z
  }
  input @x: f32[40,120,100] block=[squeezed, 120, 100] map @n(%i: i32[]) {
    %z = constant 0 : i32[]
    %one = constant 1 : i32[]
    %j = add %i, %one : i32[]
    yield %j, %z, %z
  }
  output @o: f32[38,120,100] block=[squeezed, 120, 100] map @q(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %z, %z
  }
  kernel @k(%b: ref<f32[120,100]>, %x: ref<f32[120,100]>, %o: ref<f32[120,100]>) {
    %p = program_id axis=0 : i32[]
    %all = load %x[:, :] : f32[120,100]
    %below = load %b[1:119, 1:99] : f32[118,98]
    %left = slice %all start=[1, 0] limit=[119, 98] strides=[1, 1] : f32[118,98]
    %up = slice %all start=[0, 1] limit=[118, 99] strides=[1, 1] : f32[118,98]
    %sum = add %left, %up : f32[118,98]
    %inner = sub %sum, %below : f32[118,98]
    STORES
  }
}";

fn same(stores: &str) {
    let text = STENCIL.replace("STORES", stores);
    let launch = parse_launch(&text).expect("well written");
    let size = PLANES * ROWS * COLUMNS;
    let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    let x = Array::from_f32s([PLANES, ROWS, COLUMNS], &values).expect("as many");
    let run = |looks: bool, threads: usize| {
        run_launch(&launch, vec![x.clone(), x.clone()], &mut Looking { looks, threads }).expect("runs")
    };
    let expected = run(true, 1);
    for threads in [1, 3] {
        assert!(run(false, threads)[0].same_bits(&expected[0]), "{threads} threads: {text}");
    }
}

#[test]
fn a_part_is_put_over_what_was_stored_before() {
    same("store %o[:, :], %all\nstore %o[1:119, 1:99], %inner");
}

#[test]
fn a_part_that_moves_from_program_to_program_is_put_over_what_was_stored_before() {
    same(
        "store %o[:, :], %all
         %row = load %b[%p, 1:99] : f32[98]
         %other = exp %row : f32[98]
         store %o[%p, 1:99], %other",
    );
}

#[test]
fn parts_are_put_over_each_other_in_their_order() {
    same(
        "store %o[:, :], %all
         store %o[1:119, 1:99], %inner
         %neg = neg %sum : f32[118,98]
         store %o[0:118, 2:100], %neg
         %row = load %x[%p, 3:90] : f32[87]
         %other = exp %row : f32[87]
         store %o[%p, 11:98], %other",
    );
}

#[test]
fn more_parts_than_are_kept_are_written() {
    let rows = (0..9).map(|row| {
        format!(
            "%r{row} = load %b[{row}, :] : f32[100]
             %e{row} = neg %r{row} : f32[100]
             store %o[{}, :], %e{row}\n",
            12 * row
        )
    });
    same(&format!("store %o[:, :], %all\n{}store %o[1:119, 1:99], %inner", rows.collect::<String>()));
}

#[test]
fn what_is_read_back_has_the_parts_that_were_stored() {
    same(
        "store %o[:, :], %all
         store %o[1:119, 1:99], %inner
         %back = load %o[:, :] : f32[120,100]
         %twice = add %back, %all : f32[120,100]
         store %o[:, :], %twice
         store %o[0:118, 0:98], %sum",
    );
}

#[test]
fn what_is_loaded_and_stored_is_what_it_was_when_it_was_loaded() {
    same(
        "%first = load %o[:, :] : f32[120,100]
         store %o[:, :], %all
         %second = load %o[:, :] : f32[120,100]
         store %o[1:119, 1:99], %inner
         store %o[:, :], %second
         %head = load %x[0:60, :] : f32[60,100]
         store %o[60:120, :], %head",
    );
}
