//! What fails on a device is said with what to do and the launch's line, whichever call it is, and the process goes on.

use super::terminal::Session;
use super::{DOUBLE, Machine};
use std::fs;

#[test]
fn each_failure_of_the_driver_is_said() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    // The fault, the words, and whether the launch is to blame.
    for (fault, words, has_line) in [
        ("cuInit=803", "the CUDA driver does not start (system driver mismatch): see what `nvidia-smi` says", false),
        ("cuInit=100", "the CUDA driver finds no device: no device: see what `nvidia-smi` says", false),
        ("cuDevicePrimaryCtxRetain=46", "the device is taken: another process has it for itself alone", false),
        ("cuDevicePrimaryCtxRetain=2", "out of memory (end what else runs on the device", false),
        ("cuStreamCreate=2", "cuStreamCreate: out of memory", false),
        ("cuMemAlloc_v2@2=2", "the device is out of memory: 32 bytes were asked for", true),
        ("cuMemcpyHtoD_v2=214", "the device failed (ecc uncorrectable), and is lost", true),
        ("cuModuleLoadData=209", "cuModuleLoadData: no binary for gpu (machine code of NVRTC 13", true),
        ("cuModuleGetFunction=500", "cuModuleGetFunction: not found", true),
        ("cuLaunchKernel=701", "cuLaunchKernel: launch out of resources", true),
        ("cuEventQuery=700", "the kernel accessed memory that is not its own (illegal address)", true),
        ("cuEventQuery=719", "the kernel accessed memory that is not its own (launch failed)", true),
        ("cuEventQuery=715", "the device stopped the kernel (illegal instruction), and is lost to this run", true),
        ("cuEventQuery=702", "the system ended the kernel, which kept a device busy that draws a screen", true),
        ("cuEventElapsedTime_v2=999", "the device failed (unknown)", true),
        ("cuMemcpyDtoH_v2=700", "the kernel accessed memory that is not its own (illegal address)", true),
    ] {
        let said = machine.run(&["run", "--device", "cuda", "k.py"], &[("PALLAS_DRIVER_FAULTS", fault)]);
        assert!(said.code.is_some_and(|code| code != 0), "{fault}: {:?}", said.code);
        assert!(said.err.contains(words), "{fault}: {}", said.err);
        assert_eq!(said.err.contains("k.py, line 11)"), has_line, "{fault}: {}", said.err);
        // With something to fall back to, the file runs to its end.
        let said = machine.run(&["run", "--device", "auto", "k.py"], &[("PALLAS_DRIVER_FAULTS", fault)]);
        assert_eq!(said.code, Some(0), "{fault}: {}", said.err);
        assert_eq!(said.out, "[ 0.  2.  4.  6.  8. 10. 12. 14.]\n[ 2.  4.  6.  8. 10. 12.]\n", "{fault}");
        assert!(said.err.contains("interpret mode"), "{fault}: {}", said.err);
    }
}

#[test]
fn what_failed_without_the_device_gives_back_what_it_had() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    for fault in ["cuMemAlloc_v2@2=2", "cuModuleLoadData=200", "cuModuleGetFunction=500", "cuLaunchKernel=701"] {
        machine.run(&["run", "--device", "cuda", "k.py"], &[("PALLAS_DRIVER_FAULTS", fault)]);
        assert!(!machine.left().contains("memory"), "{fault}: {}", machine.left());
    }
}

#[test]
fn nvrtc_that_fails_or_is_not_there_is_said() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let run = |faults: &str| machine.run(&["run", "--device", "cuda", "k.py"], &[("PALLAS_NVRTC_FAULTS", faults)]);
    let said = run("nvrtcVersion=11");
    assert!(said.err.contains("NVRTC failed (internal error) (install it with"), "{}", said.err);
    let said = run("nvrtcCompileProgram=6");
    assert!(said.err.contains("NVRTC failed (compilation)") && said.err.contains("line 11)"), "{}", said.err);
    fs::remove_file(machine.path().join("libnvrtc.so.13")).expect("it is there");
    let said = run("");
    assert!(said.err.contains("NVRTC, the compiler for CUDA C++, was not found"), "{}", said.err);
    assert_eq!(said.code, Some(1), "{}", said.err);
}

/// Takes a symbol away from the driver, as it is missing from one that is older: the loader looks for a name by its hash, and then
/// does not find the name.
fn without(machine: &Machine, symbol: &str) {
    let path = machine.path().join("libcuda.so");
    let mut bytes = fs::read(&path).expect("the driver");
    let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
    let places: Vec<usize> = (0..bytes.len() - name.len()).filter(|&at| bytes[at..].starts_with(&name)).collect();
    assert!(!places.is_empty(), "{symbol}");
    places.into_iter().for_each(|at| bytes[at + 1] = b'x');
    fs::remove_file(&path).expect("it was there");
    fs::write(&path, bytes).expect("written");
}

#[test]
fn a_driver_without_a_function_is_too_old_or_has_its_older_form() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    // Before CUDA 12.8 there is one form of it; cudarc panics where the new one is missing.
    without(&machine, "cuEventElapsedTime_v2");
    let said = machine.run(&["run", "--device", "cuda", "k.py"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(machine.names().iter().any(|name| name == "cuEventElapsedTime"));
    without(&machine, "cuGraphUpload");
    let said = machine.run(&["run", "--device", "cuda", "k.py"], &[]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    let words = "the CUDA driver is too old: it has no `cuGraphUpload`: install NVIDIA's driver, 580 or later";
    assert!(said.err.contains(words), "{}", said.err);
    let said = machine.run(&["doctor"], &[]);
    assert!(said.out.contains("the CUDA driver is too old: it has no `cuGraphUpload`"), "{}", said.out);
    let said = machine.run(&["run", "--device", "auto", "k.py"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

#[test]
fn a_driver_that_is_older_than_the_compiler_refuses_its_machine_code() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let said = machine.run(&["run", "--device", "cuda", "k.py"], &[("PALLAS_DRIVER_VERSION", "12040")]);
    assert!(said.err.contains("update the driver, or install the NVRTC of its own CUDA"), "{}", said.err);
    let said = machine.run(&["doctor"], &[("PALLAS_DRIVER_VERSION", "12040")]);
    assert!(said.out.contains("CUDA driver knows CUDA 12.4"), "{}", said.out);
}

#[test]
fn a_device_that_was_lost_is_not_used_again_by_the_process() {
    let text = DOUBLE.replace("def call(x):", "def call(x, scale=1):");
    let Some(machine) = Machine::with(&text) else { return };
    // The file as it is loads the machine code of two launches, and of the same ones that note their times.
    let faults = [("PALLAS_DRIVER_FAULTS", "cuModuleLoadData@5=700")];
    let said = machine.run(&["tune", "k.py", "--param", "scale=1,2,3", "--device", "cuda"], &faults);
    let words = "the device is lost to this process since an earlier run, in which the kernel accessed memory that is not \
                 its own (illegal address) (end this program and start it again";
    assert!(said.out.contains(words) || said.err.contains(words), "{}{}", said.out, said.err);
    // After the failure nothing is asked of the context: each call would answer with what a kernel of an earlier run has done.
    let calls = machine.calls();
    let after = calls.iter().skip_while(|line| !line.ends_with(" = 700")).skip(1);
    let asked: Vec<&String> = after.filter(|line| line.ends_with(" = 700")).collect();
    assert_eq!(asked, Vec::<&String>::new());
}

#[test]
fn a_device_that_is_not_there_is_said_once_and_not_on_the_screen() {
    let Some(machine) = Machine::with(&DOUBLE.replace("def call(x):", "def call(x, scale=1):")) else { return };
    let words = "the CUDA driver finds no device: no device: kernels run in interpret mode";
    let faults = "cuInit=100";
    let said =
        machine.run(&["tune", "k.py", "--param", "scale=1,2", "--device", "auto"], &[("PALLAS_DRIVER_FAULTS", faults)]);
    assert_eq!(said.err.matches(words).count(), 1, "{}", said.err);
    assert!(said.out.contains("k.py by interpret mode on the CPU"), "it is what measures: {}", said.out);
    let mut session = Session::open(&machine, &["k.py", "--device", "auto"], faults);
    session.wait_for("double_kernel");
    session.press("r");
    session.wait_for(", run in");
    assert!(!session.shown().contains("kernels run in"), "{}", session.shown());
    session.press("q");
    assert_eq!(session.end(), 0);
}
