//! What a screen gets when it asks for the events between two times: all of them where they fit, their sums elsewhere.

use crate::common::report;
use pallas_profile::{Copied, Recorder, Report, Stage, Timeline, Window};

fn busy(timeline: &Timeline, stage: Stage) -> f64 {
    let rows = timeline.rows.iter().filter(|row| row.stage == stage);
    rows.flat_map(|row| &row.pieces).map(|piece| piece.busy).sum()
}

fn count(timeline: &Timeline) -> usize {
    timeline.rows.iter().map(|row| row.pieces.len()).sum()
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0), "{what}: {a} and {b}");
}

#[test]
fn a_small_launch_is_told_event_by_event() {
    let report = report([2, 3, 4], "v5e", false);
    let launch = &report.launches[0];
    let timeline = launch.timeline(&launch.timing(), Window { start: 0.0, end: f64::MAX, most: 1000 });
    assert!(timeline.exact);
    assert_eq!(count(&timeline), launch.modelled.events.len());
    close(busy(&timeline, Stage::Compute), launch.modelled.compute, "compute");
    let tracks: Vec<(Stage, Option<usize>, Option<usize>)> =
        timeline.rows.iter().map(|row| (row.stage, row.operand, row.slot)).collect();
    let expected = [
        (Stage::Compute, None, None),
        (Stage::CopyIn, Some(0), Some(0)),
        (Stage::CopyIn, Some(0), Some(1)),
        (Stage::CopyIn, Some(1), Some(0)),
        (Stage::CopyIn, Some(1), Some(1)),
        (Stage::CopyOut, Some(2), Some(0)),
        (Stage::CopyOut, Some(2), Some(1)),
        (Stage::Wait, None, None),
    ];
    assert_eq!(tracks, expected);
}

#[test]
fn a_window_has_what_overlaps_it_and_nothing_else() {
    let report = report([4, 4, 8], "v5e", false);
    let launch = &report.launches[0];
    let timing = launch.timing();
    for part in 0..10 {
        let length = launch.modelled.time / 10.0;
        let (start, end) = (part as f64 * length, (part + 1) as f64 * length);
        let timeline = launch.timeline(&timing, Window { start, end, most: 10_000 });
        let overlaps = |event: &&pallas_profile::Event| event.end > start && event.start < end;
        assert_eq!(count(&timeline), launch.modelled.events.iter().filter(overlaps).count(), "part {part}");
    }
}

#[test]
fn joined_pieces_add_up_to_the_events_that_they_stand_for() {
    for grid in [[4, 4, 8], [1, 1, 200], [3, 5, 7]] {
        let report = report(grid, "v5e", false);
        let launch = &report.launches[0];
        let timing = launch.timing();
        for most in [1, 5, 20, 60] {
            let timeline = launch.timeline(&timing, Window { start: 0.0, end: f64::MAX, most });
            assert!(!timeline.exact && count(&timeline) <= most.max(5), "{} pieces of {most}", count(&timeline));
            close(busy(&timeline, Stage::Compute), launch.modelled.compute, "compute");
            let waits = launch.modelled.fill + launch.modelled.drain + launch.modelled.stalls;
            close(busy(&timeline, Stage::Wait), waits, "waits");
            let sums = timeline.rows.iter().flat_map(|row| &row.pieces);
            assert_eq!(sums.map(|piece| piece.bytes).sum::<u64>(), launch.modelled.bytes, "{grid:?}, {most}");
            for row in &timeline.rows {
                let joined = row.pieces.windows(2).all(|pair| pair[0].end == pair[1].start);
                assert!(joined, "{grid:?}, {most}: {row:?}");
                close(row.pieces[0].start, 0.0, "begin");
                close(row.pieces[row.pieces.len() - 1].end, launch.modelled.time, "end");
                let is_processor = matches!(row.stage, Stage::Compute | Stage::Wait);
                let fits =
                    |piece: &pallas_profile::Piece| piece.busy <= (piece.end - piece.start) * (1.0 + 1e-9) + 1e-9;
                assert!(!is_processor || row.pieces.iter().all(fits), "{row:?}");
            }
        }
    }
}

#[test]
fn sixteen_million_programs_are_asked_by_formula() {
    let report = report([4096, 4096, 1], "v5e", false);
    let launch = &report.launches[0];
    let timing = launch.timing();
    let whole = launch.timeline(&timing, Window { start: 0.0, end: f64::MAX, most: 1000 });
    assert_eq!(whole.rows[0].pieces.iter().map(|piece| piece.events).sum::<u64>(), 4096 * 4096);
    close(busy(&whole, Stage::Compute), launch.modelled.compute, "compute");
    // A microsecond in the middle is told event by event.
    let middle = launch.modelled.time / 2.0;
    let near = launch.timeline(&timing, Window { start: middle, end: middle + 1000.0, most: 1000 });
    assert!(near.exact && count(&near) > 0);
}

/// Ten million events: 2.5 million programs with three copies and a compute each.
#[test]
fn ten_million_measured_events_are_kept_in_bins() {
    const PROGRAMS: usize = 2_500_000;
    let mut recorder = Recorder::new("test");
    recorder.begin();
    for number in 0..PROGRAMS {
        let at = number as u64 * 100;
        let copy = |operand, out, from, to| Copied { operand, out, start: at + from, end: at + to, bytes: 64 };
        let copies = [copy(0, false, 0, 10), copy(1, false, 10, 30), copy(2, true, 30, 35)];
        // One program in the middle takes long.
        let compute = if number == PROGRAMS / 2 { 95 } else { 70 };
        recorder.program(number, &copies, (at + 35, at + compute));
    }
    let mut report = report([2, 3, 4], "v5e", false);
    report.launches[0].programs = PROGRAMS;
    report.launches[0].measured = Some(recorder.take(&[]));
    let text = report.to_json().expect("it is written");
    assert!(text.len() < 2_000_000, "{} bytes", text.len());
    let read = Report::read(&text).expect("it is read");
    let launch = &read.launches[0];
    let ask = |start, end, most| launch.measured_timeline(Window { start, end, most }).expect("it was measured");
    let whole = ask(0.0, f64::MAX, 600);
    assert!(!whole.exact && count(&whole) <= 600);
    close(busy(&whole, Stage::Compute), 35.0 * PROGRAMS as f64 + 25.0, "compute");
    close(busy(&whole, Stage::CopyIn), 30.0 * PROGRAMS as f64, "copy_in");
    assert!(whole.rows.iter().all(|row| row.pieces.windows(2).all(|pair| pair[0].end == pair[1].start)));
    // Zoomed in, pieces are shorter; at the beginning they are events.
    let half = ask(1e8, 1.2e8, 600);
    assert!(half.programs < whole.programs && half.rows[0].pieces[0].start <= 1e8);
    let begin = ask(0.0, 1000.0, 600);
    assert!(begin.exact);
    assert_eq!(count(&begin), 40);
}

#[test]
fn empty_windows_and_empty_launches_have_nothing() {
    let timed = report([2, 3, 4], "v5e", true);
    let launch = &timed.launches[0];
    for (start, end) in [(5.0, 4.0), (-2.0, -1.0), (1e18, 2e18)] {
        let window = Window { start, end, most: 100 };
        assert!(launch.timeline(&launch.timing(), window).rows.is_empty(), "{start}..{end}");
        assert!(launch.measured_timeline(window).is_some_and(|timeline| timeline.rows.is_empty()));
    }
    let window = Window { start: 0.0, end: 1.0, most: 0 };
    assert!(launch.timeline(&launch.timing(), window).rows.len() <= 5);
    assert_eq!(report([2, 3, 4], "v5e", false).launches[0].measured_timeline(window), None);
}
