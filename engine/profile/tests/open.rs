//! A report that is opened in two steps is the one that is read in one.

use crate::common::report;
use pallas_profile::{Event, ReadError, Report, Stage};
use std::io::Cursor;

/// A report in which so many programs are listed, two events each.
fn listing(programs: usize) -> Report {
    let mut report = report([programs, 1, 1], "v5e", true);
    let place = report.launches[0].call;
    let measured = report.launches[0].measured.as_mut().expect("it ran");
    let bins = &mut measured.bins;
    for list in [&mut bins.start, &mut bins.copy_in, &mut bins.compute, &mut bins.copy_out, &mut bins.longest] {
        list.clear();
    }
    let event = |program: usize, stage, operand, start: usize, end: usize| Event {
        program,
        stage,
        operand,
        slot: program % 2,
        lane: 0,
        start: start as f64 / 4.0,
        end: end as f64 / 4.0,
        bytes: 32,
        flops: 8,
        place: place.filter(|_| program.is_multiple_of(7)),
    };
    measured.events = (0..programs)
        .flat_map(|n| {
            let at = 4001 * n;
            let copy = event(n, Stage::CopyIn, Some(0), at, at + 999);
            [copy, event(n, Stage::Compute, None, at + 1000, at + 3000 + n % 100)]
        })
        .collect();
    report
}

fn opened(text: &str, threads: usize) -> Result<Report, ReadError> {
    Report::open(Cursor::new(text.as_bytes()))?.finish(threads)
}

#[test]
fn what_is_opened_quickly_is_what_is_read() {
    let report = listing(30_000);
    let short = report.to_json().expect("it is written");
    let value: serde_json::Value = serde_json::from_str(&short).expect("JSON");
    for text in [short, serde_json::to_string_pretty(&value).expect("JSON")] {
        let read = Report::read(&text).expect("it is read");
        let bins = &read.launches[0].measured.as_ref().expect("it ran").bins;
        assert!(bins.compute.iter().sum::<f64>() > 0.0 && bins.programs > 1, "events are summed up");
        let opening = Report::open(Cursor::new(text.as_bytes())).expect("it is opened");
        assert!(opening.unread() > 6_000_000, "{}", opening.unread());
        let first = opening.report().launches[0].measured.as_ref().expect("it ran");
        assert!(first.events.is_empty() && first.time > 0.0, "its sums are there, its events are not");
        for threads in [1, 2, 5] {
            assert!(opened(&text, threads).expect("it is opened") == read, "{threads} threads");
        }
    }
}

#[test]
fn several_launches_have_several_lists() {
    let mut report = listing(20_000);
    let mut other = report.launches[0].clone();
    if let Some(measured) = &mut other.measured {
        measured.events.iter_mut().for_each(|event| event.start -= 0.5);
        measured.events.truncate(30_001);
    }
    let mut short = report.launches[0].clone();
    if let Some(measured) = &mut short.measured {
        measured.events.truncate(100);
    }
    report.launches.extend([short, other]);
    let text = report.to_json().expect("it is written");
    assert!(opened(&text, 3).expect("it is opened") == Report::read(&text).expect("it is read"));
}

#[test]
fn what_the_quick_way_cannot_read_is_read_slowly() {
    let text = listing(20_000).to_json().expect("it is written");
    let read = Report::read(&text).expect("it is read");
    // A later version's fields: lists inside of events, strings with brackets.
    let lists = text.replace("\"slot\":1,", "\"slot\":1,\"ids\":[1,{\"a\":1},{\"b\":2}],");
    assert!(opened(&lists, 2).expect("it is opened") == read);
    let strings = text.replace("\"slot\":1,", "\"slot\":1,\"note\":\"]},{\\\"\",");
    assert!(opened(&strings, 2).expect("it is opened") == read);
}

#[test]
fn what_is_no_report_is_said_however_it_is_opened() {
    let text = listing(20_000).to_json().expect("it is written");
    let middle = text.len() / 2;
    let cut = &text[..middle];
    assert!(matches!(opened(cut, 2), Err(ReadError::Malformed(_))));
    let broken = text.replace("\"program\":15000,", "\"program\":-15000,");
    let why = opened(&broken, 2).expect_err("it is broken").to_string();
    assert!(why.contains("invalid value: integer `-15000`"), "{why}");
    let newer = text.replace("\"version\":1,", "\"version\":99,");
    assert_eq!(opened(&newer, 2).expect_err("it is newer"), ReadError::Newer(99));
    // A number in the place of a list means nothing outside.
    let events = text.find("\"events\":[{\"program\":0").expect("events");
    let end = events + text[events..].find(']').expect("its end");
    let number = format!("{}\"events\":0{}", &text[..events], &text[end + 1..]);
    assert!(matches!(opened(&number, 2), Err(ReadError::Malformed(_))));
    assert!(matches!(Report::read(&number), Err(ReadError::Malformed(_))));
}
