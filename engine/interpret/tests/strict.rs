//! Strict runs: what depends on memory that nobody has written is told with its program and its store, whatever way it took, and
//! what was proved runs as often as in other runs: once.

use pallas_interpret::{Cause, Hazard, Hooks, Undefined, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;

#[derive(Default)]
struct Strict {
    strict: bool,
    asked: usize,
    undefined: Vec<Undefined>,
    races: usize,
}

impl Hooks for Strict {
    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        false
    }

    fn is_strict(&self) -> bool {
        self.strict
    }

    fn undefined(&mut self, element: &Undefined) {
        self.undefined.push(element.clone());
    }

    fn hazard(&mut self, hazard: &Hazard) {
        self.races += usize::from(matches!(hazard, Hazard::Race { .. }));
    }
}

fn values(shape: &[usize]) -> Array {
    let size: usize = shape.iter().product();
    let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    Array::from_f32s(shape, &values).expect("as many")
}

/// Runs a launch strictly; its outputs are those of another run. Gives what was told, and whether programs ran once.
fn strict(text: &str, inputs: &[Array]) -> (Strict, bool) {
    let launch = parse_launch(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut plain = Strict::default();
    let expected = run_launch(&launch, inputs.to_vec(), &mut plain).expect("runs");
    assert!(plain.undefined.is_empty() && plain.races == 0);
    let mut hooks = Strict { strict: true, ..Strict::default() };
    let found = run_launch(&launch, inputs.to_vec(), &mut hooks).expect("runs");
    assert!(found.iter().zip(&expected).all(|(found, expected)| found.same_bits(expected)), "{text}");
    let once = hooks.asked == plain.asked;
    (hooks, once)
}

/// Sums over the columns of a row of blocks, four programs each. `INIT` is what programs do first.
const SUMS: &str = "launch grid=[3, 4] SEMANTICS {
  input @x: f32[6,ROWS] block=[2, 8] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  output @o: f32[6,8] block=[2, 8] map @n(%i: i32[], %j: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %z
  }
  kernel @k(%x: ref<f32[2,8]>, %o: ref<f32[2,8]>) {
    %i = program_id axis=0 : i32[]
    %j = program_id axis=1 : i32[]
    %zero = constant 0 : i32[]
    %nil = constant 0.0 : f32[]
    %nils = broadcast_in_dim %nil shape=[2, 8] dims=[] : f32[2,8]
    INIT
    %v = load %x[:, :] : f32[2,8]
    %a = load %o[:, :] : f32[2,8]
    %s = add %a, %v : f32[2,8]
    store %o[:, :], %s
  }
}";

const FIRST: &str = "%first = eq %j, %zero : bool[]
    cond %first { } { store %o[:, :], %nils }";

fn sums(init: &str, columns: usize) -> String {
    SUMS.replace("INIT", init).replace("ROWS", &columns.to_string()).replace("SEMANTICS ", "")
}

#[test]
fn an_accumulator_that_begins_with_each_block_is_proved() {
    let (told, once) = strict(&sums(FIRST, 32), &[values(&[6, 32])]);
    assert!(once && told.undefined.is_empty());
}

#[test]
fn an_accumulator_that_begins_in_another_program_is_told_with_its_store() {
    let late = FIRST.replace("eq %j", "gt %j");
    let (told, once) = strict(&sums(&late, 32), &[values(&[6, 32])]);
    // Programs 1, 2 and 3 of a row begin anew: what the first one left is gone.
    assert!(!once && told.undefined.is_empty());
    let never = FIRST.replace("eq %j, %zero", "gt %zero, %j");
    let (told, _) = strict(&sums(&never, 32), &[values(&[6, 32])]);
    let [found] = told.undefined.as_slice() else { panic!("{:?}", told.undefined) };
    assert_eq!(
        (found.name.as_str(), &found.element[..], found.count, found.cause),
        ("o", &[0, 0][..], 48, Cause::Memory)
    );
    assert_eq!(found.store.as_ref().map(|(_, ids)| &ids[..]), Some(&[0, 0][..]));
    let first_row = FIRST.replace("eq %j", "eq %i");
    let (told, _) = strict(&sums(&first_row, 32), &[values(&[6, 32])]);
    let [found] = told.undefined.as_slice() else { panic!("{:?}", told.undefined) };
    assert_eq!((&found.element[..], found.count), (&[2, 0][..], 32));
    assert_eq!(found.store.as_ref().map(|(_, ids)| &ids[..]), Some(&[1, 0][..]));
}

#[test]
fn whether_memory_is_written_may_depend_on_data() {
    // The block of the program whose data begins below -2.4 is not set to zero.
    let init = "%at = load %x[0, 0] : f32[]
    %low = constant -2.4 : f32[]
    %above = gt %at, %low : bool[]
    %first = eq %j, %zero : bool[]
    %both = and %first, %above : bool[]
    cond %both { } { store %o[:, :], %nils }";
    let fine = Array::full(pallas_tensor::DType::F32, [6, 32], pallas_tensor::Scalar::Float(1.0)).expect("small");
    let (told, once) = strict(&sums(init, 32), &[fine]);
    assert!(!once && told.undefined.is_empty(), "nothing is wrong with these numbers");
    let (told, _) = strict(&sums(init, 32), &[values(&[6, 32])]);
    let [found] = told.undefined.as_slice() else { panic!("{:?}", told.undefined) };
    assert_eq!((&found.element[..], found.count), (&[0, 0][..], 16));
}

#[test]
fn what_lies_past_the_end_is_told_where_it_reaches_an_output() {
    let (told, _) = strict(&sums(FIRST, 30), &[values(&[6, 30])]);
    let [found] = told.undefined.as_slice() else { panic!("{:?}", told.undefined) };
    assert_eq!((&found.element[..], found.count, found.cause), (&[0, 6][..], 12, Cause::Padding));
    assert_eq!(found.store.as_ref().map(|(_, ids)| &ids[..]), Some(&[0, 3][..]));
    let masked = "launch grid=[4] {
  input @x: f32[30] block=[8] map @m(%i: i32[]) { yield %i }
  output @o: f32[30] block=[8] map @m(%i: i32[]) { yield %i }
  kernel @k(%x: ref<f32[8]>, %o: ref<f32[8]>) {
    %v = load %x[:] : f32[8]
    %s = add %v, %v : f32[8]
    store %o[:], %s
  }
}";
    let (told, _) = strict(masked, &[values(&[30])]);
    assert!(told.undefined.is_empty(), "what goes past the end of the output is nobody's");
}

/// Interpret mode takes what lies where the mask is false: the result looks right.
const MASKED: &str = "launch grid=[2] {
  input @x: f32[2,8] block=[2, 8]
  output @o: f32[2] block=[2]
  kernel @k(%x: ref<f32[2,8]>, %o: ref<f32[2]>) {
    %i = program_id axis=0 : i32[]
    %at = iota dtype=i32 shape=[8] axis=0 : i32[8]
    %five = constant 5 : i32[]
    %fives = broadcast_in_dim %five shape=[8] dims=[] : i32[8]
    %mask = lt %at, %fives : bool[8]
    %nil = constant 0.0 : f32[]
    %nils = broadcast_in_dim %nil shape=[8] dims=[] : f32[8]
    %v = load %x[%i, [%at]] mask %mask OTHER : f32[8]
    %s = reduce_sum %v axes=[0] : f32[]
    store %o[%i], %s
  }
}";

#[test]
fn lanes_that_a_mask_leaves_out_are_told_where_they_reach_an_output() {
    let (hooks, _) = strict(&MASKED.replace("OTHER", ""), &[values(&[2, 8])]);
    let [found] = &hooks.undefined[..] else { panic!("{:?}", hooks.undefined) };
    assert_eq!((found.cause, &found.element[..], found.count), (Cause::Lanes, &[0][..], 2));
    let (hooks, once) = strict(&MASKED.replace("OTHER", "other %nils"), &[values(&[2, 8])]);
    assert!(hooks.undefined.is_empty() && !once, "an output that programs fill together is looked at");
}

#[test]
fn what_no_program_writes_has_no_store() {
    let text = sums("", 32)
        .replace("store %o[:, :], %s", "%h = slice %s start=[0, 0] limit=[2, 4] : f32[2,4]\n store %x[:, 0:4], %h");
    let text = text
        .replace("%a = load %o[:, :] : f32[2,8]", "")
        .replace("add %a, %v", "add %v, %v")
        .replace("store %x[:, 0:4]", "store %o[:, 0:4]");
    let (told, _) = strict(&text, &[values(&[6, 32])]);
    let [found] = told.undefined.as_slice() else { panic!("{:?}", told.undefined) };
    assert_eq!((&found.element[..], found.count, found.kept, &found.store), (&[0, 4][..], 24, true, &None));
}

#[test]
fn programs_that_run_at_once_and_write_to_one_block_race() {
    let text = SUMS.replace("INIT", FIRST).replace("ROWS", "32");
    let (told, once) = strict(&text.replace("SEMANTICS", "semantics=[parallel, arbitrary]"), &[values(&[6, 32])]);
    assert!(once && told.races == 0, "each row of blocks is one core's");
    let (told, _) = strict(&text.replace("SEMANTICS", "semantics=[parallel, parallel]"), &[values(&[6, 32])]);
    assert!(told.races > 0, "all programs of a row add to one block");
}

#[test]
fn memory_of_a_scope_is_another_one_for_each_program() {
    let text = "launch grid=[3] {
  output @o: f32[24] block=[8] map @m(%i: i32[]) { yield %i }
  kernel @k(%o: ref<f32[8]>) {
    %i = program_id axis=0 : i32[]
    %zero = constant 0 : i32[]
    %nil = constant 0.0 : f32[]
    %nils = broadcast_in_dim %nil shape=[8] dims=[] : f32[8]
    %first = eq %i, %zero : bool[]
    scoped (%r: ref<f32[8], vmem>) {
      cond %first { } { store %r[:], %nils }
      %v = load %r[:] : f32[8]
      store %o[:], %v
    }
  }
}";
    let (told, _) = strict(text, &[]);
    let [found] = told.undefined.as_slice() else { panic!("{:?}", told.undefined) };
    assert_eq!((&found.element[..], found.count, found.cause), (&[8][..], 16, Cause::Memory));
    assert_eq!(found.store.as_ref().map(|(_, ids)| &ids[..]), Some(&[1][..]));
}
