//! Whole screens, at several sizes, as text; and every size there is, for panics.

use super::draw;
use crate::app::report::{Ran, Report};
use crate::app::{App, Message, Size, samples};
use crate::keymap::Key;
use crate::styles::{Depth, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(super) const COLOURS: Styles = Styles { depth: Depth::True, ascii: false, ramp: crate::styles::Ramp::Viridis };
pub(super) const PLAIN: Styles = Styles { depth: Depth::None, ascii: true, ramp: crate::styles::Ramp::Viridis };

pub(super) fn app(report: Option<Arc<Report>>, styles: Styles, (width, height): (u16, u16), keys: &[&str]) -> App {
    let size = Size { width, height };
    let mut app = App::new(PathBuf::from("kernels/matmul.py"), size, styles.has_heat());
    if let Some(report) = report {
        app.update(Message::Analysed(report));
    }
    press(&mut app, keys);
    app.now = Duration::from_secs(3);
    app
}

pub(super) fn press(app: &mut App, keys: &[&str]) {
    for key in keys {
        app.update(Message::Key(Key::parse(key).unwrap_or_else(|| panic!("{key} is no key"))));
    }
}

/// With values of the first programs.
fn app_with_values(styles: Styles, size: (u16, u16), keys: &[&str]) -> App {
    let mut app = app(Some(samples::measured()), styles, size, &["6"]);
    app.update(Message::Tiles(Arc::new(samples::tiles(1))));
    press(&mut app, keys);
    app
}

/// The text of a screen, without spaces at line ends.
pub(super) fn text(app: &App, styles: Styles) -> String {
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: app.size.width, height: app.size.height });
    draw(app, styles, &mut buffer);
    let width = app.size.width.max(1) as usize;
    let lines = buffer.content.chunks(width).map(|line| {
        let text: String = line.iter().map(|cell| cell.symbol()).collect();
        text.trim_end().to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn screen(report: Arc<Report>, styles: Styles, size: (u16, u16), keys: &[&str]) -> String {
    text(&app(Some(report), styles, size, keys), styles)
}

#[test]
fn overview_wide() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (120, 36), &[]));
}

#[test]
fn overview_wide_ascii_without_colours() {
    let text = screen(samples::report(), PLAIN, (120, 36), &["}"]);
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn grid_wide() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (120, 36), &["2", "j", "l", "]"]));
}

#[test]
fn overview_after_a_run() {
    insta::assert_snapshot!(screen(samples::measured(), COLOURS, (120, 40), &[]));
}

#[test]
fn pipeline_wide() {
    insta::assert_snapshot!(screen(samples::measured(), COLOURS, (120, 36), &["3", "l", "l", "l"]));
}

#[test]
fn pipeline_medium() {
    let all = screen(samples::measured(), PLAIN, (80, 24), &["3", "G"]);
    let text = Styles { depth: Depth::None, ascii: false, ramp: crate::styles::Ramp::Viridis };
    let close = screen(samples::measured(), text, (80, 24), &["3", "+", "+"]);
    insta::assert_snapshot!([all, close].join("\n========\n"));
}

#[test]
fn pipeline_from_afar() {
    let report = || samples::report_of(samples::plane(4096, 4096));
    let screens = [COLOURS, PLAIN].map(|styles| screen(report(), styles, (100, 30), &["3", "0", "L", "l"]));
    insta::assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn devices_wait_for_each_other() {
    let report = samples::report_of(samples::devices());
    let lanes = report.profile.as_ref().and_then(|profile| profile.launches[0].modelled.lanes.clone());
    assert!(lanes.is_some_and(|lanes| lanes.complete), "it is rehearsed");
    let mut parts = Vec::new();
    // A wait, the copy that ends it, and what is sent.
    for keys in [&["3", "l"][..], &["3", "l", "j"], &["3", "$", "j", "j"], &["1"]] {
        for size in [(80, 24), (120, 36)] {
            parts.push(format!("=== {} at {size:?}\n{}", keys.join(" "), screen(report.clone(), COLOURS, size, keys)));
        }
    }
    parts.push(screen(report.clone(), PLAIN, (80, 24), &["3"]));
    insta::assert_snapshot!(parts.join("\n"));
}

#[test]
fn lanes_are_drawn_from_the_json_alone() {
    let mut live = app(Some(samples::report_of(samples::devices())), COLOURS, (120, 36), &["3", "l", "j"]);
    let saved = live.full_report().expect("there is a profile").to_json().expect("it is written");
    let read = pallas_engine::report::Report::read(&saved).expect("it is read");
    let opened = Arc::new(Report::opened(read).expect("its launches are read"));
    let mut again = app(Some(opened), COLOURS, (120, 36), &["3", "l", "j"]);
    again.path = live.path.clone();
    (live.toast, again.toast) = (None, None);
    assert_eq!(text(&again, COLOURS), text(&live, COLOURS));
}

#[test]
fn values_wide() {
    let screens =
        [&["o", "o", "j", "l"][..], &["G", "b"]].map(|keys| text(&app_with_values(COLOURS, (120, 30), keys), COLOURS));
    insta::assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn values_medium() {
    let screens = [&["o"][..], &["o", "m"]].map(|keys| text(&app_with_values(PLAIN, (80, 24), keys), PLAIN));
    insta::assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn values_that_are_not_there() {
    let waiting = screen(samples::measured(), COLOURS, (70, 16), &["6"]);
    let never = screen(samples::report(), COLOURS, (70, 16), &["6"]);
    insta::assert_snapshot!([waiting, never].join("\n========\n"));
}

#[test]
fn the_palette_and_prompts() {
    let palette = screen(samples::measured(), COLOURS, (100, 30), &[":", "v", "i", "e", "w"]);
    let search = screen(samples::measured(), COLOURS, (80, 20), &["8", "/", "d", "o", "t"]);
    let filter = screen(samples::measured(), COLOURS, (80, 20), &["\\", "3", "0", "1"]);
    insta::assert_snapshot!([palette, search, filter].join("\n========\n"));
}

#[test]
fn overview_after_another_run() {
    let mut app = app(Some(samples::measured()), COLOURS, (80, 50), &[]);
    app.update(Message::Analysed(samples::report()));
    app.update(Message::Profiled(samples::measured()));
    app.update(Message::Key(Key::parse("z").expect("a key")));
    app.update(Message::Key(Key::parse("z").expect("a key")));
    insta::assert_snapshot!(text(&app, COLOURS));
}

#[test]
fn timings_wide() {
    insta::assert_snapshot!(screen(samples::measured(), COLOURS, (120, 36), &["4"]));
}

#[test]
fn timings_medium() {
    let views = [&["4"][..], &["4", "<tab>"]].map(|keys| screen(samples::measured(), PLAIN, (80, 24), keys));
    insta::assert_snapshot!(views.join("\n========\n"));
}

#[test]
fn source_with_costs() {
    let views = [&["7"][..], &["7", "s"]].map(|keys| screen(samples::measured(), COLOURS, (100, 20), keys));
    insta::assert_snapshot!(views.join("\n========\n"));
}

#[test]
fn findings_wide() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (120, 36), &["}"]));
}

#[test]
fn medium() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (80, 24), &[]));
}

#[test]
fn medium_views() {
    let views = ["2", "5", "7", "8", "9"].map(|tab| screen(samples::report(), COLOURS, (80, 24), &[tab]));
    insta::assert_snapshot!(views.join("\n========\n"));
}

#[test]
fn small() {
    let sizes = [(50, 12), (38, 9), (20, 5), (1, 1)].map(|size| screen(samples::report(), COLOURS, size, &[]));
    insta::assert_snapshot!(sizes.join("\n========\n"));
}

#[test]
fn a_finding_with_its_source() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (100, 20), &["}", "7"]));
}

#[test]
fn grids_of_every_kind() {
    let launches = [
        samples::add(20),
        samples::add(3000),
        samples::plane(12, 20),
        samples::plane(4096, 4096),
        samples::single(),
        samples::gather(),
        samples::add(0),
    ];
    let screens = launches.map(|launch| screen(samples::report_of(launch), PLAIN, (70, 18), &["2"]));
    insta::assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn programs_coloured_by_block() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (80, 24), &["2", "m", "m"]));
}

#[test]
fn programs_coloured_by_what_they_cost() {
    let keys = |count: usize| ["2"].into_iter().chain(std::iter::repeat_n("m", count)).collect::<Vec<_>>();
    let screens = [4, 5, 7, 8, 11].map(|count| {
        let styles = if count == 7 { PLAIN } else { COLOURS };
        screen(samples::measured(), styles, (70, 20), &keys(count))
    });
    insta::assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn blocks_that_were_visited() {
    insta::assert_snapshot!(screen(samples::measured(), COLOURS, (100, 30), &["5", ">", ">", ">", ">", ">", ">"]));
}

#[test]
fn help_shows_the_keymap() {
    insta::assert_snapshot!(screen(samples::report(), COLOURS, (100, 40), &["?"]));
}

#[test]
fn empty_states() {
    let nothing = Arc::new(Report::made("kernels/matmul.py", "x = 1\n", Vec::new(), &[]));
    let broken = Arc::new(Report::made("kernels/matmul.py", samples::SOURCE, vec![samples::finding()], &[]));
    let mut waiting = app(None, COLOURS, (70, 16), &[]);
    waiting.running = Some(Duration::from_secs(1));
    let mut gone = app(Some(samples::report()), COLOURS, (100, 16), &[]);
    gone.update(Message::Unreadable("kernels/matmul.py: no such file".to_string()));
    let screens = [
        text(&waiting, COLOURS),
        screen(nothing, COLOURS, (70, 16), &[]),
        screen(broken, COLOURS, (100, 16), &["2"]),
        text(&gone, COLOURS),
    ];
    insta::assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn without_a_launch_every_view_says_why() {
    let nothing = Arc::new(Report::made("kernels/matmul.py", "x = 1\n", Vec::new(), &[]));
    let broken = Arc::new(Report::made("kernels/matmul.py", samples::SOURCE, vec![samples::finding()], &[]));
    for (report, reason) in [(nothing, "no kernel is launched in this file"), (broken, "the findings say why")] {
        for view in ["2", "3", "4", "5", "6", "8"] {
            let text = screen(report.clone(), COLOURS, (80, 24), &[view]);
            assert!(text.contains(reason), "{text}");
            assert!(!text.contains(" step  ") && !text.contains(" heat map  "), "keys that would do nothing\n{text}");
        }
    }
}

#[test]
fn how_a_program_failed_and_what_it_said_is_in_the_summary() {
    let stderr = "Traceback (most recent call last):\n  File \"k.py\", line 9, in <module>\n\traise ValueError(\"later\")\n\
                  ValueError: later\n";
    let printed: String = (0..20).map(|at| format!("line {at}\n")).collect();
    let failed = |report: &Arc<Report>| {
        let ran = Ran { exit: 1, stderr: stderr.to_string(), printed: printed.clone(), ..Ran::default() };
        Arc::new(Report { ran: Some(ran), ..Report::clone(report) })
    };
    // With a launch, behind what is said of it; without one, alone.
    let launched = screen(failed(&samples::measured()), COLOURS, (100, 40), &["<tab>", "z", "G"]);
    let alone = failed(&Arc::new(Report::made("kernels/matmul.py", "x = 1\n", Vec::new(), &[])));
    let alone = screen(alone, COLOURS, (100, 34), &[]);
    insta::assert_snapshot!([launched, alone].join("\n========\n"));
}

#[test]
fn the_cursor_and_marks_show_without_colours() {
    // What is reversed or bold, in a screen that has no colours: runs of cells.
    let app = app(Some(samples::report()), PLAIN, (80, 24), &["2", "G"]);
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: 80, height: 24 });
    draw(&app, PLAIN, &mut buffer);
    let reversed: String = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED))
        .map(|cell| cell.symbol())
        .collect();
    assert!(reversed.contains("3,1"), "{reversed}");
    assert!(buffer.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset));
    assert!(text(&self::app(Some(samples::report()), PLAIN, (80, 24), &["2"]), PLAIN).contains("3,0"));
}

#[test]
fn every_size_can_be_drawn() {
    let reports = [
        None,
        Some(samples::measured()),
        Some(samples::report_of(samples::single())),
        Some(samples::report_of(samples::plane(1 << 40, 1 << 40))),
        Some(samples::report_of(samples::add(0))),
    ];
    for report in reports {
        for styles in [COLOURS, PLAIN] {
            for keys in [
                &[][..],
                &["2", "G", "m"],
                &["3"],
                &["3", "0"],
                &["4"],
                &["5"],
                &["6", "o"],
                &["6", "m"],
                &["}", "7"],
                &["8"],
                &["9"],
                &["?"],
                &[":"],
                &["/", "x"],
            ] {
                // What has been worked out once serves all sizes.
                let mut app = app(report.clone(), styles, (120, 36), keys);
                for width in (0..62).chain([80, 110, 200]) {
                    for height in (0..18).chain([24, 31, 60]) {
                        app.size = Size { width, height };
                        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
                        draw(&app, styles, &mut buffer);
                    }
                }
            }
        }
    }
}

#[test]
fn values_of_every_size_can_be_drawn() {
    for styles in [COLOURS, PLAIN] {
        for keys in [&[][..], &["o", "G"], &["m"]] {
            let mut app = app_with_values(styles, (120, 36), keys);
            for width in (0..70).step_by(3).chain([120, 200]) {
                for height in (0..20).chain([30, 60]) {
                    app.size = Size { width, height };
                    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
                    draw(&app, styles, &mut buffer);
                }
            }
        }
    }
}
