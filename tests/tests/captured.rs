//! What the Refs of programs hold where devices act on each other: their programs run at the same time, and end in another order than
//! they have begun.

use pallas_engine::{Analysis, AnalysisOptions, Capture, Disk, Run};
use pallas_tests::{Recorder, run_options};
use std::path::Path;
use std::sync::Arc;

#[test]
fn programs_of_devices_are_kept_to_their_end() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/22_ring_all_gather.py");
    let (text, path) = (std::fs::read_to_string(&path).expect("a sample"), path.to_string_lossy().into_owned());
    let analysis = Analysis::new(&path, &text, &AnalysisOptions::new(Arc::new(Disk)));
    let launch = analysis.launches.first().expect("a launch").clone();
    let programs = launch.programs();
    let options = run_options(Recorder::default());
    let wanted = Capture { launch, program: 0, programs: 0..programs, most: 1 << 28 };
    let tiles = Run::capture(&path, &text, options, wanted);
    let mut numbers: Vec<usize> = tiles.iter().map(|tiles| tiles.program).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..programs).collect::<Vec<_>>());
    for tiles in &tiles {
        assert_eq!(tiles.after.len(), tiles.before.len(), "program {}", tiles.program);
    }
}
