//! Launches on a device that is made up: what is asked of it, in which order, and what becomes of its failures.

use pallas_cuda::{
    Boxed, BufferId, Call, Device, DeviceInfo, Failure, FunctionId, GraphId, Memory, Rounds, Samples, Work, measure,
    median, run,
};
use pallas_simt::ir::{MemoryId, TensorMap};
use pallas_tensor::DType;
use std::collections::BTreeMap;

/// A device whose kernel adds one to every byte of its last parameter.
struct Fake {
    info: DeviceInfo,
    memory: BTreeMap<u64, Vec<u8>>,
    next: u64,
    room: usize,
    /// How often it says that it has not ended.
    busy: u64,
    rested: u64,
    fails: Option<Failure>,
    /// Boxes that were described.
    described: Vec<(BufferId, Vec<usize>, DType)>,
    /// For how many microseconds it says that it worked, run by run; 12.5 after that.
    took: Vec<f64>,
    /// Whether it records launches.
    records: bool,
    /// What was recorded and not forgotten: how many launches.
    graphs: BTreeMap<usize, usize>,
    started: usize,
    /// Why it is not waited for any more.
    given_up: Option<Failure>,
}

impl Fake {
    fn new() -> Fake {
        let info = DeviceInfo {
            name: "made up".to_string(),
            capability: (9, 0),
            memory: 1 << 20,
            multiprocessors: 2,
            shared_per_block: 1000,
        };
        Fake {
            info,
            memory: BTreeMap::new(),
            next: 1,
            room: 1 << 20,
            busy: 3,
            rested: 0,
            fails: None,
            described: Vec::new(),
            took: Vec::new(),
            records: true,
            graphs: BTreeMap::new(),
            started: 0,
            given_up: None,
        }
    }
}

impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn patience(&self) -> u64 {
        10
    }

    fn load(&mut self, cubin: &[u8], entry: &str, _: usize) -> Result<FunctionId, Failure> {
        assert_eq!((cubin, entry), (&b"code"[..], "kernel"));
        Ok(FunctionId(0))
    }

    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure> {
        assert!(bytes > 0, "a driver gives nothing for no bytes");
        let used: usize = self.memory.values().map(Vec::len).sum();
        if used + bytes > self.room {
            return Err(Failure::OutOfMemory { wanted: bytes, free: self.room - used });
        }
        self.next += 1;
        self.memory.insert(self.next, vec![0xAA; bytes]);
        Ok(BufferId(self.next))
    }

    fn describe(&mut self, buffer: BufferId, map: &TensorMap, dtype: DType) -> Result<BufferId, Failure> {
        assert!(self.memory.contains_key(&buffer.0), "a box of memory that is there");
        let number = 1000 + self.described.len() as u64;
        self.described.push((buffer, map.boxed.clone(), dtype));
        Ok(BufferId(number))
    }

    fn free(&mut self, buffer: BufferId) {
        if buffer.0 >= 1000 {
            return;
        }
        assert!(self.memory.remove(&buffer.0).is_some(), "given back twice");
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Failure> {
        self.memory.get_mut(&buffer.0).expect("memory")[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, bytes: &mut [u8]) -> Result<(), Failure> {
        bytes.copy_from_slice(&self.memory[&buffer.0][..bytes.len()]);
        Ok(())
    }

    fn start(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        self.started += 1;
        let last = call.buffers.last().expect("a parameter");
        self.memory.get_mut(&last.0).expect("memory").iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        Ok(())
    }

    fn record(&mut self, _: &Call<'_>, launches: usize) -> Result<GraphId, Failure> {
        if !self.records {
            return Err(Failure::Driver { call: "cuStreamBeginCapture", code: "not supported".to_string() });
        }
        let id = self.graphs.len();
        self.graphs.insert(id, launches);
        Ok(GraphId(id))
    }

    fn replay(&mut self, graph: GraphId) -> Result<(), Failure> {
        self.started += self.graphs[&graph.0];
        Ok(())
    }

    fn forget(&mut self, graph: GraphId) {
        assert!(self.graphs.remove(&graph.0).is_some(), "forgotten twice");
    }

    fn resident(&mut self, _: FunctionId, threads: u32, _: usize) -> Result<u32, Failure> {
        Ok(2048 / threads)
    }

    fn has_ended(&mut self) -> Result<bool, Failure> {
        if let Some(failure) = self.fails.clone() {
            return Err(failure);
        }
        self.busy = self.busy.saturating_sub(1);
        Ok(self.busy == 0)
    }

    fn microseconds(&mut self) -> Result<f64, Failure> {
        Ok(if self.took.is_empty() { 12.5 } else { self.took.remove(0) })
    }

    fn rest(&mut self) -> u64 {
        self.rested += 1;
        100_000
    }

    fn give_up(&mut self, failure: &Failure) {
        self.given_up = Some(failure.clone());
    }
}

fn work<'a>(input: &'a [u8], shared: usize) -> Work<'a> {
    Work {
        cubin: b"code",
        entry: "kernel",
        blocks: 2,
        threads: 128,
        shared,
        memories: vec![
            Memory { bytes: input.len(), initial: Some(input), wanted: false },
            Memory { bytes: 4, initial: Some(&[1, 2, 3, 4]), wanted: true },
        ],
        boxes: Vec::new(),
    }
}

#[test]
fn a_launch_gives_what_was_wanted_and_gives_everything_back() {
    let mut device = Fake::new();
    let outcome = run(&mut device, &work(&[7; 8], 0)).expect("it runs");
    assert_eq!(outcome.contents, [vec![2, 3, 4, 5]]);
    assert!((outcome.microseconds - 12.5).abs() < f64::EPSILON);
    assert!(device.memory.is_empty());
    assert_eq!(device.rested, 2);
}

#[test]
fn boxes_stand_between_arrays_and_are_of_those_before() {
    let map = TensorMap { memory: MemoryId(0), extents: vec![4, 16], boxed: vec![2, 16], swizzle: 0 };
    let mut device = Fake::new();
    let mut work = work(&[7; 8], 0);
    work.boxes = vec![Boxed { position: 1, of: 0, map: &map, dtype: DType::U8 }];
    let outcome = run(&mut device, &work).expect("it runs");
    assert_eq!(outcome.contents, [vec![2, 3, 4, 5]], "what is wanted is counted without boxes");
    assert_eq!(device.described.len(), 1);
    assert_eq!((device.described[0].1.as_slice(), device.described[0].2), ([2, 16].as_slice(), DType::U8));
    assert!(device.memory.is_empty());
    work.boxes[0].of = 1;
    assert!(run(&mut Fake::new(), &work).is_err(), "a box of an array that comes later");
}

#[test]
fn no_blocks_and_empty_arrays_are_no_trouble() {
    let mut device = Fake::new();
    let mut work = work(&[], 0);
    work.blocks = 0;
    assert_eq!(run(&mut device, &work).expect("it runs").contents, [vec![1, 2, 3, 4]]);
    assert!(device.memory.is_empty());
}

#[test]
fn too_much_shared_memory_is_said_before_anything_is_done() {
    let mut device = Fake::new();
    let failure = run(&mut device, &work(&[7; 8], 2000)).expect_err("too much");
    assert_eq!(failure, Failure::SharedMemory { wanted: 2000, most: 1000 });
    assert!(device.memory.is_empty() && !failure.is_lost());
}

#[test]
fn out_of_memory_leaves_nothing_behind() {
    let mut device = Fake::new();
    device.room = 10;
    let failure = run(&mut device, &work(&[7; 8], 0)).expect_err("no room");
    assert_eq!(failure, Failure::OutOfMemory { wanted: 4, free: 2 });
    assert!(device.memory.is_empty());
}

#[test]
fn a_kernel_that_does_not_end_is_given_up() {
    let mut device = Fake::new();
    device.busy = u64::MAX;
    let failure = run(&mut device, &work(&[7; 8], 0)).expect_err("it hangs");
    assert_eq!(failure, Failure::Hang(10));
    assert!(failure.is_lost());
    assert_eq!(device.rested, 101, "ten seconds, in tenths");
    assert_eq!(device.given_up, Some(Failure::Hang(10)), "the device hears that nobody waits for it");
}

#[test]
fn an_illegal_access_is_said_and_the_device_is_lost() {
    let mut device = Fake::new();
    device.fails = Some(Failure::IllegalAccess("illegal address".to_string()));
    let failure = run(&mut device, &work(&[7; 8], 0)).expect_err("it fails");
    assert!(failure.is_lost());
    assert!(failure.help().contains("interpret"), "{}", failure.help());
}

#[test]
fn a_machine_without_a_driver_says_so() {
    // On a machine with one, this opens it.
    match pallas_cuda::driver() {
        Ok(driver) => assert!(!driver.devices.is_empty()),
        Err(failure) => {
            assert!(matches!(failure, Failure::NoDriver | Failure::NoDevice(_)), "{failure}");
            assert!(pallas_cuda::open(0, pallas_cuda::PATIENCE).is_err());
        }
    }
}

fn rounds(warm_up: usize, counted: usize, launches: usize) -> impl Fn(f64) -> Rounds {
    move |_| Rounds { warm_up, counted, launches }
}

#[test]
fn a_measurement_warms_up_and_counts_the_rest_in_order() {
    let mut device = Fake::new();
    device.took = vec![50.0, 40.0, 3.0, 1.0, 2.0, 4.0];
    let samples = measure(&mut device, &work(&[7; 8], 0), &rounds(2, 4, 1), &|| false).expect("it runs");
    assert_eq!(samples, Samples { times: vec![1.0, 2.0, 3.0, 4.0], launches: 1, resident: Some(16) });
    let times = samples.times;
    assert_eq!(median(&times), Some(2.5));
    assert_eq!((median(&times[..3]), median(&[])), (Some(2.0), None));
    assert!(device.memory.is_empty(), "everything is given back");
    assert_eq!(device.started, 6);
}

#[test]
fn short_launches_are_replayed_many_at_a_time() {
    let mut device = Fake::new();
    device.took = vec![50.0, 80.0, 160.0];
    let samples = measure(&mut device, &work(&[7; 8], 0), &rounds(1, 2, 8), &|| false).expect("it runs");
    assert_eq!((samples.times, samples.launches), (vec![10.0, 20.0], 8));
    assert_eq!(device.started, 1 + 2 * 8);
    assert!(device.graphs.is_empty() && device.memory.is_empty());
    // A driver that records nothing is measured launch by launch.
    device = Fake { records: false, took: vec![50.0, 8.0, 16.0], ..Fake::new() };
    let samples = measure(&mut device, &work(&[7; 8], 0), &rounds(1, 2, 8), &|| false).expect("it runs");
    assert_eq!((samples.times, samples.launches), (vec![8.0, 16.0], 1));
}

#[test]
fn a_measurement_that_is_stopped_keeps_what_it_has() {
    let mut device = Fake::new();
    let samples = measure(&mut device, &work(&[7; 8], 0), &rounds(1, 50, 8), &|| true).expect("it runs");
    assert_eq!(samples.times.len(), 1);
    assert!(device.graphs.is_empty() && device.memory.is_empty());
}

#[test]
fn the_longer_a_launch_the_fewer_rounds() {
    let of = |microseconds| Rounds::of(microseconds);
    assert_eq!(of(2.0), Rounds { warm_up: 3, counted: 30, launches: 64 });
    assert_eq!(of(100.0), Rounds { warm_up: 3, counted: 30, launches: 4 });
    assert_eq!(of(2e6), Rounds { warm_up: 1, counted: 3, launches: 1 });
    assert_eq!(of(f64::NAN).counted, of(1.0).counted);
}

#[test]
fn a_measurement_that_fails_gives_back_what_it_took() {
    let mut device = Fake::new();
    device.fails = Some(Failure::Hang(1));
    assert!(measure(&mut device, &work(&[7; 8], 0), &rounds(1, 1, 1), &|| false).is_err());
    assert!(matches!(
        measure(&mut Fake::new(), &work(&[7; 8], 2000), &rounds(1, 1, 1), &|| false),
        Err(Failure::SharedMemory { wanted: 2000, most: 1000 })
    ));
}
