//! Devices of a mesh and cores of a device: what they send each other, who waits for whom, and what is said when nobody can go
//! on.

use pallas_interpret::{Hooks, NoHooks, RunErrorKind, UnmatchedSemaphore, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, Scalar};

fn numbers(array: &Array) -> Vec<i128> {
    (0..array.size()).filter_map(|at| array.get(at)).filter_map(Scalar::as_int).collect()
}

/// Four devices with an element each; `body` sees `%me`, `%right`, the barrier semaphore `%b` and a semaphore `%s`.
fn four_devices(options: &str, body: &str) -> String {
    format!(
        "launch grid=[4] semantics=[device] interpret=device[{options}] {{
  input @x: i32[4,1] block=[squeezed, 1] space=any map @m(%d: i32[]) {{ %z = constant 0 : i32[] yield %d, %z }}
  output @o: i32[4,1] block=[squeezed, 1] space=any map @m(%d: i32[]) {{ %z = constant 0 : i32[] yield %d, %z }}
  scratch ref<i32[], dma_semaphore>
  scratch ref<i32[], dma_semaphore>
  scratch ref<i32[], semaphore>
  kernel @kernel(%x: ref<i32[1], any>, %o: ref<i32[1], any>, %send: ref<i32[], dma_semaphore>, %recv: ref<i32[], dma_semaphore>, %s: ref<i32[], semaphore>) {{
    %me = program_id axis=0 : i32[]
    %one = constant 1 : i32[]
    %two = constant 2 : i32[]
    %four = constant 4 : i32[]
    %next = add %me, %one : i32[]
    %right = rem %next, %four : i32[]
    %b = barrier_semaphore : ref<i32[], barrier_semaphore>
    {body}
  }}
}}"
    )
}

fn run(text: &str, hooks: &mut dyn Hooks) -> Result<Vec<i128>, pallas_interpret::RunError> {
    let launch = parse_launch(text).expect("a launch");
    let x = Array::from_i32s([4, 1], &[0, 1, 2, 3]).expect("a column");
    run_launch(&launch, vec![x], hooks).map(|outputs| numbers(&outputs[0]))
}

const SHIFT: &str = "copy_start %x, %o, %recv, %send, %right remote=true device=\"logical\"
    copy_wait %x, %o, %recv, %send, %right remote=true device=\"logical\" send=true
    copy_wait %x, %o, %recv, %send, %right remote=true device=\"logical\"";

/// Turns that a seed decides.
struct Seeded(u64);

impl Hooks for Seeded {
    fn schedule(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn devices_hand_on_in_a_ring_whenever_copies_move_and_in_all_schedules() {
    for options in ["", "eager"] {
        let text = four_devices(options, SHIFT);
        assert_eq!(run(&text, &mut NoHooks).expect("it runs"), [3, 0, 1, 2]);
        for seed in 0..16 {
            assert_eq!(run(&text, &mut Seeded(seed)).expect("it runs"), [3, 0, 1, 2], "seed {seed}");
        }
    }
}

#[test]
fn devices_that_wait_for_too_much_are_named() {
    let text = four_devices(
        "",
        "semaphore_signal %b, %one, %right device=\"logical\"
    semaphore_wait %b, %two",
    );
    let error = run(&text, &mut NoHooks).expect_err("a deadlock");
    assert!(matches!(error.kind, RunErrorKind::Deadlock(_)));
    let message = error.to_string();
    for device in 0..4 {
        let part = format!("device {device} waits for b to reach 2; it is at 1");
        assert!(message.contains(&part), "{message}");
    }
}

#[test]
fn a_device_beyond_the_mesh_is_an_error() {
    let text = four_devices("", "semaphore_signal %b, %one, %four device=\"logical\"");
    let message = run(&text, &mut NoHooks).expect_err("there is no device 4").to_string();
    assert!(message.contains("device 4 is named, but there are 4 devices, numbered from 0"), "{message}");
}

/// Hears what is left on semaphores.
#[derive(Default)]
struct Left(Vec<(String, i64)>);

impl Hooks for Left {
    fn unmatched(&mut self, semaphore: &UnmatchedSemaphore<'_>) {
        self.0.push((semaphore.name.to_string(), semaphore.count));
    }
}

#[test]
fn what_is_left_on_a_semaphore_names_the_device() {
    let mut left = Left::default();
    let text = four_devices("", "semaphore_signal %s, %two, %right device=\"logical\"\n    semaphore_wait %s, %one");
    run(&text, &mut left).expect("it runs");
    let expected: Vec<(String, i64)> = (0..4).map(|device| (format!("s of device {device}"), 1)).collect();
    assert_eq!(left.0, expected);
}

#[test]
fn cores_signal_each_other() {
    let text = "launch grid=[2] semantics=[core] {
  output @o: i32[2] block=[2] space=any
  scratch ref<i32[], semaphore>
  scratch ref<i32[1], vmem>
  kernel @kernel(%o: ref<i32[2], any>, %s: ref<i32[], semaphore>, %v: ref<i32[1], vmem>) {
    %me = program_id axis=0 : i32[]
    %one = constant 1 : i32[]
    %other = sub %one, %me : i32[]
    semaphore_signal %s, %one, %other core=true
    semaphore_wait %s, %one
    store %o[%me], %other
  }
}";
    let outputs = run_launch(&parse_launch(text).expect("a launch"), Vec::new(), &mut NoHooks).expect("it runs");
    assert_eq!(numbers(&outputs[0]), [1, 0]);
}
