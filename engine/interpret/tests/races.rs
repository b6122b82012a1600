//! Accesses that race, and copies that come late: what is found, what is not, and what comes out then.

use pallas_interpret::{EngineKind, Hazard, Hooks, MissingEdge, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, DType, Scalar};

/// Looks for races; copies as late as may be, or drawn by a seed.
#[derive(Default)]
struct Watcher {
    found: Vec<Hazard>,
    late: bool,
    seed: Option<u64>,
}

impl Hooks for Watcher {
    fn wants_races(&self, _launch_has_agents: bool) -> bool {
        true
    }

    fn hazard(&mut self, hazard: &Hazard) {
        self.found.push(hazard.clone());
    }

    fn late(&self) -> bool {
        self.late
    }

    fn schedule(&self) -> Option<u64> {
        self.seed
    }
}

impl Watcher {
    fn missing(&self) -> Vec<MissingEdge> {
        let edge = |hazard: &Hazard| match hazard {
            Hazard::Race { missing, .. } => Some(*missing),
            Hazard::Unawaited { .. } | Hazard::Unwritten { .. } | Hazard::Early { .. } => None,
        };
        self.found.iter().filter_map(edge).collect()
    }
}

fn numbers(array: &Array) -> Vec<i128> {
    (0..array.size()).filter_map(|at| array.get(at)).filter_map(Scalar::as_int).collect()
}

fn input() -> Array {
    Array::full(DType::I32, [4], Scalar::Int(5)).expect("small")
}

/// One thread with a slot of shared memory, a barrier, an input and an output.
fn one_thread(body: &str) -> String {
    format!(
        "launch grid=[] {{
  input @x: i32[4] block=[4] space=gmem
  output @o: i32[4] block=[4] space=gmem
  scratch ref<i32[4], shared>
  scratch ref<i32[1], barrier(1)>
  kernel @kernel(%x: ref<i32[4], gmem>, %o: ref<i32[4], gmem>, %slot: ref<i32[4], shared>, %filled: ref<i32[1], barrier(1)>) {{
    %one = constant 1 : i32[]
    %ones = broadcast_in_dim %one shape=[4] dims=[] : i32[4]
    {body}
  }}
}}"
    )
}

fn watched(text: &str, watcher: &mut Watcher) -> Vec<i128> {
    let launch = parse_launch(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let inputs = launch.operands.iter().filter(|operand| operand.name.starts_with('x')).map(|_| input()).collect();
    let outputs = run_launch(&launch, inputs, watcher).unwrap_or_else(|error| panic!("{error}\n{text}"));
    numbers(&outputs[0])
}

const COPIED: &str = "%v = load %slot[0:4] : i32[4]\n    store %o[0:4], %v";

#[test]
fn a_copy_that_is_waited_for_races_with_nothing() {
    let text = one_thread(&format!("copy_in %x, %slot, %filled\n    barrier_wait %filled\n    {COPIED}"));
    for (late, seed) in [(false, None), (true, None), (false, Some(1)), (false, Some(2))] {
        let mut watcher = Watcher { late, seed, ..Watcher::default() };
        assert_eq!(watched(&text, &mut watcher), [5; 4]);
        assert!(watcher.found.is_empty(), "{:?}", watcher.found);
    }
}

#[test]
fn a_copy_that_is_not_waited_for_races_with_its_use_and_may_come_late() {
    let text = one_thread(&format!("copy_in %x, %slot, %filled\n    {COPIED}\n    barrier_wait %filled"));
    let mut watcher = Watcher::default();
    assert_eq!(watched(&text, &mut watcher), [5; 4]);
    assert_eq!(watcher.missing(), [MissingEdge::Wait]);
    let Hazard::Race { name, accesses, .. } = &watcher.found[0] else { panic!("{:?}", watcher.found) };
    assert_eq!((&**name, accesses[0].engine, accesses[1].engine), ("slot", Some(EngineKind::Copy), None));
    assert_eq!((accesses[0].writes, accesses[1].writes), (true, false));
    // The same race, whether the copy was early or late; only what comes out is another thing.
    let mut watcher = Watcher { late: true, ..Watcher::default() };
    assert_ne!(watched(&text, &mut watcher), [5; 4]);
    assert_eq!(watcher.missing(), [MissingEdge::Wait]);
}

#[test]
fn engines_see_what_has_been_committed() {
    let written = |commit: &str| {
        one_thread(&format!("store %slot[0:4], %ones\n    {commit}\n    copy_out %slot, %o\n    copy_drain count=0"))
    };
    let mut watcher = Watcher::default();
    assert_eq!(watched(&written(""), &mut watcher), [1; 4]);
    assert_eq!(watcher.missing(), [MissingEdge::Commit]);
    let mut watcher = Watcher::default();
    assert_eq!(watched(&written("fence what=\"shared\""), &mut watcher), [1; 4]);
    assert!(watcher.found.is_empty(), "{:?}", watcher.found);
}

#[test]
fn a_slot_that_is_written_while_it_is_copied_out_shows_in_late_copies() {
    let written = |drain: &str| {
        one_thread(&format!(
            "store %slot[0:4], %ones
    fence what=\"shared\"
    copy_out %slot, %o
    {drain}
    %v = load %x[0:4] : i32[4]
    store %slot[0:4], %v
    copy_drain count=0"
        ))
    };
    let mut watcher = Watcher { late: true, ..Watcher::default() };
    assert_eq!(watched(&written(""), &mut watcher), [5; 4]);
    assert_eq!(watcher.missing(), [MissingEdge::Wait]);
    // It is enough that the copy has read its source.
    for drain in ["copy_drain count=0", "copy_drain count=0 read_only=true"] {
        let mut watcher = Watcher { late: true, ..Watcher::default() };
        assert_eq!(watched(&written(drain), &mut watcher), [1; 4], "{drain}");
        assert!(watcher.found.is_empty(), "{drain}: {:?}", watcher.found);
    }
}

#[test]
fn a_copy_under_way_at_the_end_is_named() {
    let text = one_thread("copy_out %slot, %o");
    let mut watcher = Watcher::default();
    watched(&text, &mut watcher);
    // That nobody has filled the slot is another matter.
    let is_named = |hazard: &Hazard| matches!(hazard, Hazard::Unawaited { who, .. } if who == "thread 0");
    assert!(watcher.found.iter().any(is_named), "{:?}", watcher.found);
}

#[test]
fn blocks_of_a_grid_race_where_they_share_elements() {
    let text = |index: &str| {
        format!(
            "launch grid=[4] semantics=[parallel] {{
  output @o: i32[4] block=[4] space=gmem
  scratch ref<i32[1], barrier(1)>
  kernel @kernel(%o: ref<i32[4], gmem>, %met: ref<i32[1], barrier(1)>) {{
    %i = program_id axis=0 : i32[]
    barrier_arrive %met
    barrier_wait %met
    store %o[{index}], %i
  }}
}}"
        )
    };
    let mut watcher = Watcher::default();
    watched(&text("0"), &mut watcher);
    assert_eq!(watcher.missing(), [MissingEdge::Programs]);
    let mut watcher = Watcher::default();
    assert_eq!(watched(&text("%i"), &mut watcher), [0, 1, 2, 3]);
    assert!(watcher.found.is_empty(), "{:?}", watcher.found);
}

#[test]
fn threads_are_ordered_by_what_they_wait_for_and_by_nothing_else() {
    let text = |arrive: &str, wait: &str| {
        format!(
            "launch grid=[2] semantics=[thread] {{
  output @o: i32[4] block=[4] space=gmem
  scratch ref<i32[4], shared>
  scratch ref<i32[1], barrier(1)>
  kernel @kernel(%o: ref<i32[4], gmem>, %slot: ref<i32[4], shared>, %ready: ref<i32[1], barrier(1)>) {{
    %thread = program_id axis=0 : i32[]
    cond %thread {{
      store %slot[1], %thread
      {arrive}
    }} {{
      {wait}
      %v = load %slot[0:2] : i32[2]
      store %o[0:2], %v
    }}
  }}
}}"
        )
    };
    let mut watcher = Watcher::default();
    watched(&text("barrier_arrive %ready", "barrier_wait %ready"), &mut watcher);
    assert!(watcher.found.is_empty(), "{:?}", watcher.found);
    let mut watcher = Watcher::default();
    watched(&text("", ""), &mut watcher);
    assert_eq!(watcher.missing(), [MissingEdge::Order]);
    let Hazard::Race { accesses, .. } = &watcher.found[0] else { panic!("{:?}", watcher.found) };
    assert_eq!((&*accesses[0].part, &*accesses[1].part), ("[1]", "[0:2]"));
    assert_eq!((&*accesses[0].who, &*accesses[1].who), ("thread 0", "thread 1"));
}

/// A copy between two Refs of a TPU kernel, waited for before or after its target is read.
fn tpu(first: &str, second: &str) -> String {
    format!(
        "launch grid=[] interpret=device[races] {{
  input @x: i32[4] block=[4] space=any
  output @o: i32[4] block=[4] space=any
  scratch ref<i32[4], vmem>
  scratch ref<i32[], dma_semaphore>
  kernel @kernel(%x: ref<i32[4], any>, %o: ref<i32[4], any>, %slot: ref<i32[4], vmem>, %sem: ref<i32[], dma_semaphore>) {{
    copy_start %x, %slot, %sem
    {first}
    {second}
  }}
}}"
    )
}

#[test]
fn copies_of_a_tpu_race_until_their_semaphore_has_been_waited_for() {
    let wait = "copy_wait %x, %slot, %sem";
    let mut watcher = Watcher::default();
    assert_eq!(watched(&tpu(wait, COPIED), &mut watcher), [5; 4]);
    assert!(watcher.found.is_empty(), "{:?}", watcher.found);
    let mut watcher = Watcher::default();
    watched(&tpu(COPIED, wait), &mut watcher);
    assert_eq!(watcher.missing(), [MissingEdge::Wait]);
}

#[test]
fn a_copy_past_the_end_of_main_memory_brings_zeros_and_leaves_the_rest_out() {
    // Elements 2..6 of four, of them 0..4 copied in; and 2..6 of the output, of them 0..4 copied out.
    let text = one_thread(
        "%two = constant 2 : i32[]
    %from = view %x[ds(%two, 4)] : ref<i32[4], gmem>
    %to = view %o[ds(%two, 4)] : ref<i32[4], gmem>
    store %o[0:4], %ones
    copy_in %from, %slot, %filled
    barrier_wait %filled
    %v = load %slot[0:4] : i32[4]
    %sum = add %v, %ones : i32[4]
    store %slot[0:4], %sum
    fence what=\"shared\"
    copy_out %slot, %to
    copy_drain count=0",
    );
    let mut watcher = Watcher::default();
    assert_eq!(watched(&text, &mut watcher), [1, 1, 6, 6]);
    assert!(watcher.found.is_empty(), "{:?}", watcher.found);
}

#[test]
fn memory_of_a_block_that_nobody_has_written_is_not_read() {
    let text = one_thread(COPIED);
    let mut watcher = Watcher::default();
    watched(&text, &mut watcher);
    let [Hazard::Unwritten { name, access }] = &*watcher.found else { panic!("{:?}", watcher.found) };
    assert_eq!((&**name, access.writes), ("slot", false));
}
