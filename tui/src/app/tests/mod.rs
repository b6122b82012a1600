//! Keys to state: what is pressed, and what the app then shows or asks for. No terminal, no time but what is given.

mod moving;
mod runs;
mod text;

use super::*;
use crate::app::{map::CellShape, samples};
use crate::keymap::Key;
use pallas_engine::pipeline::{MACHINES, Machines};

/// An app that shows a report on a terminal of this size.
fn app(report: Arc<Report>, width: u16, height: u16) -> App {
    let mut app = App::new(PathBuf::from("kernels/matmul.py"), Size { width, height }, true);
    let effect = app.update(Message::Analysed(report));
    assert!(matches!(effect, Some(Effect::Watch(_))));
    app
}

/// The same, with the grid on the screen.
fn in_grid(report: Arc<Report>, width: u16, height: u16) -> App {
    let mut app = app(report, width, height);
    press(&mut app, "2");
    app
}

/// Presses keys written one after another, names in angle brackets: `"jj<enter>C-d "`. Gives the last effect.
fn press(app: &mut App, keys: &str) -> Option<Effect> {
    let mut effect = None;
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '<' => rest.find('>').map_or(1, |end| end + 1),
            'C' if rest.starts_with("C-") => 3,
            _ => first.len_utf8(),
        };
        let (key, after) = rest.split_at(length);
        rest = after;
        let key = Key::parse(key).unwrap_or_else(|| panic!("{key} is no key"));
        effect = app.update(Message::Key(key));
    }
    effect
}

#[test]
fn launches_and_findings_are_a_key_away() {
    let mut app = app(samples::report(), 120, 36);
    assert_eq!((app.launch, app.anchor), (0, Anchor::Kernel));
    press(&mut app, "}");
    assert_eq!((app.finding, app.anchor), (0, Anchor::Finding), "first the one that is selected");
    assert_eq!(app.program, [3, 0, 0], "the cursor goes to the program that the finding names");
    press(&mut app, "}");
    assert_eq!(app.finding, 1);
    press(&mut app, "}");
    assert_eq!(app.finding, 0, "around");
    press(&mut app, "{");
    assert_eq!(app.finding, 1);
    press(&mut app, ")");
    assert_eq!((app.launch, app.program.as_slice(), app.anchor), (1, &[3][..], Anchor::Kernel));
    press(&mut app, ")");
    assert_eq!((app.launch, app.program.as_slice()), (0, &[3, 0, 0][..]));
    press(&mut app, "9jj");
    assert_eq!((app.focus, app.finding), (Pane::Findings, 1));
    press(&mut app, "<enter>");
    assert_eq!(app.focus, Pane::Source);
    press(&mut app, "1G<enter>");
    assert_eq!((app.view, app.focus, app.launch), (View::Grid, Pane::Grid, 1));
    press(&mut app, "<enter>");
    assert_eq!(app.view, View::Blocks);
}

#[test]
fn panes_take_turns() {
    let mut app = app(samples::report(), 120, 36);
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(app.focus);
        press(&mut app, "<tab>");
    }
    let panes = [Pane::Launches, Pane::Summary, Pane::Findings, Pane::Grid, Pane::Source, Pane::Launches];
    assert_eq!(seen, panes);
    press(&mut app, "<backtab><backtab>");
    assert_eq!(app.focus, Pane::Source);
    // Panes with nothing to show are passed over, and those without room take turns.
    let mut app = self::app(samples::report_of(samples::matmul()), 80, 24);
    press(&mut app, "<tab><tab>");
    assert_eq!(app.focus, Pane::Grid);
    press(&mut app, "2<tab>");
    assert_eq!((app.view, app.focus), (View::Grid, Pane::Blocks));
    // Where a view is one pane, they go to the next view.
    press(&mut app, "5<tab>");
    assert_eq!(app.view, View::Values);
    press(&mut app, "<backtab>");
    assert_eq!((app.view, app.focus), (View::Blocks, Pane::Blocks));
}

#[test]
fn escape_backs_out_and_never_quits() {
    let mut app = app(samples::report(), 120, 36);
    press(&mut app, "2z?");
    assert!(app.help.is_some() && app.maximised);
    assert_eq!(press(&mut app, "<esc>"), None);
    assert!(app.help.is_none() && app.maximised);
    press(&mut app, "<esc>");
    assert!(!app.maximised && app.view == View::Grid);
    for _ in 0..5 {
        assert_eq!(press(&mut app, "<esc>"), None);
    }
    assert_eq!(app.view, View::Overview);
    for keys in ["q", "C-c", "?q", "4q"] {
        assert_eq!(press(&mut app, keys), Some(Effect::Quit), "{keys}");
        press(&mut app, "<esc>");
    }
}

#[test]
fn effects_leave_the_app() {
    let mut app = app(samples::report(), 120, 36);
    assert_eq!(press(&mut app, "r"), Some(Effect::Analyse));
    assert_eq!(press(&mut app, "C-z"), Some(Effect::Suspend));
    assert_eq!(press(&mut app, "C-l"), Some(Effect::Redraw));
    let file = || PathBuf::from("kernels/matmul.py");
    assert_eq!(press(&mut app, "e"), Some(Effect::Edit(file(), 6)), "the kernel");
    assert_eq!(press(&mut app, "}e"), Some(Effect::Edit(file(), 20)), "the finding");
}

#[test]
fn what_is_said_goes_away() {
    let mut app = app(samples::report_of(samples::matmul()), 120, 36);
    press(&mut app, "}");
    assert!(app.toast.is_some());
    app.now = Duration::from_secs(6);
    app.update(Message::Tick);
    assert!(app.toast.is_none());
}

#[test]
fn no_key_harms_any_state() {
    let reports = [
        samples::report(),
        samples::report_of(samples::single()),
        samples::report_of(samples::gather()),
        samples::report_of(samples::add(0)),
        samples::report_of(samples::plane(1 << 40, 1 << 20)),
        Arc::new(Report::made("a.py", "", vec![samples::finding()], &[])),
    ];
    let keys: Vec<&str> = keymap::KEYMAP.iter().flat_map(|binding| binding.keys).copied().collect();
    for report in reports {
        for (width, height) in [(120, 36), (80, 24), (20, 5), (0, 0)] {
            let mut app = app(report.clone(), width, height);
            // A fixed walk that mixes all keys.
            let mut at = 7;
            for _ in 0..600 {
                at = (at * 31 + 17) % 9973;
                if let Some(key) = Key::parse(keys[at % keys.len()]) {
                    app.update(Message::Key(key));
                }
            }
        }
    }
}

#[test]
fn commands_are_found_by_name() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, ":view: pipe<enter>");
    assert_eq!(app.view, View::Pipeline);
    press(&mut app, ":2,1,3<enter>");
    assert_eq!(app.program, [2, 1, 3], "ids are a place");
    press(&mut app, ":bytes<enter>");
    assert_eq!((app.view, app.metric), (View::Grid, Metric::Bytes));
    let effect = press(&mut app, ":TPU v6e<enter>");
    assert!(matches!(effect, Some(Effect::Model(Machines::Named(machine))) if machine.key == "v6e"));
    let effect = press(&mut app, ":machine: for each<enter>");
    assert_eq!(effect, Some(Effect::Model(Machines::Fitting)));
    press(&mut app, ":launch 2<enter>");
    assert_eq!(app.launch, 1);
    press(&mut app, ":no such thing<enter>");
    assert!(app.prompt.is_none());
    press(&mut app, ":qui<esc>");
    assert!(app.prompt.is_none());
    assert_eq!(press(&mut app, ":quit<enter>"), Some(Effect::Quit));
}

#[test]
fn texts_are_searched_and_lists_filtered() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, "7/BlockSpec<enter>");
    let first = app.source_scroll;
    press(&mut app, "n");
    assert_eq!(app.source_scroll, first + 1);
    press(&mut app, "N");
    assert_eq!(app.source_scroll, first);
    press(&mut app, "8/dot_general<enter>");
    assert!(app.ir().lines().nth(app.ir_scroll).is_some_and(|line| line.contains("dot_general")));
    press(&mut app, "\\pl301<enter>");
    assert_eq!((app.view, app.finding, app.shown_findings()), (View::Findings, 1, vec![1]));
    press(&mut app, "<esc>");
    assert_eq!(app.shown_findings().len(), 2);
}
