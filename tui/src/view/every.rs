//! Every view at three sizes, in Unicode with colours and in ASCII without, as text and as styles; every view at every size
//! there is; and every view once more from what the report says as JSON.

use super::tests::{COLOURS, PLAIN, app, press, text};
use super::{View, draw};
use crate::app::report::Report;
use crate::app::{App, Message, Size, samples};
use crate::styles::{Depth, Ramp, Styles};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;
use std::sync::Arc;

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];
/// Colours, but only those that every terminal has.
const NAMED: Styles = Styles { depth: Depth::Sixteen, ascii: false, ramp: Ramp::Viridis };

/// A view with everything that there is to show in it: measured times, values, a store, marks.
fn shown(report: &Arc<Report>, styles: Styles, size: (u16, u16), view: View) -> App {
    let mut app = app(Some(report.clone()), styles, size, &[]);
    app.update(Message::Tiles(Arc::new(samples::tiles(1))));
    let number = View::ALL.iter().position(|known| *known == view).map_or(1, |at| at + 1);
    press(&mut app, &[&number.to_string()]);
    match view {
        View::Pipeline => press(&mut app, &["w", "l", "l", "l", "w", "l"]),
        View::Values => press(&mut app, &["."]),
        View::Grid => press(&mut app, &["m", "m", "m", "m"]),
        View::Findings => press(&mut app, &["}"]),
        _ => {}
    }
    app
}

fn buffer(app: &App, styles: Styles) -> Buffer {
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: app.size.width, height: app.size.height });
    draw(app, styles, &mut buffer);
    buffer
}

/// How a cell looks, in words; shades of a heat map are one word.
fn look(cell: &Cell) -> String {
    let color = |what: &str, color: Color| match color {
        Color::Reset => String::new(),
        Color::Rgb(..) | Color::Indexed(16..) => format!(" {what}=shade"),
        named => format!(" {what}={named:?}"),
    };
    let mut words = color("fg", cell.fg) + &color("bg", cell.bg);
    for (modifier, name) in [
        (Modifier::BOLD, " bold"),
        (Modifier::DIM, " dim"),
        (Modifier::REVERSED, " reversed"),
        (Modifier::UNDERLINED, " underlined"),
        (Modifier::ITALIC, " italic"),
    ] {
        if cell.modifier.contains(modifier) {
            words.push_str(name);
        }
    }
    words.trim().to_string()
}

/// The styles of a screen: a letter for each look, and what the letters mean.
fn styles_of(buffer: &Buffer) -> String {
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let mut lines = Vec::new();
    for line in buffer.content.chunks(buffer.area.width.max(1) as usize) {
        let mut text = String::new();
        for cell in line {
            let look = look(cell);
            text.push(if look.is_empty() {
                ' '
            } else {
                let next = char::from_u32('a' as u32 + letters.len() as u32).unwrap_or('?');
                *letters.entry(look).or_insert(next)
            });
        }
        lines.push(text.trim_end().to_string());
    }
    let mut legend: Vec<(char, String)> = letters.into_iter().map(|(look, letter)| (letter, look)).collect();
    legend.sort();
    lines.extend(legend.into_iter().map(|(letter, look)| format!("{letter} = {look}")));
    lines.join("\n")
}

#[test]
fn every_view_at_three_sizes() {
    let report = samples::measured();
    for view in View::ALL {
        let mut parts = Vec::new();
        for size in SIZES {
            let (width, height) = size;
            let rich = shown(&report, COLOURS, size, view);
            let plain = shown(&report, PLAIN, size, view);
            let ascii = text(&plain, PLAIN);
            assert!(ascii.is_ascii(), "{} at {width}x{height}: {ascii}", view.name());
            let without = styles_of(&buffer(&plain, PLAIN));
            assert!(!without.contains("fg=") && !without.contains("bg="), "{}: {without}", view.name());
            parts.push(format!("=== {width}x{height}\n{}", text(&rich, COLOURS)));
            parts.push(format!("=== {width}x{height}, ASCII without colours\n{ascii}"));
            parts.push(format!("=== {width}x{height}, styles with colours\n{}", styles_of(&buffer(&rich, COLOURS))));
            parts.push(format!("=== {width}x{height}, styles without colours\n{without}"));
        }
        insta::assert_snapshot!(format!("every_view_{}", view.name().to_lowercase()), parts.join("\n"));
    }
}

#[test]
fn sixteen_colours_are_enough() {
    for view in View::ALL {
        let app = shown(&samples::measured(), NAMED, (120, 36), view);
        let styles = styles_of(&buffer(&app, NAMED));
        assert!(!styles.contains("shade"), "{}: {styles}", view.name());
    }
}

/// Each size is drawn by one view after the other, with help, palette and prompts among them: all of them at all sizes
/// would be 160 000 frames.
#[test]
fn every_size_from_nothing_to_a_large_screen() {
    let report = samples::measured();
    for styles in [COLOURS, PLAIN] {
        let mut apps: Vec<App> = View::ALL.iter().map(|view| shown(&report, styles, (120, 36), *view)).collect();
        for keys in [&["?"][..], &[":"], &[":", "v"], &["/", "x"], &["\\", "3"], &["7", "z"], &["6", "m"], &["3", "0"]]
        {
            let mut app = app(Some(report.clone()), styles, (120, 36), &[]);
            app.update(Message::Tiles(Arc::new(samples::tiles(1))));
            press(&mut app, keys);
            apps.push(app);
        }
        let count = apps.len();
        for width in 0..=200u16 {
            for height in 0..=60u16 {
                // Neither a row nor a column of sizes meets the same view only.
                let at = (usize::from(width) * 5 + usize::from(height) * 3 + usize::from(width / 17)) % count;
                let app = &mut apps[at];
                app.size = Size { width, height };
                buffer(app, styles);
            }
        }
    }
}

/// What is on the screen is in the JSON: a report that is read back draws the same screens, cell by cell.
#[test]
fn every_view_is_drawn_from_the_json_alone() {
    let report = samples::measured();
    for size in SIZES {
        for view in View::ALL {
            let mut live = shown(&report, COLOURS, size, view);
            let saved = live.full_report().expect("there is a profile").to_json().expect("it is written");
            let read = pallas_engine::report::Report::read(&saved).expect("it is read");
            let opened = Arc::new(Report::opened(read).expect("its launches are read"));
            let mut again = app(Some(opened), COLOURS, size, &[]);
            // The cursor and what was pressed are the user's, not the report's.
            let number = View::ALL.iter().position(|known| *known == view).map_or(1, |at| at + 1);
            press(&mut again, &[&number.to_string()]);
            match view {
                View::Pipeline => press(&mut again, &["w", "l", "l", "l", "w", "l"]),
                View::Values => press(&mut again, &["."]),
                View::Grid => press(&mut again, &["m", "m", "m", "m"]),
                View::Findings => press(&mut again, &["}"]),
                _ => {}
            }
            again.path = live.path.clone();
            (live.toast, again.toast) = (None, None);
            let (first, second) = (buffer(&live, COLOURS), buffer(&again, COLOURS));
            if first != second {
                assert_eq!(text(&again, COLOURS), text(&live, COLOURS), "{} at {size:?}", view.name());
                assert_eq!(styles_of(&second), styles_of(&first), "{} at {size:?}", view.name());
                panic!("{} at {size:?}: other colours", view.name());
            }
        }
    }
}
