//! Threads, warps and clusters of GPU kernels: who waits for whom, and what is said when nobody can go on.

use pallas_interpret::{Hooks, NoHooks, RunErrorKind, run_launch};
use pallas_ir::function::{Location, LocationId};
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, DType, Scalar};

fn run(text: &str) -> Result<Vec<Array>, pallas_interpret::RunError> {
    run_launch(&parse_launch(text).expect("a launch"), Vec::new(), &mut NoHooks)
}

fn numbers(array: &Array) -> Vec<i128> {
    (0..array.size()).filter_map(|at| array.get(at)).filter_map(Scalar::as_int).collect()
}

/// Two threads; the second waits for the first, which does what `first` says.
fn two_threads(arrivals: usize, first: &str, second: &str) -> String {
    format!(
        "launch grid=[2] semantics=[thread] {{
  output @o: i32[2] block=[2] space=gmem
  scratch ref<i32[1], barrier({arrivals})>
  kernel @kernel(%o: ref<i32[2], gmem>, %ready: ref<i32[1], barrier({arrivals})>) {{
    %0 = program_id axis=0 : i32[]
    %1 = constant 7 : i32[]
    cond %0 {{
      store %o[0], %1
      {first}
    }} {{
      {second}
      %2 = load %o[0] : i32[]
      store %o[1], %2
    }}
  }}
}}"
    )
}

#[test]
fn a_thread_waits_for_another() {
    let outputs = run(&two_threads(1, "barrier_arrive %ready", "barrier_wait %ready")).expect("it runs");
    assert_eq!(numbers(&outputs[0]), [7, 7]);
}

/// Turns that a seed decides.
struct Seeded(u64);

impl Hooks for Seeded {
    fn schedule(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// One thread writes three times, the other sees each write before the next only if they take turns step by step.
const IN_STEP: &str = "launch grid=[2] semantics=[thread] {
  output @o: i32[4] block=[4] space=gmem
  kernel @kernel(%o: ref<i32[4], gmem>) {
    %0 = program_id axis=0 : i32[]
    %1 = constant 1 : i32[]
    cond %0 {
      store %o[0], %1
      store %o[1], %1
      store %o[2], %1
    } {
      %2 = load %o[0] : i32[]
      %3 = load %o[1] : i32[]
      %4 = load %o[1] : i32[]
      %5 = load %o[2] : i32[]
      %6 = eq %2, %1 : bool[]
      %7 = ne %3, %1 : bool[]
      %8 = eq %4, %1 : bool[]
      %9 = ne %5, %1 : bool[]
      %10 = and %6, %7 : bool[]
      %11 = and %8, %9 : bool[]
      %12 = and %10, %11 : bool[]
      %13 = convert_element_type %12 dtype=i32 weak=false : i32[]
      store %o[3], %13
    }
  }
}";

#[test]
fn a_race_that_one_schedule_in_a_hundred_shows_is_met_and_met_again() {
    let launch = parse_launch(IN_STEP).expect("a launch");
    let in_step = |seed: &u64| {
        let outputs = run_launch(&launch, Vec::new(), &mut Seeded(*seed)).expect("it runs");
        numbers(&outputs[0])[3] == 1
    };
    let outputs = run_launch(&launch, Vec::new(), &mut NoHooks).expect("it runs");
    assert_eq!(numbers(&outputs[0])[3], 0, "nobody is interrupted without a seed");
    let found: Vec<u64> = (0..1000).filter(in_step).collect();
    assert!((1..50).contains(&found.len()), "{found:?}");
    assert!(found.iter().all(in_step), "a seed is one schedule");
}

#[test]
fn what_is_ordered_by_a_barrier_comes_out_alike_in_all_schedules_and_a_race_does_not() {
    let ordered = parse_launch(&two_threads(1, "barrier_arrive %ready", "barrier_wait %ready")).expect("a launch");
    let racy = parse_launch(&two_threads(1, "", "")).expect("a launch");
    let mut seen = std::collections::HashSet::new();
    for seed in 0..32 {
        let outputs = run_launch(&ordered, Vec::new(), &mut Seeded(seed)).expect("it runs");
        assert_eq!(numbers(&outputs[0]), [7, 7], "seed {seed}");
        let outputs = run_launch(&racy, Vec::new(), &mut Seeded(seed)).expect("it runs");
        let again = run_launch(&racy, Vec::new(), &mut Seeded(seed)).expect("it runs");
        assert_eq!(numbers(&outputs[0]), numbers(&again[0]), "seed {seed}");
        seen.insert(numbers(&outputs[0]));
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn a_wait_that_nobody_ends_names_the_barrier_and_the_thread() {
    let error = run(&two_threads(2, "barrier_arrive %ready", "barrier_wait %ready")).expect_err("it waits");
    let RunErrorKind::Deadlock(message) = &error.kind else { panic!("{error}") };
    assert!(message.contains("thread 1 waits for phase 1 of ready, which has 1 of 2 arrivals"), "{message}");
    assert!(error.op.is_some());
    let error = run(&two_threads(1, "", "barrier_wait %ready")).expect_err("it waits");
    assert!(error.to_string().contains("Nothing in the kernel arrives there"), "{error}");
}

#[test]
fn a_wait_that_nobody_ends_shows_what_would_arrive() {
    let text = two_threads(2, "barrier_arrive %ready", "barrier_wait %ready");
    let mut launch = parse_launch(&text).expect("a launch");
    // Every op has a place of its own.
    for (number, op) in launch.kernel.ops.iter_mut().enumerate() {
        op.location = LocationId(number as u32);
    }
    let place = |number: u32| Location { calls: vec![Default::default(); number as usize], ..Location::default() };
    launch.kernel.locations = (0..launch.kernel.ops.len() as u32).map(place).collect();
    let error = run_launch(&launch, Vec::new(), &mut NoHooks).expect_err("it waits");
    let words: Vec<&str> = error.others().iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(words, ["this arrives at ready, where it is reached"]);
    let at = launch.kernel.ops.iter().position(|op| op.op.name == "barrier_arrive").expect("it arrives");
    assert_eq!(error.others()[0].0, place(at as u32));
}

#[test]
fn a_phase_that_nobody_has_seen_is_not_completed_again() {
    let twice = "barrier_arrive %ready\n      barrier_arrive %ready";
    let error = run(&two_threads(1, twice, "")).expect_err("a phase is lost");
    assert!(error.to_string().contains("completed again before previous completion was observed"), "{error}");
}

#[test]
fn blocks_of_a_cluster_reach_each_other() {
    let outputs = run("launch grid=[2] semantics=[cluster] {
  output @o: i32[2] block=[2] space=gmem
  scratch ref<i32[1], shared>
  scratch ref<i32[1], barrier(1, across [0])>
  kernel @kernel(%o: ref<i32[2], gmem>, %own: ref<i32[1], shared>, %met: ref<i32[1], barrier(1, across [0])>) {
    %0 = program_id axis=0 : i32[]
    %1 = constant 1 : i32[]
    %2 = constant 10 : i32[]
    %3 = mul %0, %2 : i32[]
    store %own[0], %3
    barrier_arrive %met
    barrier_wait %met
    %4 = sub %1, %0 : i32[]
    %5 = reach %own, %4 what=\"cluster\" axes=[0] : ref<i32[1], shared>
    %6 = load %5[0] : i32[]
    store %o[%0], %6
  }
}")
    .expect("it runs");
    assert_eq!(numbers(&outputs[0]), [10, 0]);
}

#[test]
fn warps_run_at_the_same_time() {
    // Warp 0 waits for what warp 3 says.
    let outputs = run("launch grid=[] {
  output @o: i32[4] block=[4] space=gmem
  scratch ref<i32[1], barrier(1)>
  kernel @kernel(%o: ref<i32[4], gmem>, %ready: ref<i32[1], barrier(1)>) {
    %0 = constant 0 : i32[]
    %1 = constant 4 : i32[]
    %2 = constant 3 : i32[]
    for %0, %1 together=true (%w: i32[]) {
      store %o[%w], %w
      %3 = eq %w, %0 : bool[]
      cond %3 { } {
        barrier_wait %ready
        %4 = load %o[3] : i32[]
        store %o[0], %4
      }
      %5 = eq %w, %2 : bool[]
      cond %5 { } {
        barrier_arrive %ready
      }
    }
  }
}")
    .expect("it runs");
    assert_eq!(numbers(&outputs[0]), [3, 1, 2, 3]);
    assert_eq!(outputs[0].dtype(), DType::I32);
}
