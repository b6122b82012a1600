//! Sums that the first round of a loop sets and others add to: no round asks which one it is, and zeros have the signs that they have
//! where nothing is added to the first term. Sums that somebody looks at in the first round stay as they are.

use pallas_ir::Launch;
use pallas_ir::text::parse_launch;
use pallas_simt::ir::Op;
use pallas_simt::sim::run;
use pallas_simt::{Architecture, Options, compile_with};
use pallas_tensor::{Array, DType, Scalar};

const FUEL: u64 = 1_000_000;

/// How a term becomes part of a sum, by its name.
const WAYS: [&str; 4] = ["two branches", "one branch", "selected", "selected zero"];

/// A sum of rounds along the last axis of the grid; `term` says what `%p` is.
fn launch(operands: &str, ty: &str, term: &str, way: &str) -> Launch {
    let add = "%s = load %o_ref[:, :] : TY
      %t = add %s, %p : TY
      store %o_ref[:, :], %t";
    let sum = match way {
        "two branches" => format!(
            "cond %first {{ }} {{
      store %o_ref[:, :], %p
    }}
    %later = gt %k, %zero : bool[]
    cond %later {{ }} {{
      {add}
    }}"
        ),
        "one branch" => format!(
            "cond %first {{
      {add}
    }} {{
      store %o_ref[:, :], %p
    }}"
        ),
        "twice" => format!(
            "cond %first {{
      %q = add %p, %p : TY
      {}
    }} {{
      store %o_ref[:, :], %p
    }}",
            add.replace("%s, %p", "%s, %q")
        ),
        "selected" => "%s = load %o_ref[:, :] : TY
    %t = add %s, %p : TY
    %all = broadcast_in_dim %first shape=SHAPE dims=[] : bool[DIMS]
    %u = select_n %all, %t, %p : TY
    store %o_ref[:, :], %u"
            .to_string(),
        _ => "%s = load %o_ref[:, :] : TY
    %none = constant 0.0 : f32[]
    %cast = convert_element_type %none dtype=ELEMENT weak=false : ELEMENT[]
    %nothing = broadcast_in_dim %cast shape=SHAPE dims=[] : TY
    %all = broadcast_in_dim %first shape=SHAPE dims=[] : bool[DIMS]
    %u = select_n %all, %s, %nothing : TY
    %t = add %p, %u : TY
    store %o_ref[:, :], %t"
            .to_string(),
    };
    let (dtype, dims) = ty.trim_end_matches(']').split_once('[').expect("a type");
    let refs: Vec<String> = operands
        .lines()
        .filter_map(|line| line.trim().strip_prefix("input @"))
        .map(|line| {
            let (name, rest) = line.split_once(": ").expect("a type");
            let (dtype, rest) = rest.split_once('[').expect("a shape");
            let (_, rest) = rest.split_once("block=[").expect("a block");
            format!("%{name}: ref<{dtype}[{}]>", rest.split_once(']').expect("its end").0.replace(' ', ""))
        })
        .collect();
    let text = format!(
        "launch grid=[1, 1, 3] {{
  {operands}
  output @o_ref: TY block=SHAPE map @o(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %j }}
  kernel @sum({}, %o_ref: ref<TY>) {{
    %k = program_id axis=2 : i32[]
    %zero = constant 0 : i32[]
    %first = eq %k, %zero : bool[]
    {term}
    {sum}
  }}
}}
",
        refs.join(", ")
    );
    let shape = format!("[{}]", dims.replace(',', ", "));
    let text = text.replace("TY", ty).replace("SHAPE", &shape).replace("DIMS", dims).replace("ELEMENT", dtype);
    parse_launch(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// What comes out, and how many branches and selections were left.
fn found(launch: &Launch, capability: u32, inputs: &[Array]) -> (Vec<f64>, usize) {
    let program = compile_with(launch, Options::new(Architecture::new(capability))).expect("a program");
    let mut asked = 0;
    program.kernel.body.walk(&mut |inst| {
        asked += usize::from(match &inst.op {
            Op::Switch => true,
            Op::Scalar(op, _) => op.name == "select_n",
            _ => false,
        });
    });
    let (outputs, report) = run(&program, inputs, FUEL).expect("it runs");
    assert!(report.is_clean(), "{:?}", report.complaints);
    (outputs[0].iter_scalars().map(|number| number.as_f64().expect("a number")).collect(), asked)
}

fn full(dtype: DType, shape: [usize; 2], number: f64) -> Array {
    Array::full(dtype, shape.as_slice(), Scalar::Float(number).cast(dtype)).expect("an array")
}

const BLOCK: &str = "map @x(%i: i32[], %j: i32[], %k: i32[]) { yield %k, %j }";

#[test]
fn what_is_no_product_begins_with_the_number_that_changes_none() {
    for (dtype, numbers) in [("f32", [-0.0, 0.0, 1.5]), ("bf16", [-0.0, 0.0, 1.5]), ("i32", [0.0, 3.0, -7.0])] {
        let x = format!("input @x_ref: {dtype}[24,32] block=[8, 32] {BLOCK}");
        let ty = format!("{dtype}[8,32]");
        for way in WAYS {
            let launch = launch(&x, &ty, &format!("%p = load %x_ref[:, :] : {ty}"), way);
            let dtype = launch.operands[0].array.dtype;
            for number in numbers {
                let (sums, asked) = found(&launch, 80, &[full(dtype, [24, 32], number)]);
                assert_eq!(asked, 0, "{way} of {dtype:?}");
                // A selected 0 is added, and -0.0 is 0 then.
                let sum = if way == "selected zero" { 0.0 + 3.0 * number } else { 3.0 * number };
                let same = |found: &f64| found.to_bits() == sum.to_bits();
                assert!(sums.iter().all(same), "{way} of {dtype:?} {number}: {} is {sum}", sums[0]);
            }
        }
    }
}

#[test]
fn a_product_begins_with_the_zero_that_it_was_summed_up_from() {
    let term = "%x = load %x_ref[:, :] : T[M,32]
    %y = load %y_ref[:, :] : T[32,32]
    %p = dot_general %x, %y contracting=[[1], [0]] batch=[[], []] dtype=f32 : f32[M,32]";
    for (dtype, rows) in [("bf16", 64), ("bf16", 32), ("f32", 32)] {
        let operands = format!(
            "input @x_ref: {dtype}[{rows},96] block=[{rows}, 32] map @x(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %k }}
  input @y_ref: {dtype}[96,32] block=[32, 32] {BLOCK}"
        );
        let term = term.replace('M', &rows.to_string()).replace("T[", &format!("{dtype}["));
        for way in WAYS {
            let launch = launch(&operands, &format!("f32[{rows},32]"), &term, way);
            let dtype = launch.operands[0].array.dtype;
            let inputs = |number: f64| [full(dtype, [rows, 96], number), full(dtype, [96, 32], -1.0)];
            for capability in [80, 90] {
                // All terms are -0.0, which added to 0 are 0.
                for number in [0.0, 0.5] {
                    let (sums, asked) = found(&launch, capability, &inputs(number));
                    assert_eq!(asked, 0, "{way} of {dtype:?} for {capability}");
                    let sum = 0.0 - 96.0 * number;
                    let same = |found: &f64| found.to_bits() == sum.to_bits();
                    assert!(sums.iter().all(same), "{way} of {dtype:?} for {capability}: {} is {sum}", sums[0]);
                }
            }
        }
    }
}

#[test]
fn what_others_add_is_what_the_first_round_sets() {
    let x = format!("input @x_ref: f32[24,32] block=[8, 32] {BLOCK}");
    let launch = launch(&x, "f32[8,32]", "%p = load %x_ref[:, :] : f32[8,32]", "twice");
    let (sums, asked) = found(&launch, 80, &[full(DType::F32, [24, 32], 1.5)]);
    assert_eq!(sums, [1.5 + 2.0 * 3.0; 8 * 32]);
    assert!(asked > 0, "rounds differ");
}
