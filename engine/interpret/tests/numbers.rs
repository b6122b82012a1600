//! Scalars that are computed from program ids stand in registers by value where nobody looks at single programs: what is
//! stored, selected and decided with them is what it is op by op.

use pallas_interpret::{Hooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::ops::{BinaryOp, CompareOp};
use pallas_tensor::{Array, DType};

/// Whether single programs are looked at.
struct Looks(bool);

impl Hooks for Looks {
    fn wants_programs(&self) -> bool {
        self.0
    }
}

/// The output of a launch, which is the same in both ways to run it.
fn output(text: &str, inputs: &[Array]) -> Array {
    let launch = parse_launch(text).unwrap_or_else(|error| panic!("{error:?}: {text}"));
    let run = |looks| run_launch(&launch, inputs.to_vec(), &mut Looks(looks)).expect("runs").remove(0);
    let (found, expected) = (run(false), run(true));
    assert!(found.same_bits(&expected), "{found:?} in the place of {expected:?}: {text}");
    found
}

/// Every program stores what `ops` makes of its ids `%i` and `%j`, where the ids say.
fn stored(ops: &str) -> Array {
    output(
        &format!(
            "launch grid=[5, 4] interpret=plain {{
  output @o: i32[5,4] block=[5, 4]
  kernel @k(%o: ref<i32[5,4]>) {{
    %a = program_id axis=0 : i32[]
    %b = program_id axis=1 : i32[]
    %two = constant 2 : i32[]
    %i = sub %a, %two : i32[]
    %j = sub %b, %two : i32[]
    {ops}
    store %o[%a, %b], %r
  }}
}}"
        ),
        &[],
    )
}

#[test]
fn integers_are_computed_as_tiles_are() {
    let mut known = 0;
    for op in BinaryOp::all().filter(|op| op.accepts(DType::I32) && *op != BinaryOp::Pow) {
        known += 1;
        let found = stored(&format!("%r = {} %i, %j : i32[]", op.name()));
        let pairs = (-2..3).flat_map(|i| (-2..2).map(move |j| (i, j)));
        let expected: Vec<i32> = pairs.map(|(i, j)| op.of_integers(i, j).expect("takes integers")).collect();
        assert_eq!(found.elements::<i32>(), Some(&expected[..]), "{}", op.name());
    }
    assert!(known > 10, "{known}");
    for op in CompareOp::all() {
        let ops =
            format!("%f = {} %i, %j : bool[]\n%r = convert_element_type %f dtype=i32 weak=false : i32[]", op.name());
        let found = stored(&ops);
        let pairs = (-2..3).flat_map(|i| (-2..2).map(move |j| (i, j)));
        let expected: Vec<i32> = pairs.map(|(i, j): (i32, i32)| op.holds(i, j).into()).collect();
        assert_eq!(found.elements::<i32>(), Some(&expected[..]), "{}", op.name());
    }
}

#[test]
fn chains_loops_and_branches_take_them() {
    let found = stored(
        "%f = convert_element_type %i dtype=bool weak=false : bool[]
    %g = convert_element_type %f dtype=i32 weak=false : i32[]
    %n = num_programs axis=1 : i32[]
    %c = cond %g { yield %n } { %m = mul %n, %i : i32[] yield %m } : i32[]
    %r = for %g, %n, %c (%k: i32[], %s: i32[]) { %t = add %s, %k : i32[] yield %t } : i32[]",
    );
    assert_eq!(found.get(0).and_then(|value| value.as_int()), Some(-8 + 1 + 2 + 3));
    assert_eq!(found.get(8).and_then(|value| value.as_int()), Some(4 + 6));
    let ones = Array::from_i32s([6], &[1; 6]).expect("six");
    let found = output(
        "launch grid=[3] interpret=plain {
  input @x: i32[6] block=[6]
  output @o: i32[3,6] block=[1, 6] map @m(%i: i32[]) { %zero = constant 0 : i32[] yield %i, %zero }
  kernel @k(%x: ref<i32[6]>, %o: ref<i32[1,6]>) {
    %i = program_id axis=0 : i32[]
    %three = constant 3 : i32[]
    %twice = add %i, %i : i32[]
    %at = rem %twice, %three : i32[]
    %from = view %x[ds(%at, 4)] : ref<i32[4]>
    %part = load %from[0] : i32[]
    %row = load %x[:] : i32[6]
    %wide = broadcast_in_dim %twice shape=[6] dims=[] : i32[6]
    %sum = add %row, %wide : i32[6]
    %lone = broadcast_in_dim %part shape=[6] dims=[] : i32[6]
    %all = add %sum, %lone : i32[6]
    %tile = reshape %all shape=[1, 6] : i32[1,6]
    store %o[:, :], %tile
  }
}",
        &[ones],
    );
    let expected: Vec<i32> = (0..18).map(|place| 2 + 2 * (place / 6)).collect();
    assert_eq!(found.elements::<i32>(), Some(&expected[..]));
}

#[test]
fn views_are_moved_inside_or_refused_as_before() {
    let run = |interpretation: &str, start: &str| {
        let text = format!(
            "launch grid=[4] interpret={interpretation} {{
  input @x: i32[6] block=[6]
  output @o: i32[4,2] block=[4, 2]
  kernel @k(%x: ref<i32[6]>, %o: ref<i32[4,2]>) {{
    %i = program_id axis=0 : i32[]
    %two = constant 2 : i32[]
    %at = {start} : i32[]
    %from = view %x[ds(%at, 2)] : ref<i32[2]>
    %part = load %from[:] : i32[2]
    store %o[%i, :], %part
  }}
}}"
        );
        let launch = parse_launch(&text).expect("well written");
        let x = Array::from_i32s([6], &[0, 1, 2, 3, 4, 5]).expect("six");
        let run = |looks| {
            let outputs = run_launch(&launch, vec![x.clone()], &mut Looks(looks));
            outputs.map(|outputs| outputs[0].elements::<i32>().map(<[i32]>::to_vec)).map_err(|error| error.to_string())
        };
        assert_eq!(run(false), run(true), "{text}");
        run(false)
    };
    assert_eq!(run("plain", "mul %i, %two"), Ok(Some(vec![0, 1, 2, 3, 4, 5, 4, 5])));
    assert_eq!(run("plain", "sub %i, %two"), Ok(Some(vec![4, 5, 4, 5, 0, 1, 1, 2])));
    assert!(run("device[]", "mul %i, %two").is_err());
}
