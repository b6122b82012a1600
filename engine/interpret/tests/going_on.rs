//! Programs that go on with what the programs before them have left in an output, which nobody has computed yet: the bits are those
//! of one operation after the other, whatever else is done with the output in between.

use pallas_interpret::{Hooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, ops};

/// Runs on a number of threads, with operations one by one where every program is looked at.
struct On {
    threads: usize,
    looks: bool,
}

impl Hooks for On {
    fn threads(&self) -> usize {
        self.threads
    }

    fn wants_programs(&self) -> bool {
        self.looks
    }

    fn looks_at_programs(&self) -> bool {
        self.looks
    }
}

fn values(shape: &[usize]) -> Array {
    let size: usize = shape.iter().product();
    let value = |i: usize| match i % 97 {
        // Subnormal numbers count as zero, and zeros keep their signs.
        5 => 1e-39,
        11 => -0.0,
        _ => (i as f32 * 0.37) % 5.0 - 2.5,
    };
    Array::from_f32s(shape, &(0..size).map(value).collect::<Vec<f32>>()).expect("as many")
}

/// What a kernel gives whose programs come `count` times to each of four blocks: `start` is what the first one does before, and
/// `body` is done by all. The same with one operation after the other, and on two threads.
fn same(dtype: &str, count: usize, start: &str, body: &str) {
    let text = format!(
        "launch grid=[4, {count}] {{
  input @x: {dtype}[{count},32,700] block=[squeezed, 8, 700] map @m(%i: i32[], %k: i32[]) {{ %0 = constant 0 : i32[] yield %k, %i, %0 }}
  output @o: {dtype}[32,700] block=[8, 700] map @m(%i: i32[], %k: i32[]) {{ %0 = constant 0 : i32[] yield %i, %0 }}
  output @p: {dtype}[32,700] block=[8, 700] map @m(%i: i32[], %k: i32[]) {{ %0 = constant 0 : i32[] yield %i, %0 }}
  kernel @k(%x: ref<{dtype}[8,700]>, %o: ref<{dtype}[8,700]>, %p: ref<{dtype}[8,700]>) {{
    %k = program_id axis=1 : i32[]
    %0 = constant 0 : i32[]
    %first = eq %k, %0 : bool[]
    %branch = convert_element_type %first dtype=i32 weak=false : i32[]
    cond %branch {{ }} {{
      %zero = constant 0.0 : {dtype}[]
      %zeros = broadcast_in_dim %zero shape=[8, 700] dims=[] : {dtype}[8,700]
      store %p[:, :], %zeros
      {start}
    }}
    {body}
  }}
}}"
    );
    let launch = parse_launch(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let x = ops::convert(&values(&[count, 32, 700]), launch.operands[0].array.dtype).expect("floats");
    let run = |threads: usize, looks: bool| {
        run_launch(&launch, vec![x.clone()], &mut On { threads, looks })
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let expected = run(1, true);
    for threads in [1, 2] {
        for (found, expected) in run(threads, false).iter().zip(&expected) {
            assert!(found.same_bits(expected), "{count} programs, {threads} threads\n{text}");
        }
    }
}

const ZEROS: &str = "store %o[:, :], %zeros";

#[test]
fn sums_over_blocks_have_the_bits_of_one_addition_after_the_other() {
    let body = "%a = load %o[:, :] : f32[8,700]
      %b = load %x[:, :] : f32[8,700]
      %c = add %a, %b : f32[8,700]
      store %o[:, :], %c";
    // Twenty-five are more than go together.
    for count in [1, 2, 8, 25] {
        same("f32", count, ZEROS, body);
        same("bf16", count, ZEROS, &body.replace("f32", "bf16"));
        // The first block is what the others are added to.
        let copied = "%d = load %x[:, :] : f32[8,700]\n store %o[:, :], %d";
        same("f32", count, copied, body);
    }
}

#[test]
fn what_others_read_or_write_as_well_is_what_it_was_when_they_did() {
    let load = "%a = load %o[:, :] : f32[8,700]\n %b = load %x[:, :] : f32[8,700]\n";
    let sum = "%c = add %a, %b : f32[8,700]\n store %o[:, :], %c\n";
    let bodies = [
        // What was there goes to another output, before and after.
        format!("{load} store %p[:, :], %a\n {sum}"),
        format!("{load} {sum} store %p[:, :], %a"),
        format!("{load} {sum} %d = mul %a, %b : f32[8,700]\n store %p[:, :], %d"),
        // Rows of it are summed, and the sums stored over part of it.
        format!(
            "{load} %s = reduce_sum %a axes=[1] : f32[8]
             %t = broadcast_in_dim %s shape=[8, 700] dims=[0] : f32[8,700]
             {sum} store %p[:, :], %t"
        ),
        format!("{load} {sum} %e = load %o[0:4, :] : f32[4,700]\n %f = exp %e : f32[4,700]\n store %o[2:6, :], %f"),
        format!("{load} %e = load %x[0:4, :] : f32[4,700]\n store %o[2:6, :], %e\n {sum}"),
        // Twice in one program, and crosswise.
        format!("{load} {sum} %d = load %o[:, :] : f32[8,700]\n %e = mul %d, %b : f32[8,700]\n store %o[:, :], %e"),
        format!(
            "{load} %d = load %p[:, :] : f32[8,700]
             %e = sub %b, %a : f32[8,700]
             store %p[:, :], %e
             %f = add %d, %b : f32[8,700]
             store %o[:, :], %f"
        ),
        // With numbers, those of the program among them.
        format!(
            "{load} %h = constant 0.25 : f32[]
             %t = broadcast_in_dim %h shape=[8, 700] dims=[] : f32[8,700]
             %d = mul %b, %t : f32[8,700]
             %n = convert_element_type %k dtype=f32 weak=false : f32[]
             %m = broadcast_in_dim %n shape=[8, 700] dims=[] : f32[8,700]
             %e = add %d, %m : f32[8,700]
             %f = add %a, %e : f32[8,700]
             store %o[:, :], %f"
        ),
        // With itself, and with what is no block of an input.
        "%a = load %o[:, :] : f32[8,700]
         %b = load %x[:, :] : f32[8,700]
         %c = mul %a, %a : f32[8,700]
         %d = sub %c, %b : f32[8,700]
         %e = tanh %d : f32[8,700]
         store %o[:, :], %e"
            .to_string(),
        format!(
            "{load} %s = reduce_max %b axes=[1] : f32[8]
             %t = broadcast_in_dim %s shape=[8, 700] dims=[0] : f32[8,700]
             %d = sub %a, %t : f32[8,700]
             store %o[:, :], %d"
        ),
    ];
    for body in &bodies {
        for count in [1, 3, 12] {
            same("f32", count, ZEROS, body);
        }
    }
}
