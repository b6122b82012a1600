//! Kernels that are ready against the same kernels on their tapes, to the bit, and which kernels are.

use crate::hooks::{Hooks, OutOfBounds};
use crate::launch::LaunchPlan;
use pallas_ir::text::parse_launch;
use pallas_ir::{Launch, Role};
use pallas_tensor::{Array, DType, Shape};

/// Looks at programs, so that they run on the tape, or does not; hears of subscripts that leave their Refs.
struct Hears {
    looks: bool,
    outside: Vec<(Vec<usize>, i64, bool)>,
}

impl Hooks for Hears {
    fn wants_programs(&self) -> bool {
        self.looks
    }

    fn out_of_bounds(&mut self, access: &OutOfBounds<'_>) {
        self.outside.push((access.ids.to_vec(), access.start, access.writes));
    }
}

/// Floats between -2.5 and 2.5, and integers from 0 to 3: pages that there are.
fn inputs(launch: &Launch) -> Vec<Array> {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    let array = inputs.map(|operand| {
        let shape: Shape = operand.array.shape.clone();
        let numbers = 0..shape.size();
        match operand.array.dtype {
            DType::F32 => Array::from_f32s(shape, &numbers.map(|i| i as f32 * 0.37 % 5.0 - 2.5).collect::<Vec<_>>()),
            _ => Array::from_i32s(shape, &numbers.map(|i| (i % 4) as i32).collect::<Vec<_>>()),
        }
        .expect("as many")
    });
    array.collect()
}

/// Runs a launch both ways, twice: what is computed by code is, the second time. Says whether it was ready.
fn agrees(text: &str) -> bool {
    let launch = parse_launch(text).expect("a launch");
    let plan = LaunchPlan::new(&launch).expect("it is well formed");
    let run = |looks: bool| {
        let mut hooks = Hears { looks, outside: Vec::new() };
        (plan.run(inputs(&launch), &mut hooks).expect("it runs"), hooks.outside)
    };
    let (expected, outside) = run(true);
    for _ in 0..2 {
        let (found, told) = run(false);
        assert!(found.iter().zip(&expected).all(|(found, expected)| found.same_bits(expected)));
        assert_eq!(told, outside);
    }
    plan.ready.0.iter().any(|kernel| matches!(kernel.get(), Some(Some(_))))
}

#[test]
fn kernels_of_small_tiles_are_ready_and_compute_the_same() {
    assert!(agrees(include_str!("../../benches/steps/paged.ir")));
    assert!(agrees(include_str!("../../benches/steps/norm.ir")));
    assert!(agrees(include_str!("../../benches/steps/scan.ir")));
}

/// A kernel over blocks of (8, 16) with scratch memory of that shape, which is zero at first.
fn small(body: &str) -> String {
    let block = |name: &str, kind: &str| {
        format!(
            "{kind} @{name}: f32[256,16] block=[8, 16] map @m(%0: i32[]) {{\n%1 = constant 0 : i32[]\nyield %0, %1\n}}\n"
        )
    };
    format!(
        "launch grid=[32] interpret=plain {{\n{}{}scratch ref<f32[8,16], vmem>
        kernel @k(%x_ref: ref<f32[8,16]>, %o_ref: ref<f32[8,16]>, %s_ref: ref<f32[8,16], vmem>) {{
        %0 = program_id axis=0 : i32[]\n%1 = constant 0 : i32[]\n%2 = eq %0, %1 : bool[]
        %3 = convert_element_type %2 dtype=i32 weak=false : i32[]
        cond %3 {{ }} {{
          %4 = constant 0.0 : f32[]\n%5 = broadcast_in_dim %4 shape=[8, 16] dims=[] : f32[8,16]\nstore %s_ref[:, :], %5
        }}
        {body}\n}}\n}}\n",
        block("x_ref", "input"),
        block("o_ref", "output")
    )
}

/// Remainders and quotients as `jnp` has them, of numbers below zero too, and of floats that are chosen.
#[test]
fn numbers_are_chosen_compared_and_have_signs() {
    let body = "%6 = constant 16 : i32[]\n%7 = sub %0, %6 : i32[]\n%8 = constant 5 : i32[]\n%9 = constant 0 : i32[]
        %10 = rem %7, %8 : i32[]\n%11 = ne %10, %9 : bool[]\n%12 = lt %10, %9 : bool[]\n%13 = lt %8, %9 : bool[]
        %14 = ne %12, %13 : bool[]\n%15 = and %14, %11 : bool[]\n%16 = add %10, %8 : i32[]
        %17 = select_n %15, %10, %16 : i32[]
        %18 = sign %7 : i32[]\n%19 = mul %17, %18 : i32[]\n%20 = or %12, %15 : bool[]\n%21 = select_n %20, %12, %11 : bool[]
        %22 = constant 0.5 : f32[]\n%23 = constant -1.5 : f32[]\n%24 = select_n %21, %22, %23 : f32[]
        %25 = broadcast_in_dim %24 shape=[8, 16] dims=[] : f32[8,16]
        %26 = convert_element_type %19 dtype=f32 weak=false : f32[]
        %27 = broadcast_in_dim %26 shape=[8, 16] dims=[] : f32[8,16]
        %28 = load %x_ref[:, :] : f32[8,16]\n%29 = mul %28, %25 : f32[8,16]\n%30 = add %29, %27 : f32[8,16]
        store %o_ref[:, :], %30";
    assert!(agrees(&small(body)));
}

#[test]
fn what_was_loaded_stays_what_it_was() {
    let body = "%6 = load %s_ref[:, :] : f32[8,16]\n%7 = load %x_ref[:, :] : f32[8,16]\n%8 = add %6, %7 : f32[8,16]
        store %s_ref[:, :], %8\n%9 = mul %6, %7 : f32[8,16]\nstore %o_ref[:, :], %9";
    assert!(agrees(&small(body)));
}

#[test]
fn loops_carry_tiles_and_numbers_and_subscripts_that_leave_their_ref_are_told() {
    let body = "%10 = constant 0 : i32[]\n%11 = constant 9 : i32[]\n%12 = constant 0.5 : f32[]
        %13 = load %x_ref[0, :] : f32[16]
        %14, %15 = for %10, %11, %13, %12 (%16: i32[]*, %17: f32[16], %18: f32[]) {
          %19 = load %x_ref[%16, :] : f32[16]
          %20 = broadcast_in_dim %18 shape=[16] dims=[] : f32[16]
          %21 = mul %17, %20 : f32[16]
          %22 = add %21, %19 : f32[16]
          %23 = load %s_ref[%16, :] : f32[16]
          %24 = sub %22, %23 : f32[16]
          store %s_ref[%16, :], %24
          store %o_ref[%16, :], %22
          %25 = add %18, %12 : f32[]
          yield %22, %25
        } : f32[16], f32[]
        %26 = rev %14 axes=[0] : f32[16]
        store %o_ref[3, :], %26";
    assert!(agrees(&small(body)));
}

#[test]
fn a_store_that_the_next_program_does_again_is_left_out_but_for_the_last() {
    // All programs have the one block of the output.
    let text = small("%6 = load %x_ref[:, :] : f32[8,16]\n%7 = neg %6 : f32[8,16]\nstore %o_ref[:, :], %7");
    let (first, rest) = text.split_once("output").expect("an output");
    let rest = rest.replacen("yield %0, %1", "yield %1, %1", 1);
    assert!(agrees(&format!("{first}output{rest}")));
    // Where it depends on the program, each is done.
    let text = small("%6 = load %x_ref[:, :] : f32[8,16]\ncond %3 { } {\nstore %o_ref[:, :], %6\n}");
    let (first, rest) = text.split_once("output").expect("an output");
    let rest = rest.replacen("yield %0, %1", "yield %1, %1", 1);
    assert!(agrees(&format!("{first}output{rest}")));
}

#[test]
fn what_is_written_over_what_is_read_is_computed_elsewhere_first() {
    let body = "%6 = load %s_ref[0:7, :] : f32[7,16]\n%7 = load %x_ref[1:8, :] : f32[7,16]\n%8 = add %6, %7 : f32[7,16]
        store %s_ref[1:8, :], %8\n%9 = load %s_ref[:, :] : f32[8,16]\nstore %o_ref[:, :], %9";
    assert!(agrees(&small(body)));
}

#[test]
fn products_are_tiles_and_are_added_to_what_a_ref_holds() {
    let product = "dot_general";
    let body = format!(
        "%6 = load %x_ref[:, :] : f32[8,16]
        %7 = {product} %6, %6 contracting=[[1], [1]] batch=[[], []] : f32[8,8]
        %8 = {product} %7, %6 contracting=[[0], [0]] batch=[[], []] : f32[8,16]
        %9 = load %s_ref[:, :] : f32[8,16]
        %10 = add %9, %8 : f32[8,16]\nstore %s_ref[:, :], %10
        %11 = load %s_ref[:, :] : f32[8,16]\nstore %o_ref[:, :], %11"
    );
    assert!(agrees(&small(&body)));
}

#[test]
fn tiles_are_lent_to_ops_and_stay_what_they_are() {
    // A tile is both operands, is read by another op behind it, and is what an op of the same kind would write to.
    let body = "%6 = load %x_ref[0, :] : f32[16]
        %7 = exp %6 : f32[16]
        %8 = concatenate %7, %7 axis=0 : f32[32]
        %9 = rev %8 axes=[0] : f32[32]
        %10 = rev %7 axes=[0] : f32[16]
        %11 = iota dtype=i32 shape=[16] axis=0 : i32[16]
        %12 = constant 2.0 : f32[]
        %13 = broadcast_in_dim %12 shape=[16] dims=[] : f32[16]
        %14 = scatter %7, %13, %11 axes=[0] mode=\"fill\" combine=\"mul\" : f32[16]
        %15 = add %14, %10 : f32[16]
        %16 = add %15, %7 : f32[16]
        store %o_ref[0, :], %16
        %17 = reshape %9 shape=[2, 16] : f32[2,16]
        store %o_ref[1:3, :], %17";
    assert!(agrees(&small(body)));
}

#[test]
fn sums_are_scattered_to_positions_where_those_lie() {
    // Positions that are loaded, of which some are negative and some outside, and a computed vector that they add to.
    let add = "axes=[0] mode=\"fill\" combine=\"add\"";
    let counts = |updates: &str| {
        format!(
            "launch grid=[32] interpret=plain {{
            input @x_ref: i32[2048] block=[64] map @m(%0: i32[]) {{\nyield %0\n}}
            output @o_ref: i32[256] block=[8] map @m(%0: i32[]) {{\nyield %0\n}}
            kernel @k(%x_ref: ref<i32[64]>, %o_ref: ref<i32[8]>) {{
              %0 = load %x_ref[:] : i32[64]
              %1 = mul %0, %0 : i32[64]
              %2 = constant 5 : i32[]
              %3 = broadcast_in_dim %2 shape=[64] dims=[] : i32[64]
              %4 = sub %1, %3 : i32[64]
              %5 = constant 0 : i32[]
              %6 = broadcast_in_dim %5 shape=[64] dims=[] : i32[64]
              %7 = lt %4, %6 : bool[64]
              %8 = constant 8 : i32[]
              %9 = broadcast_in_dim %8 shape=[64] dims=[] : i32[64]
              %10 = add %4, %9 : i32[64]
              %11 = select_n %7, %4, %10 : i32[64]
              %12 = iota dtype=i32 shape=[8] axis=0 : i32[8]
              %13 = scatter %12, {updates}, %11 {add} : i32[8]
              %14 = scatter %13, %3, %0 {add} : i32[8]
              store %o_ref[:], %14
            }}
            }}"
        )
    };
    assert!(agrees(&counts("%1")));
    assert!(agrees(&counts("%3")));
}

#[test]
fn functions_of_constants_are_computed_once() {
    let body = "%6 = iota dtype=i32 shape=[8] axis=0 : i32[8]
        %7 = constant 3 : i32[]
        %8 = broadcast_in_dim %7 shape=[16] dims=[] : i32[16]
        %9 = broadcast_in_dim %7 shape=[8] dims=[] : i32[8]
        %10 = scatter %8, %9, %6 axes=[0] mode=\"fill\" combine=\"add\" : i32[16]
        %11 = convert_element_type %10 dtype=f32 weak=false : f32[16]
        store %o_ref[0, :], %11";
    let launch = parse_launch(&small(body)).expect("a launch");
    assert!(agrees(&small(body)));
    let plan = LaunchPlan::new(&launch).expect("it is well formed");
    plan.run(inputs(&launch), &mut Hears { looks: false, outside: Vec::new() }).expect("it runs");
    let kernel = plan.ready.0[0].get().and_then(Option::as_ref).expect("it is ready");
    assert!(!kernel.acts.iter().any(|act| matches!(act, super::Act::Pure { .. })), "{:?}", kernel.acts);
}

#[test]
fn large_scratch_memory_is_left_to_the_tape() {
    let text = small("%6 = load %x_ref[:, :] : f32[8,16]\nstore %o_ref[:, :], %6").replace("8,16", "8,2048");
    assert!(!agrees(&text.replace("8, 16", "8, 2048").replace("256,16", "256,2048")));
}

/// A kernel over large blocks of so many rows, of which the last one reaches past the end.
fn large(rows: usize, map: &str, body: &str) -> String {
    let block = |name: &str, kind: &str, map: &str| {
        format!(
            "{kind} @{name}: f32[{rows},2048] block=[8, 2048] map @m(%0: i32[]) {{\n%1 = constant 0 : i32[]\nyield {map}\n}}\n"
        )
    };
    format!(
        "launch grid=[32] interpret=plain {{\n{}{}
        kernel @k(%x_ref: ref<f32[8,2048]>, %o_ref: ref<f32[8,2048]>) {{
        %6 = load %x_ref[:, :] : f32[8,2048]
        {body}\n}}\n}}\n",
        block("x_ref", "input", "%0, %1"),
        block("o_ref", "output", map)
    )
}

const SOFTMAX: &str = "%7 = reduce_max %6 axes=[1] : f32[8]
    %8 = broadcast_in_dim %7 shape=[8, 2048] dims=[0] : f32[8,2048]
    %9 = sub %6, %8 : f32[8,2048]
    %10 = exp %9 : f32[8,2048]
    %11 = reduce_sum %10 axes=[1] : f32[8]
    %12 = broadcast_in_dim %11 shape=[8, 2048] dims=[0] : f32[8,2048]
    %13 = div %10, %12 : f32[8,2048]
    store %o_ref[:, :], %13";

const DEVIATION: &str = "%7 = reduce_sum %6 axes=[1] : f32[8]
    %8 = constant 2048.0 : f32[]
    %9 = broadcast_in_dim %8 shape=[8] dims=[] : f32[8]
    %10 = div %7, %9 : f32[8]
    %11 = broadcast_in_dim %10 shape=[8, 2048] dims=[0] : f32[8,2048]
    %12 = sub %6, %11 : f32[8,2048]
    %13 = mul %12, %12 : f32[8,2048]
    %14 = reduce_sum %13 axes=[1] : f32[8]
    %15 = rsqrt %14 : f32[8]
    %16 = broadcast_in_dim %15 shape=[8, 2048] dims=[0] : f32[8,2048]
    %17 = mul %12, %16 : f32[8,2048]
    store %o_ref[:, :], %17";

#[test]
fn large_outputs_are_computed_where_they_belong() {
    for body in [SOFTMAX, DEVIATION] {
        assert!(agrees(&large(256, "%0, %1", body)));
        assert!(agrees(&large(250, "%0, %1", body)), "the last block reaches past the end");
        assert!(agrees(&large(256, "%1, %1", body)), "all programs have one block");
    }
    // All that there is: a Ref that is the array.
    let alone =
        large(8, "%1, %1", "%7 = neg %6 : f32[8,2048]\nstore %o_ref[:, :], %7").replace("yield %0, %1", "yield %1, %1");
    assert!(agrees(&alone));
}

#[test]
fn large_outputs_that_are_read_or_written_in_parts_are_left_to_the_tape() {
    let again = "%7 = load %o_ref[:, :] : f32[8,2048]\n%8 = add %6, %7 : f32[8,2048]\nstore %o_ref[:, :], %8";
    let part = "store %o_ref[:, :], %6\n%7 = load %x_ref[1, :] : f32[2048]\nstore %o_ref[0, :], %7";
    let twice = "store %o_ref[:, :], %6\n%7 = neg %6 : f32[8,2048]\nstore %o_ref[:, :], %7";
    let element = "store %o_ref[:, :], %6\n%7 = load %o_ref[0, 0] : f32[]\n%8 = broadcast_in_dim %7 shape=[8, 2048] dims=[] : f32[8,2048]
        store %o_ref[:, :], %8";
    for body in [again, part, twice, element] {
        assert!(!agrees(&large(256, "%0, %1", body)), "{body}");
    }
}
