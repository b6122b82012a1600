//! Launches of the samples and of the conformance programs on a device, against interpret mode. One process goes through them and
//! says of each what became of it before it takes the next; another one listens, and where the first has lost the device, or died,
//! starts it again behind the launch that did it.

use super::child::{Ended, listen};
use super::{Say, launches};
use crate::corpus::{each, programs, root};
use crate::simt::{self, against};
use pallas_engine::Launch;
use pallas_engine::accelerator::{Accelerator, Gpu};
use pallas_tensor::Array;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Instructions of interpret mode that a launch may take.
const FUEL: u64 = 4_000_000;
/// Programs that are looked at, and whose kernels are compiled, before any of them runs.
const AT_ONCE: usize = 64;
/// How often it is started again.
const AGAIN: usize = 12;

/// The programs, in their order.
pub fn corpus() -> Vec<PathBuf> {
    ["samples", "tests/conformance", "tests/simt/kernels"].into_iter().flat_map(programs).collect()
}

/// Where to begin: the number of a program, and of a launch in it.
pub type Start = (usize, usize);

/// A launch, and what interpret mode makes of it on made-up arrays.
struct Case {
    at: Start,
    name: String,
    launch: Arc<Launch>,
    inputs: Vec<Array>,
    expected: Result<Vec<Array>, String>,
}

fn cases(path: &Path, program: usize, start: Start) -> Vec<Case> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let all = launches(path).unwrap_or_default().into_iter().enumerate();
    let wanted = all.filter(|(number, _)| (program, *number) >= start);
    let case = |(number, launch): (usize, Arc<Launch>)| {
        let mut launch = (*launch).clone();
        for axis in std::mem::take(&mut launch.dynamic) {
            launch.grid[axis] = 2;
        }
        let inputs = simt::inputs(&launch);
        let expected = pallas_interpret::run_launch(&launch, inputs.clone(), &mut simt::Patience(FUEL));
        let name = format!("{file} launch {number} {}", launch.kernel.name);
        let expected = expected.map_err(|error| error.to_string());
        Case { at: (program, number), name, launch: Arc::new(launch), inputs, expected }
    };
    wanted.map(case).collect()
}

/// Goes through programs from a launch on. Says `begin` with where it is, then what became of it: `equal`, `differs`, `refused`, or
/// `skipped` where interpret mode gives nothing to compare with. Ends with `lost` where the device is.
pub fn compare(programs: &[PathBuf], start: Start, gpu: &mut Gpu, say: Say<'_>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let numbered: Vec<(usize, &PathBuf)> = programs.iter().enumerate().skip(start.0).collect();
    for chunk in numbered.chunks(AT_ONCE) {
        let paths: Vec<PathBuf> = chunk.iter().map(|(_, path)| (*path).clone()).collect();
        let number = |path: &Path| chunk.iter().find(|(_, other)| *other == path).map_or(0, |(number, _)| *number);
        let cases: Vec<Case> = each(&paths, |path| cases(path, number(path), start)).into_iter().flatten().collect();
        let wanted: Vec<Arc<Launch>> =
            cases.iter().filter(|case| case.expected.is_ok()).map(|case| case.launch.clone()).collect();
        gpu.prepare(&wanted, false, threads, &|_, _| {});
        for case in &cases {
            say("begin", &format!("{} {} {}", case.at.0, case.at.1, case.name));
            let expected = match &case.expected {
                Ok(expected) => expected,
                Err(why) => {
                    say("skipped", why.lines().next().unwrap_or_default());
                    continue;
                }
            };
            match gpu.run(&case.launch, &case.inputs) {
                Ok(ran) => match against(&ran.outputs, expected) {
                    simt::Outcome::Wrong(why) => say("differs", &why),
                    _ => say("equal", ""),
                },
                Err(why) if gpu.is_lost() => return say("lost", &why.message),
                Err(why) => say("refused", &why.message),
            }
        }
    }
}

/// What became of all launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many gave what interpret mode gives.
    pub equal: usize,
    /// How many are not lowered, or have nothing to compare with.
    pub without: usize,
    /// How many differ, and are known to in the simulator as well (`tests/simt/exceptions.txt`).
    pub known: usize,
    /// What is wrong, by launch.
    pub wrong: Vec<String>,
    /// Why there are launches that had no turn.
    pub unfinished: Option<String>,
}

/// Listens to processes that [`compare`]. `command` makes one that begins at a launch.
pub fn tally(command: &dyn Fn(Start) -> Command, patience: Duration) -> Tally {
    let begun = Instant::now();
    let exceptions = std::fs::read_to_string(root().join("tests/simt/exceptions.txt")).unwrap_or_default();
    let is_known = |name: &str| exceptions.lines().any(|line| line.starts_with(&format!("{name}:")));
    let mut tally = Tally::default();
    let mut start = (0, 0);
    for _ in 0..AGAIN {
        // The launch that has begun and not ended.
        let mut current: Option<(Start, String)> = None;
        let ended = listen(command(start), patience.saturating_sub(begun.elapsed()), &mut |line| {
            let (word, rest) = line.split_once('\t').unwrap_or((line, ""));
            if word == "begin" {
                let mut words = rest.splitn(3, ' ');
                let mut number = || words.next().and_then(|word| word.parse().ok());
                let at = number().zip(number());
                current = at.map(|at| (at, words.next().unwrap_or_default().to_string()));
                return;
            }
            let Some((at, name)) = &current else { return };
            match word {
                "equal" => tally.equal += 1,
                "differs" if is_known(name) => tally.known += 1,
                "differs" => tally.wrong.push(format!("{name}: {rest}")),
                "refused" | "skipped" => tally.without += 1,
                // The process ends, and is started again behind it.
                "lost" => return tally.wrong.push(format!("{name}: {rest}")),
                _ => return,
            }
            start = (at.0, at.1 + 1);
            current = None;
        });
        match (ended, current) {
            (Ended::Well, None) => return tally,
            // It says so itself when the device is lost.
            (Ended::Well, Some((at, _))) => start = (at.0, at.1 + 1),
            (Ended::Failed(how), Some((at, name))) => {
                tally.wrong.push(format!("{name}: ended the process, {how}"));
                start = (at.0, at.1 + 1);
            }
            (Ended::Failed(how), None) => {
                tally.unfinished = Some(format!("the process ended between launches, {how}"));
                return tally;
            }
            (Ended::NotStarted(why), _) => {
                tally.unfinished = Some(why);
                return tally;
            }
            (Ended::Late, current) => {
                let at = current.map_or_else(String::new, |(_, name)| format!(", at {name}"));
                tally.unfinished = Some(format!("there was no more time{at}"));
                return tally;
            }
        }
    }
    tally.unfinished = Some(format!("the device was lost {AGAIN} times"));
    tally
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A process that says this, and then another one that begins elsewhere.
    fn heard(first: &'static str, second: &'static str) -> (Tally, Vec<Start>) {
        let starts = std::cell::RefCell::new(Vec::new());
        let command = |start: Start| {
            starts.borrow_mut().push(start);
            let mut command = Command::new("sh");
            command.args(["-c", if starts.borrow().len() == 1 { first } else { second }]);
            command
        };
        let tally = tally(&command, Duration::from_secs(60));
        (tally, starts.into_inner())
    }

    #[test]
    fn a_launch_that_loses_the_device_is_named_and_the_next_has_its_turn() {
        let first = "printf 'begin\\t0 0 a\\nequal\\t\\nbegin\\t0 1 b\\nlost\\tit hangs\\n'";
        let second = "printf 'begin\\t1 0 c\\nskipped\\tno\\nbegin\\t1 1 d\\ndiffers\\telement 3\\n'";
        let (tally, starts) = heard(first, second);
        assert_eq!((tally.equal, tally.without, tally.known, &tally.unfinished), (1, 1, 0, &None));
        assert_eq!(tally.wrong, ["b: it hangs", "d: element 3"]);
        assert_eq!(starts, [(0, 0), (0, 2)]);
    }

    #[test]
    fn so_is_one_that_ends_the_process() {
        let (tally, starts) = heard("printf 'begin\\t4 2 a\\n'; kill -9 $$", "printf 'begin\\t5 0 b\\nequal\\t\\n'");
        assert!(tally.wrong[0].starts_with("a: ended the process, signal: 9"), "{tally:?}");
        assert_eq!((tally.equal, starts), (1, vec![(0, 0), (4, 3)]));
        let (tally, _) = heard("exit 2", "exit 2");
        assert_eq!(tally.unfinished.as_deref(), Some("the process ended between launches, exit status: 2"));
    }
}
