//! Which chains are found, and that they compute what the ops compute one by one.

use crate::hooks::NoHooks;
use crate::later::{Later, Window, block_layout};
use crate::machine::{Machine, Value, registers};
use crate::memory::{Memory, View};
use crate::tape::{Action, Block, FusedEnd, Tape};
use pallas_ir::Interpretation;
use pallas_ir::text::parse_function;
use pallas_tensor::{Array, DType, Scalar, Shape};
use std::rc::Rc;

/// What the steps of a block are, in a word or two.
fn steps(block: &Block, tape: &Tape) -> Vec<String> {
    let name = |action: &Action| match action {
        Action::Fused(fused) => {
            let chain = &tape.chains[fused.chain];
            let end = match &fused.end {
                FusedEnd::Tile => "tile".to_string(),
                FusedEnd::Store(_) => "store".to_string(),
                FusedEnd::Reduce { op, keeps, .. } => format!("{op:?}{}", if *keeps { " and rows" } else { "" }),
            };
            format!("{} of {} to {end}", chain.len(), chain.reads())
        }
        Action::Product(product) if product.onto.is_some() => "product onto".to_string(),
        Action::Product(_) => "product".to_string(),
        Action::Window(_) => "window".to_string(),
        Action::Load(..) => "load".to_string(),
        Action::Store(..) => "store".to_string(),
        Action::Pure(_) => "op".to_string(),
        Action::For(_) => "for".to_string(),
        _ => "other".to_string(),
    };
    block.steps.iter().map(|step| name(&step.action)).collect()
}

fn of(text: &str) -> Vec<String> {
    let function = parse_function(text).expect("well written");
    let tape = Tape::both(&function).expect("well formed");
    steps(tape.fused.as_ref().expect("asked for"), &tape)
}

#[test]
fn what_lies_apart_is_reduced_as_it_is_computed_where_the_caches_hold_it() {
    let weighted = |tokens: usize| {
        of(&format!(
            "func @f(%w: f32[8,{tokens}], %v: ref<f32[8,{tokens},64]>, %o: ref<f32[8,64]>) {{
              %0 = load %v[:, :, :] : f32[8,{tokens},64]
              %1 = broadcast_in_dim %w shape=[8, {tokens}, 64] dims=[0, 1] : f32[8,{tokens},64]
              %2 = mul %1, %0 : f32[8,{tokens},64]
              %3 = reduce_sum %2 axes=[1] : f32[8,64]
              store %o[:, :], %3
            }}"
        ))
    };
    assert_eq!(weighted(16), ["window", "1 of 2 to Sum", "store"]);
    assert_eq!(weighted(4096), ["window", "1 of 2 to tile", "op", "store"]);
}

#[test]
fn scalars_stand_in_registers_by_value_also_where_chains_read_them() {
    let scaled = "func @f(%t: ref<i32[4]>, %x: f32[8,64], %o: ref<f32[8,64]>) {
      %0 = program_id axis=0 : i32[]
      %1 = load %t[%0] : i32[]
      %2 = constant 16 : i32[]
      %3 = mul %1, %2 : i32[]
      %4 = iota dtype=i32 shape=[8, 64] axis=1 : i32[8,64]
      %5 = broadcast_in_dim %3 shape=[8, 64] dims=[] : i32[8,64]
      %6 = lt %4, %5 : bool[8,64]
      %7 = neg %x : f32[8,64]
      %8 = select_n %6, %7, %x : f32[8,64]
      store %o[:, :], %8
    }";
    let function = parse_function(scaled).expect("well written");
    let tape = Tape::both(&function).expect("well formed");
    let fused = tape.fused.as_ref().expect("asked for");
    let by_value = |action: &Action| matches!(action, Action::Number(_) | Action::Element(_));
    assert_eq!(fused.steps.iter().filter(|step| by_value(&step.action)).count(), 3, "{:?}", steps(fused, &tape));
}

#[test]
fn rows_are_reduced_as_they_are_computed_and_kept_where_others_read_them() {
    let softmax = "func @f(%x: ref<f32[8,64]>, %o: ref<f32[8,64]>) {
      %0 = load %x[:, :] : f32[8,64]
      %1 = reduce_max %0 axes=[1] : f32[8]
      %2 = broadcast_in_dim %1 shape=[8, 1] dims=[0] : f32[8,1]
      %3 = broadcast_in_dim %2 shape=[8, 64] dims=[0, 1] : f32[8,64]
      %4 = sub %0, %3 : f32[8,64]
      %5 = exp %4 : f32[8,64]
      %6 = reduce_sum %5 axes=[1] : f32[8]
      %7 = broadcast_in_dim %6 shape=[8, 64] dims=[0] : f32[8,64]
      %8 = div %5, %7 : f32[8,64]
      store %o[:, :], %8
    }";
    assert_eq!(of(softmax), ["window", "0 of 1 to Max", "2 of 2 to Sum and rows", "1 of 2 to store"]);
}

#[test]
fn what_is_cheap_is_computed_for_each_of_its_readers() {
    let variance = |before: &str, centred: &str| {
        of(&format!(
            "func @f(%x: ref<f32[8,64]>, %m: ref<f32[8]>, %o: ref<f32[8,64]>) {{
      %0 = load %x[:, :] : f32[8,64]
      %1 = load %m[:] : f32[8]
      %2 = broadcast_in_dim %1 shape=[8, 64] dims=[0] : f32[8,64]
      {before}
      %4 = {centred}
      %5 = mul %4, %4 : f32[8,64]
      %6 = reduce_sum %5 axes=[1] : f32[8]
      %7 = broadcast_in_dim %6 shape=[8, 64] dims=[0] : f32[8,64]
      %8 = div %4, %7 : f32[8,64]
      store %o[:, :], %8
    }}"
        ))
    };
    let cheap = variance("", "sub %0, %2 : f32[8,64]");
    assert_eq!(cheap, ["window", "window", "2 of 2 to Sum", "2 of 3 to store"]);
    // What is dear is written down once, and so is what would need something else to be written down.
    let dear = variance("", "pow %0, %2 : f32[8,64]");
    assert_eq!(dear, ["window", "window", "1 of 2 to tile", "2 of 1 to Sum", "1 of 2 to store"]);
    let after = variance("%3 = exp %0 : f32[8,64]", "sub %3, %2 : f32[8,64]");
    assert_eq!(after, ["window", "window", "2 of 2 to tile", "2 of 1 to Sum", "1 of 2 to store"]);
}

#[test]
fn slices_are_part_of_what_is_read_and_partial_stores_take_chains() {
    let stencil = "func @f(%x: ref<f32[8,8]>, %o: ref<f32[8,8]>) {
      %0 = load %x[:, :] : f32[8,8]
      %1 = slice %0 start=[0, 1] limit=[6, 7] strides=[1, 1] : f32[6,6]
      %2 = slice %0 start=[2, 1] limit=[8, 7] strides=[1, 1] : f32[6,6]
      %3 = add %1, %2 : f32[6,6]
      store %o[:, :], %0
      store %o[1:7, 1:7], %3
    }";
    assert_eq!(of(stencil), ["window", "0 of 1 to store", "1 of 2 to store"]);
}

#[test]
fn what_somebody_else_reads_is_a_tile() {
    let text = "func @f(%x: f32[4,4], %y: f32[4,4]) {
      %0 = add %x, %y : f32[4,4]
      %1 = dot_general %0, %y contracting=[[1], [0]] batch=[[], []] : f32[4,4]
      %2 = mul %0, %1 : f32[4,4]
      %3 = exp %2 : f32[4,4]
      yield %3
    }";
    assert_eq!(of(text), ["1 of 2 to tile", "product", "2 of 2 to tile"]);
}

#[test]
fn refs_that_are_written_in_part_have_no_windows() {
    let text = "func @f(%x: ref<f32[8]>, %o: ref<f32[8]>) {
      %0 = load %x[:] : f32[8]
      %1 = load %x[0:4] : f32[4]
      store %x[4:8], %1
      %2 = neg %0 : f32[8]
      store %o[:], %2
    }";
    assert_eq!(of(text), ["load", "load", "0 of 1 to store", "1 of 1 to store"]);
}

#[test]
fn products_are_added_where_the_ref_lies_unless_something_is_written_in_between() {
    let text = |between: &str| {
        format!(
            "func @f(%x: ref<f32[40,24]>, %y: ref<f32[33,40]>, %o: ref<f32[24,33]>) {{
              %0 = load %o[:, :] : f32[24,33]
              %1 = load %x[:, :] : f32[40,24]
              %2 = load %y[:, :] : f32[33,40]
              %3 = dot_general %1, %2 contracting=[[0], [1]] batch=[[], []] : f32[24,33]
              {between}
              %4 = add %0, %3 : f32[24,33]
              store %o[:, :], %4
            }}"
        )
    };
    assert_eq!(of(&text("")), ["window", "window", "product onto"]);
    let written = "store %o[:, :], %3";
    assert_eq!(of(&text(written)), ["window", "window", "window", "product", "store", "1 of 2 to store"]);
    for between in ["", written] {
        let function = parse_function(&text(between)).expect("well written");
        let tape = Tape::both(&function).expect("well formed");
        let fused = run_on_refs(&tape, tape.fused.as_ref().expect("asked for"));
        assert!(same(&fused, &run_on_refs(&tape, &tape.body)));
    }
}

/// Runs one form of a function of Refs to inputs, which are windows on larger arrays, and to an output at last; gives the
/// output.
fn run_on_refs(tape: &Tape, body: &Block) -> Array {
    let mut random = Random(3);
    let mut memory = Memory::with_chains(tape);
    let mut refs = Vec::new();
    for shape in [[40, 24], [33, 40]] {
        let around = Shape::from([shape[0] + 3, shape[1] + 5]);
        let number = memory.add(values(&around, &mut random));
        let window = Window {
            array: Rc::new(memory.buffers[number].array.clone()),
            base: 2 * around[1] + 4,
            layout: block_layout(&around, &Shape::from(shape), |_| true),
            next: None,
        };
        memory.buffers[number].later = Some(Later::Block(window));
        refs.push(Value::reference(View::whole(number, &Shape::from(shape))));
    }
    let output = memory.add(values(&[24, 33], &mut random));
    refs.push(Value::reference(View::whole(output, &Shape::from([24, 33]))));
    let mut registers = registers(tape);
    let mut machine = Machine {
        registers: &mut registers,
        memory: &mut memory,
        ids: &[],
        grid: &[],
        hooks: &mut NoHooks,
        tape,
        interpretation: Interpretation::Unsaid,
        places: None,
    };
    machine.enter(body, refs);
    machine.run(body).expect("runs");
    memory.settle(output).expect("a block");
    memory.buffers[output].array.clone()
}

/// Runs one form of a function of tiles.
fn run(tape: &Tape, body: &Block, args: &[Array]) -> Vec<Array> {
    let mut registers = registers(tape);
    let mut machine = Machine {
        registers: &mut registers,
        memory: &mut Memory::with_chains(tape),
        ids: &[],
        grid: &[],
        hooks: &mut NoHooks,
        tape,
        interpretation: Interpretation::Unsaid,
        places: None,
    };
    machine.enter(body, args.iter().cloned().map(Value::Tile));
    machine.run(body).expect("runs");
    let values = machine.yields(body).expect("yields");
    values
        .into_iter()
        .map(|value| match value {
            Value::Tile(tile) => tile,
            other => panic!("a tile was expected, found {other:?}"),
        })
        .collect()
}

/// A generator of small numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A function of elementwise ops, moves and reductions of a matrix, a row and a column.
fn program(random: &mut Random, rows: usize, columns: usize) -> String {
    let matrix = format!("f32[{rows},{columns}]");
    let mut text = format!("func @f(%x: {matrix}, %r: f32[{columns}], %c: f32[{rows}]) {{\n");
    let mut matrices = vec!["%x".to_string()];
    let mut kept = Vec::new();
    for number in 0..4 + random.below(14) {
        let pick = |random: &mut Random, of: &[String]| of[random.below(of.len())].clone();
        let (a, b) = (pick(random, &matrices), pick(random, &matrices));
        let name = format!("%v{number}");
        match random.below(12) {
            0 => text += &format!("{name} = broadcast_in_dim %r shape=[{rows}, {columns}] dims=[1] : {matrix}\n"),
            1 => text += &format!("{name} = broadcast_in_dim %c shape=[{rows}, {columns}] dims=[0] : {matrix}\n"),
            2 => {
                text += &format!("%s{number} = constant 1.25 : f32[]\n");
                text += &format!("{name} = broadcast_in_dim %s{number} shape=[{rows}, {columns}] dims=[] : {matrix}\n");
            }
            3 => {
                let op = ["reduce_sum", "reduce_max", "reduce_min"][random.below(3)];
                // Along rows, or down columns.
                let (axis, size) = if random.below(3) == 0 { (0, columns) } else { (1, rows) };
                let stays = 1 - axis;
                text += &format!("%s{number} = {op} {a} axes=[{axis}] : f32[{size}]\n");
                text += &format!(
                    "{name} = broadcast_in_dim %s{number} shape=[{rows}, {columns}] dims=[{stays}] : {matrix}\n"
                );
                kept.push(format!("%s{number}"));
            }
            4 => {
                text += &format!("%m{number} = lt {a}, {b} : bool[{rows},{columns}]\n");
                text += &format!("{name} = select_n %m{number}, {b}, {a} : {matrix}\n");
            }
            5 => text += &format!("{name} = transpose {a} permutation=[0, 1] : {matrix}\n"),
            6 => {
                let op = ["tanh", "exp", "neg", "abs", "sqrt", "floor", "logistic", "sin"][random.below(8)];
                text += &format!("{name} = {op} {a} : {matrix}\n");
            }
            7 => {
                text += &format!("%h{number} = convert_element_type {a} dtype=bf16 : bf16[{rows},{columns}]\n");
                text += &format!("%g{number} = add %h{number}, %h{number} : bf16[{rows},{columns}]\n");
                text += &format!("{name} = convert_element_type %g{number} dtype=f32 : {matrix}\n");
            }
            _ => {
                let op = ["add", "sub", "mul", "div", "max", "min"][random.below(6)];
                text += &format!("{name} = {op} {a}, {b} : {matrix}\n");
            }
        }
        matrices.push(name);
    }
    kept.push(matrices[matrices.len() - 1].clone());
    kept.push(matrices[random.below(matrices.len())].clone());
    text + &format!("yield {}\n}}", kept.join(", "))
}

fn values(shape: &[usize], random: &mut Random) -> Array {
    let size = shape.iter().product();
    let special = [0.0, -0.0, 1e-40, -1e-39, f64::INFINITY, -f64::INFINITY, 1e30, f64::NAN];
    let value = |random: &mut Random| match random.below(20) {
        0 => special[random.below(special.len())],
        _ => random.below(4000) as f64 / 500.0 - 4.0,
    };
    let values: Vec<Scalar> = (0..size).map(|_| Scalar::Float(value(random))).collect();
    Array::from_scalars(DType::F32, shape, &values).expect("as many")
}

/// Whether two arrays have the same bits; any NaN is as good as another.
fn same(left: &Array, right: &Array) -> bool {
    let bits = |array: &Array| -> Vec<u32> {
        let elements = array.elements::<f32>().expect("floats").iter();
        elements.map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }).collect()
    };
    left.shape() == right.shape() && bits(left) == bits(right)
}

#[test]
fn chains_give_the_bits_of_their_ops_one_by_one() {
    let mut random = Random(7);
    let mut fused = 0;
    for round in 0..340 {
        let (rows, columns) = ([1, 3, 8, 40][random.below(4)], [1, 7, 32, 100, 1056, 2500][random.below(6)]);
        let text = program(&mut random, rows, columns);
        let function = parse_function(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let args =
            [values(&[rows, columns], &mut random), values(&[columns], &mut random), values(&[rows], &mut random)];
        let tape = Tape::both(&function).expect("well formed");
        fused += tape.chains.len();
        let chains = run(&tape, tape.fused.as_ref().expect("asked for"), &args);
        for (one, many) in run(&tape, &tape.body, &args).iter().zip(&chains) {
            assert!(same(one, many), "round {round}: {text}");
        }
    }
    assert!(fused > 600, "{fused} chains");
}
