//! Which calls are made, in which order, and that nothing is left.

use super::{DOUBLE, Machine};

/// Of a log, the calls that a driver has refused. That an event is not ready is no refusal.
fn refused(calls: &[String]) -> Vec<&String> {
    let answer = |line: &str| line.rsplit_once(" = ").and_then(|(_, code)| code.parse::<i32>().ok());
    let bad = ["WRONG", "REFUSED", "PANIC", "STANDS FOR EVER", "FAULT"];
    let is_bad = |line: &&String| {
        answer(line).is_some_and(|code| code != 0 && code != 600) || bad.iter().any(|word| line.starts_with(word))
    };
    calls.iter().filter(is_bad).collect()
}

#[test]
fn a_run_makes_calls_that_a_driver_accepts_in_an_order_that_it_accepts() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let said = machine.run(&["run", "--device", "cuda", "k.py"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let (calls, names) = (machine.calls(), machine.names());
    assert_eq!(refused(&calls), Vec::<&String>::new(), "{calls:#?}");
    assert_eq!(names.first().map(String::as_str), Some("cuInit"));
    let count = |name: &str| names.iter().filter(|other| *other == name).count();
    assert_eq!((count("cuDevicePrimaryCtxRetain"), count("cuCtxSetCurrent")), (1, 1));
    assert_eq!((count("cuLaunchKernel"), count("cuModuleLoadData")), (2, 2), "one kernel for each shape");
    assert_eq!(count("cuMemAlloc_v2"), count("cuMemFree_v2"));
    // One launch: between its events, and what it wrote is read once the second one has come.
    let launch: Vec<&str> = names.iter().map(String::as_str).skip_while(|name| *name != "cuEventRecord").collect();
    let expected = [
        "cuEventRecord",
        "cuLaunchKernel",
        "cuEventRecord",
        "cuEventQuery",
        "cuEventQuery",
        "cuEventElapsedTime_v2",
        "cuMemcpyDtoH_v2",
        "cuMemFree_v2",
        "cuMemFree_v2",
    ];
    assert_eq!(launch[..expected.len()], expected);
    assert!(!machine.left().contains("memory"), "{}", machine.left());
}

#[test]
fn variants_that_are_tuned_leave_nothing_in_the_context() {
    let text = DOUBLE
        .replace("def call(x):", "def call(x, scale=1):")
        .replace("out_shape=jax", "name=f's{scale}', out_shape=jax");
    let Some(machine) = Machine::with(&text) else { return };
    let said = machine.run(&["tune", "k.py", "--param", "scale=1,2,3", "--device", "cuda"], &[]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("by the first CUDA device") && said.out.contains("best: scale="), "{}", said.out);
    let (calls, names) = (machine.calls(), machine.names());
    // Memory for what measures the device's own speed is not there.
    let all: Vec<&String> = refused(&calls).into_iter().filter(|line| !line.starts_with("cuMemAlloc_v2(")).collect();
    assert_eq!(all, Vec::<&String>::new());
    for (made, given_back) in [
        ("cuModuleLoadData", "cuModuleUnload"),
        ("cuStreamCreate", "cuStreamDestroy_v2"),
        ("cuEventCreate", "cuEventDestroy_v2"),
        ("cuStreamBeginCapture_v2", "cuGraphDestroy"),
        ("cuGraphInstantiateWithFlags", "cuGraphExecDestroy"),
    ] {
        let count = |name: &str| names.iter().filter(|other| *other == name).count();
        assert!(count(made) > 1, "{made}");
        assert_eq!(count(made), count(given_back), "{made}");
    }
    assert_eq!(machine.left(), "1 context", "the context is the process's own until its end");
}

#[test]
fn what_was_compiled_is_found_again() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let run = || machine.run(&["run", "--device", "cuda", "k.py"], &[]);
    assert_eq!(run().code, Some(0));
    let first = machine.compiled();
    assert!(first >= 2, "{first}");
    assert_eq!(run().code, Some(0));
    assert_eq!(machine.compiled(), first, "the second run compiles nothing");
}
