//! Launches on a device that is made up: what is asked of it, in which order, and what becomes of its failures.

use pallas_cuda::{BufferId, Device, DeviceInfo, Failure, FunctionId, Memory, Rounds, Work, measure, median, run};
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
    /// For how many microseconds it says that it worked, run by run; 12.5 after that.
    took: Vec<f64>,
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
            took: Vec::new(),
        }
    }
}

impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
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

    fn free(&mut self, buffer: BufferId) {
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

    fn start(&mut self, _: FunctionId, _: usize, _: u32, _: usize, buffers: &[BufferId]) -> Result<(), Failure> {
        let last = buffers.last().expect("a parameter");
        self.memory.get_mut(&last.0).expect("memory").iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        Ok(())
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
        patience: 10,
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
            assert!(pallas_cuda::open(0).is_err());
        }
    }
}

#[test]
fn a_measurement_warms_up_and_counts_the_rest_in_order() {
    let mut device = Fake::new();
    device.took = vec![50.0, 40.0, 3.0, 1.0, 2.0, 4.0];
    let times = measure(&mut device, &work(&[7; 8], 0), Rounds { warm_up: 2, counted: 4 }).expect("it runs");
    assert_eq!(times, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(median(&times), Some(2.5));
    assert_eq!((median(&times[..3]), median(&[])), (Some(2.0), None));
    assert!(device.memory.is_empty(), "everything is given back");
}

#[test]
fn a_measurement_that_fails_gives_back_what_it_took() {
    let mut device = Fake::new();
    device.fails = Some(Failure::Hang(1));
    let rounds = Rounds { warm_up: 1, counted: 1 };
    assert!(measure(&mut device, &work(&[7; 8], 0), rounds).is_err());
    assert!(matches!(
        measure(&mut Fake::new(), &work(&[7; 8], 2000), rounds),
        Err(Failure::SharedMemory { wanted: 2000, most: 1000 })
    ));
}
