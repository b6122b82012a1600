//! Programs that are taken together: outputs and reports are those of programs that run one after the other, to the bit, and
//! what must not be taken together is not.

use pallas_interpret::{Hooks, OutOfBounds, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, DType, Scalar};

/// Counts programs, by the questions whether to go on, and keeps what is told.
struct Counting {
    alone: bool,
    asked: usize,
    told: Vec<String>,
}

impl Hooks for Counting {
    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        false
    }

    fn looks_at_programs(&self) -> bool {
        self.alone
    }

    fn debug_print(&mut self, format: &str, _values: &[Array]) {
        self.told.push(format.to_string());
    }

    fn out_of_bounds(&mut self, access: &OutOfBounds<'_>) {
        self.told.push(format!("{:?} at {} of {}", access.ids, access.start, access.bound));
    }
}

fn floats(shape: &[usize]) -> Array {
    let size: usize = shape.iter().product();
    let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    Array::from_f32s(shape, &values).expect("as many")
}

fn integers(shape: &[usize]) -> Array {
    let size: usize = shape.iter().product();
    let values: Vec<i32> = (0..size).map(|i| (i as i32 * 7919) % 97).collect();
    Array::from_i32s(shape, &values).expect("as many")
}

/// Runs a launch both ways; gives how many programs ran where they may be taken together, and what was told.
fn same(text: &str, inputs: &[Array]) -> (usize, Vec<String>) {
    let launch = parse_launch(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let run = |alone: bool| {
        let mut hooks = Counting { alone, asked: 0, told: Vec::new() };
        let outputs = run_launch(&launch, inputs.to_vec(), &mut hooks).expect("runs");
        (outputs, hooks)
    };
    let (expected, alone) = run(true);
    let (found, together) = run(false);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.shape(), expected.shape());
        assert!(found.same_bits(expected), "{text}");
    }
    assert_eq!(alone.told, together.told);
    (together.asked, alone.told)
}

/// A kernel of rows of eight, `GRID` programs, an input of as many rows and a scalar for each.
fn rows(programs: usize, body: &str) -> String {
    format!(
        "launch grid=[{programs}] {{
  input @s: i32[{programs}] block=[{programs}] space=smem
  input @w: f32[8] block=[8]
  input @x: f32[{programs},8] block=[1, 8] map @m(%i: i32[]) {{
    %z = constant 0 : i32[]
    yield %i, %z
  }}
  output @o: f32[{programs},8] block=[1, 8] map @m(%i: i32[]) {{
    %z = constant 0 : i32[]
    yield %i, %z
  }}
  kernel @k(%s: ref<i32[{programs}], smem>, %w: ref<f32[8]>, %x: ref<f32[1,8]>, %o: ref<f32[1,8]>) {{
    {body}
  }}
}}"
    )
}

fn row_inputs(programs: usize) -> [Array; 3] {
    [integers(&[programs]), floats(&[8]), floats(&[programs, 8])]
}

/// That programs of rows give the same, and how many ran when they were taken together.
fn same_rows(body: &str) -> usize {
    same(&rows(1000, body), &row_inputs(1000)).0
}

#[test]
fn chains_of_operations_run_once_for_many_programs() {
    let asked = same_rows(
        "%v = load %x[:, :] : f32[1,8]
         %one = constant 1.5 : f32[]
         %ones = broadcast_in_dim %one shape=[1, 8] dims=[] : f32[1,8]
         %p = mul %v, %v : f32[1,8]
         %t = add %p, %ones : f32[1,8]
         %e = exp %t : f32[1,8]
         %l = gt %e, %ones : bool[1,8]
         %r = select_n %l, %v, %e : f32[1,8]
         store %o[:, :], %r",
    );
    assert!(asked <= 10, "{asked} programs ran");
}

#[test]
fn rows_are_reduced_and_what_all_programs_share_is_spread() {
    let asked = same_rows(
        "%v = load %x[:, :] : f32[1,8]
         %w0 = load %w[:] : f32[8]
         %ww = broadcast_in_dim %w0 shape=[1, 8] dims=[1] : f32[1,8]
         %p = mul %v, %ww : f32[1,8]
         %m = reduce_max %p axes=[1] : f32[1]
         %mm = broadcast_in_dim %m shape=[1, 8] dims=[0] : f32[1,8]
         %d = sub %p, %mm : f32[1,8]
         %e = exp %d : f32[1,8]
         %t = reduce_sum %e axes=[0, 1] : f32[]
         %ss = broadcast_in_dim %t shape=[1, 8] dims=[] : f32[1,8]
         %q = div %e, %ss : f32[1,8]
         %c = cumsum %q axis=1 reverse=false : f32[1,8]
         store %o[:, :], %c",
    );
    assert!(asked <= 10, "{asked} programs ran");
}

#[test]
fn program_ids_and_scalars_that_they_select_differ_from_lane_to_lane() {
    let asked = same_rows(
        "%i = program_id axis=0 : i32[]
         %n = num_programs axis=0 : i32[]
         %c = load %s[%i] : i32[]
         %k = mul %c, %n : i32[]
         %j = add %k, %i : i32[]
         %f = convert_element_type %j dtype=f32 : f32[]
         %ff = broadcast_in_dim %f shape=[1, 8] dims=[] : f32[1,8]
         %v = load %x[:, :] : f32[1,8]
         %r = add %v, %ff : f32[1,8]
         store %o[:, :], %r",
    );
    assert!(asked <= 10, "{asked} programs ran");
}

#[test]
fn loops_carry_lanes_and_branches_are_taken_by_all() {
    let asked = same_rows(
        "%i = program_id axis=0 : i32[]
         %zero = constant 0 : i32[]
         %three = constant 3 : i32[]
         %v = load %x[:, :] : f32[1,8]
         %t, %k = for %zero, %three, %v, %i (%n: i32[], %a: f32[1,8], %b: i32[]) {
           %w0 = load %w[%n] : f32[]
           %ww = broadcast_in_dim %w0 shape=[1, 8] dims=[] : f32[1,8]
           %p = mul %a, %ww : f32[1,8]
           %q = add %p, %v : f32[1,8]
           %b2 = add %b, %n : i32[]
           yield %q, %b2
         } : f32[1,8], i32[]
         %f = convert_element_type %k dtype=f32 : f32[]
         %w1 = load %w[0] : f32[]
         %yes = gt %w1, %w1 : bool[]
         %r = cond %yes {
           yield %t
         } {
           %ff = broadcast_in_dim %f shape=[1, 8] dims=[] : f32[1,8]
           yield %ff
         } : f32[1,8]
         store %o[:, :], %r",
    );
    assert!(asked <= 40, "{asked} programs ran and turns were taken");
}

#[test]
fn parts_of_rows_masks_and_stores_in_pieces_keep_their_places() {
    let asked = same_rows(
        "%w0 = load %w[3] : f32[]
         %v = load %x[0, 2:6] : f32[4]
         %r = rev %v axes=[0] : f32[4]
         %m = gt %v, %r : bool[4]
         %u = load %x[:, 0:4] mask %m other %r : f32[1,4]
         store %o[0, 4:8], %r
         %z = concatenate %u, %u axis=0 : f32[2,4]
         %b = reduce_min %z axes=[0] : f32[4]
         store %o[0, 0:4], %b mask %m
         %c = slice %v start=[1] limit=[3] : f32[2]
         %old = swap %o[0, 1:3], %c : f32[2]
         %p = pad %old, %w0 low=[1] high=[1] interior=[0] : f32[4]
         store %o[0, 2:6], %p",
    );
    assert!(asked <= 10, "{asked} programs ran");
}

#[test]
fn products_take_lanes_as_rows_or_as_a_batch() {
    let text = "launch grid=[64, 4] {
  input @x: f32[64,4,8,16] block=[squeezed, squeezed, 8, 16] map @m(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %j, %z, %z
  }
  input @w: f32[16,8] block=[16, 8]
  output @o: f32[64,4,8,8] block=[squeezed, squeezed, 8, 8] map @m(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %j, %z, %z
  }
  kernel @k(%x: ref<f32[8,16]>, %w: ref<f32[16,8]>, %o: ref<f32[8,8]>) {
    %v = load %x[:, :] : f32[8,16]
    %u = load %w[:, :] : f32[16,8]
    %p = dot_general %v, %u contracting=[[1], [0]] : f32[8,8]
    %g = dot_general %v, %v contracting=[[1], [1]] : f32[8,8]
    %t = transpose %g permutation=[1, 0] : f32[8,8]
    %s = add %p, %t : f32[8,8]
    store %o[:, :], %s
  }
}";
    let (asked, _) = same(text, &[floats(&[64, 4, 8, 16]), floats(&[16, 8])]);
    assert!(asked < 64, "{asked} programs ran");
}

#[test]
fn blocks_along_other_dimensions_than_the_first_are_turned() {
    let text = "launch grid=[8, 32] {
  input @x: f32[16,256] block=[2, 8] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  output @o: f32[16,256] block=[2, 8] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  kernel @k(%x: ref<f32[2,8]>, %o: ref<f32[2,8]>) {
    %v = load %x[:, :] : f32[2,8]
    %s = reduce_sum %v axes=[0] : f32[8]
    %w = broadcast_in_dim %s shape=[2, 8] dims=[1] : f32[2,8]
    %r = sub %v, %w : f32[2,8]
    store %o[:, :], %r
  }
}";
    let (asked, _) = same(text, &[floats(&[16, 256])]);
    assert!(asked < 64, "{asked} programs ran");
}

#[test]
fn what_lies_past_the_end_of_an_array_is_what_it_is_for_each_program() {
    let text = "launch grid=[100] {
  input @x: f32[7,796] block=[8, 8] map @m(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %z, %i
  }
  output @o: f32[796] block=[8] map @n(%i: i32[]) { yield %i }
  output @p: f32[7,796] block=[8, 8] map @m(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %z, %i
  }
  kernel @k(%x: ref<f32[8,8]>, %o: ref<f32[8]>, %p: ref<f32[8,8]>) {
    %v = load %x[:, :] : f32[8,8]
    %s = reduce_max %v axes=[0] : f32[8]
    store %o[:], %s
    store %p[:, :], %v
  }
}";
    let (asked, _) = same(text, &[floats(&[7, 796])]);
    assert!(asked < 50, "{asked} programs ran");
}

#[test]
fn outputs_that_begin_as_inputs_do_so_for_every_lane() {
    let text = rows(
        1000,
        "%v = load %x[:, :] : f32[1,8]
         %a = load %o[:, :] : f32[1,8]
         %r = add %v, %a : f32[1,8]
         store %o[:, 0:4], %p",
    );
    let text = text
        .replace("store %o[:, 0:4], %p", "%p = slice %r start=[0, 0] limit=[1, 4] : f32[1,4]\n store %o[:, 0:4], %p");
    let aliased = text.replace("  kernel @k", "  alias 2 -> 0\n  kernel @k");
    let (asked, _) = same(&aliased, &row_inputs(1000));
    assert!(asked <= 10, "{asked} programs ran");
}

#[test]
fn programs_that_have_to_do_with_each_other_run_one_after_the_other() {
    let add = "%v = load %x[:, :] : f32[1,8]\n %a = load %o[:, :] : f32[1,8]\n %r = add %v, %a : f32[1,8]\n store %o[:, :], %r";
    let shared = rows(1000, add).replace(
        "f32[1000,8] block=[1, 8] map @m(%i: i32[]) {\n    %z = constant 0 : i32[]\n    yield %i, %z\n  }\n  kernel",
        "f32[1,8] block=[1, 8]\n  kernel",
    );
    assert_eq!(same(&shared, &row_inputs(1000)).0, 1000, "an output that all programs have");
    let written = rows(1000, &add.replace("store %o", "store %x"));
    assert!(same(&written, &row_inputs(1000)).0 >= 1000, "an input that is written");
    let reversed = rows(1000, add).replace(
        "yield %i, %z\n  }\n  output",
        "%n = constant 999 : i32[]\n %k = sub %n, %i : i32[]\n yield %k, %z\n  }\n  output",
    );
    assert_eq!(same(&reversed, &row_inputs(1000)).0, 1000, "blocks in another order");
    let prime = rows(997, add);
    assert_eq!(same(&prime, &row_inputs(997)).0, 997, "programs that no number divides");
}

#[test]
fn what_programs_have_to_say_comes_from_each_in_its_turn() {
    let body = "%i = program_id axis=0 : i32[]
         %two = constant 2 : i32[]
         %j = mul %i, %two : i32[]
         %c = load %s[%j] : i32[]
         %f = convert_element_type %c dtype=f32 : f32[]
         %ff = broadcast_in_dim %f shape=[1, 8] dims=[] : f32[1,8]
         store %o[:, :], %ff";
    let (_, told) = same(&rows(1000, body), &row_inputs(1000));
    assert_eq!(told.len(), 500, "half of the programs read past the end");
    assert_eq!(told[0], "[500] at 1000 of 1000");
}

#[test]
fn quotients_by_what_programs_share_keep_their_digits() {
    // A division by a copy of one row is a multiplication by a reciprocal in XLA; by the row itself it is not.
    let body = "%v = load %x[0, :] : f32[8]
         %u = load %w[:] : f32[8]
         %q = div %v, %u : f32[8]
         store %o[0, :], %q";
    same(&rows(1000, body), &row_inputs(1000));
    let product = "%v = load %x[0, :] : f32[8]
         %u = load %w[:] : f32[8]
         %p = mul %u, %u : f32[8]
         %q = add %p, %v : f32[8]
         store %o[0, :], %q";
    same(&rows(1000, product), &row_inputs(1000));
}

#[test]
fn programs_that_do_nothing_leave_what_was_there() {
    let text = rows(1000, "").replace("  kernel @k", "  alias 2 -> 0\n  kernel @k");
    let launch = parse_launch(&text).expect("well written");
    let mut hooks = Counting { alone: false, asked: 0, told: Vec::new() };
    let inputs = row_inputs(1000);
    let outputs = run_launch(&launch, inputs.to_vec(), &mut hooks).expect("runs");
    assert!(outputs[0].same_bits(&inputs[2]));
    let fresh = run_launch(&parse_launch(&rows(1000, "")).expect("well written"), inputs.to_vec(), &mut hooks);
    assert_eq!(
        fresh.expect("runs")[0].iter_scalars().filter(|x| matches!(x, Scalar::Float(x) if x.is_nan())).count(),
        8000
    );
    assert_eq!(outputs[0].dtype(), DType::F32);
}

/// Draws numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Lines of a kernel of `float32` in the making, with the names and shapes of what they define.
struct Lines {
    text: String,
    known: Vec<(String, Vec<usize>)>,
}

impl Lines {
    fn define(&mut self, op: &str, shape: &[usize]) {
        let name = format!("%r{}", self.known.len());
        self.text.push_str(&format!("    {name} = {op} : f32{shape:?}\n"));
        self.known.push((name, shape.to_vec()));
    }

    /// One operation of what is known, drawn at random.
    fn draw(&mut self, random: &mut Random) {
        let (name, shape) = random.pick(&self.known).clone();
        let alike: Vec<String> =
            self.known.iter().filter(|known| known.1 == shape).map(|known| known.0.clone()).collect();
        let other = random.pick(&alike).clone();
        let rank = shape.len();
        match random.below(11) {
            0..=2 => {
                let op = random.pick(&["add", "sub", "mul", "max", "min", "div"]);
                self.define(&format!("{op} {name}, {other}"), &shape);
            }
            3 => {
                let op = random.pick(&["exp", "tanh", "neg", "abs", "sin", "sign"]);
                self.define(&format!("{op} {name}"), &shape);
            }
            4 if rank > 0 => {
                let axis = random.below(rank);
                let rest: Vec<usize> = (0..rank).filter(|&dim| dim != axis).map(|dim| shape[dim]).collect();
                let op = random.pick(&["reduce_sum", "reduce_max", "reduce_min", "reduce_prod"]);
                self.define(&format!("{op} {name} axes=[{axis}]"), &rest);
            }
            5 if rank < 2 => {
                let wide = if rank == 0 { vec![4] } else { vec![3, shape[0]] };
                let dims: Vec<usize> = (0..rank).map(|_| 1).collect();
                self.define(&format!("broadcast_in_dim {name} shape={wide:?} dims={dims:?}"), &wide);
            }
            6 if rank == 2 => {
                self.define(&format!("transpose {name} permutation=[1, 0]"), &[shape[1], shape[0]]);
            }
            7 if rank > 0 => {
                let axis = random.below(rank);
                let op = random.pick(&["rev", "cumsum", "cummax"]);
                let how = if *op == "rev" { format!("axes=[{axis}]") } else { format!("axis={axis} reverse=false") };
                self.define(&format!("{op} {name} {how}"), &shape);
            }
            8 if rank > 0 => {
                let start = random.below(shape[0]);
                let (mut starts, mut limits) = (vec![0; rank], shape.clone());
                starts[0] = start;
                let mut part = shape.clone();
                part[0] -= start;
                limits[0] = shape[0];
                self.define(&format!("slice {name} start={starts:?} limit={limits:?}"), &part);
            }
            9 if rank == 2 => {
                let wide = [shape[0], shape[0]];
                self.define(&format!("dot_general {name}, {other} contracting=[[1], [1]]"), &wide);
            }
            10 => {
                let size: usize = shape.iter().product();
                self.define(&format!("reshape {name} shape=[{size}]"), &[size]);
            }
            _ => {}
        }
    }
}

#[test]
fn kernels_drawn_at_random_give_the_bits_of_programs_one_by_one() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut together = 0;
    for _ in 0..300 {
        let mut lines = Lines { text: String::new(), known: Vec::new() };
        lines.text.push_str("    %i = program_id axis=0 : i32[]\n    %c = load %s[%i] : i32[]\n");
        lines.text.push_str("    %d = mul %c, %i : i32[]\n");
        lines.define("convert_element_type %d dtype=f32", &[]);
        lines.define("load %x[:, :]", &[1, 8]);
        lines.define("load %w[:]", &[8]);
        lines.define("load %w[2]", &[]);
        lines.define("constant 0.75", &[]);
        for _ in 0..4 + random.below(16) {
            lines.draw(&mut random);
        }
        let (last, shape) = lines.known[lines.known.len() - 1].clone();
        let axes: Vec<usize> = (0..shape.len()).collect();
        let sum = if axes.is_empty() { last.clone() } else { "%sum".to_string() };
        if !axes.is_empty() {
            lines.text.push_str(&format!("    %sum = reduce_max {last} axes={axes:?} : f32[]\n"));
        }
        lines.text.push_str(&format!("    %all = broadcast_in_dim {sum} shape=[1, 8] dims=[] : f32[1,8]\n"));
        lines.text.push_str("    store %o[:, :], %all");
        let (asked, _) = same(&rows(200, &lines.text), &row_inputs(200));
        together += usize::from(asked < 200);
    }
    assert!(together > 150, "only {together} of 300 kernels were taken together");
}
