//! Keys to state: what is pressed, and what the app then shows or asks for. No terminal, no time but what is given.

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

/// (launch, keys, program afterwards), on a wide terminal.
fn walks(launch: pallas_engine::Launch, cases: &[(&str, &[usize])]) {
    for (keys, expected) in cases {
        let mut app = in_grid(samples::report_of(launch.clone()), 120, 36);
        press(&mut app, keys);
        assert_eq!(app.program, *expected, "after {keys}");
    }
}

#[test]
fn moving_in_a_plane() {
    walks(
        samples::matmul(),
        &[
            ("", &[0, 0, 0]),
            ("l", &[0, 1, 0]),
            ("lll", &[0, 1, 0]),
            ("jjl", &[2, 1, 0]),
            ("jjk", &[1, 0, 0]),
            ("h", &[0, 0, 0]),
            ("G", &[3, 1, 3]),
            ("Gg", &[0, 0, 0]),
            ("]", &[0, 0, 1]),
            ("[", &[0, 0, 3]),
            ("]]]]", &[0, 0, 0]),
            ("jl]", &[1, 1, 1]),
            ("<down><right>", &[1, 1, 0]),
            ("J", &[3, 0, 0]),
        ],
    );
}

#[test]
fn other_axes_can_be_drawn() {
    walks(
        samples::matmul(),
        &[("al", &[0, 0, 1]), ("alj]", &[1, 1, 1]), ("aaj", &[0, 1, 0]), ("aal", &[0, 0, 1]), ("aaal", &[0, 1, 0])],
    );
}

#[test]
fn moving_along_one_axis_follows_the_lines_of_the_map() {
    let mut app = in_grid(samples::report_of(samples::add(64)), 120, 36);
    let map = app.map().expect("a map");
    assert!(matches!(map.shape, CellShape::Tile { .. }));
    let line = map.extent.1;
    press(&mut app, "j");
    assert_eq!(app.program, [line]);
    press(&mut app, "lk");
    assert_eq!(app.program, [1], "up goes straight");
    press(&mut app, "kG");
    assert_eq!(app.program, [63]);
    press(&mut app, "jl");
    assert_eq!(app.program, [63], "the end is the end");
    press(&mut app, "h");
    assert_eq!(app.program, [62]);
}

#[test]
fn jumps_cover_cells_in_a_large_grid() {
    let mut app = in_grid(samples::report_of(samples::plane(4096, 4096)), 120, 36);
    let map = app.map().expect("a map");
    assert!(map.is_coarse());
    press(&mut app, "L");
    assert_eq!(app.program, [0, map.per_cell.1]);
    press(&mut app, "Jl");
    assert_eq!(app.program, [map.per_cell.0, map.per_cell.1 + 1]);
    let mut zoomed = app.clone();
    press(&mut zoomed, "+");
    let closer = zoomed.map().expect("a map");
    assert!(closer.per_cell.0 * 2 <= map.per_cell.0 + 1);
    press(&mut zoomed, "++++++++++++++++++++");
    let nearest = zoomed.map().expect("a map");
    assert!(!nearest.is_coarse() && nearest.cell_of(&zoomed.program) == (zoomed.program[0], zoomed.program[1]));
    press(&mut zoomed, "0");
    assert_eq!(zoomed.map(), app.map());
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
fn programs_follow_each_other_in_every_view() {
    let mut app = app(samples::report_of(samples::matmul()), 120, 36);
    press(&mut app, ">>>>>");
    assert_eq!((app.number(), app.program.as_slice()), (5, &[0, 1, 1][..]));
    press(&mut app, "<");
    assert_eq!(app.program, [0, 1, 0]);
}

#[test]
fn a_run_is_told_of_until_it_has_ended() {
    let mut app = app(samples::report(), 120, 36);
    assert_eq!(press(&mut app, "c"), None, "there is nothing to stop");
    app.update(Message::Running);
    app.update(Message::Progress { kernel: "matmul_kernel".to_string(), done: 3, programs: 32 });
    assert_eq!(app.run.as_ref().and_then(|run| run.launch.clone()), Some(("matmul_kernel".to_string(), 3, 32)));
    assert_eq!(press(&mut app, "c"), Some(Effect::Stop));
    press(&mut app, "2jl");
    app.update(Message::Profiled(samples::report()));
    assert!(app.run.is_none());
    assert_eq!(app.program, [1, 1, 0], "the cursor stays");
    assert_eq!(press(&mut app, "M"), Some(Effect::Model(Machines::named(&MACHINES[1]))));
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
fn a_save_is_analysed_unless_paused() {
    let mut app = app(samples::report(), 120, 36);
    assert_eq!(app.update(Message::Changed), Some(Effect::Analyse));
    press(&mut app, "p");
    assert_eq!(app.update(Message::Changed), None);
    assert!(app.stale);
    assert_eq!(press(&mut app, "p"), Some(Effect::Analyse), "what was missed is made up for");
}

#[test]
fn the_cursor_survives_an_edit() {
    let mut app = app(samples::report(), 120, 36);
    press(&mut app, ")2lll");
    assert_eq!((app.launch, app.program.as_slice()), (1, &[3][..]));
    // The other launch is gone, and this one's grid is smaller.
    app.update(Message::Analysed(samples::report_of(samples::add(2))));
    assert_eq!((app.launch, app.program.as_slice()), (0, &[1][..]));
    app.update(Message::Analysed(Arc::new(Report::made("a.py", "", Vec::new(), &[]))));
    assert!(app.launch().is_none() && app.program.is_empty());
}

#[test]
fn an_unreadable_file_keeps_the_last_report() {
    let mut app = app(samples::report(), 120, 36);
    app.update(Message::Unreadable("k.py: no such file".to_string()));
    assert!(app.report.is_some() && app.unreadable.is_some());
    app.update(Message::Analysed(samples::report()));
    assert!(app.unreadable.is_none());
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
fn steps_of_the_pipeline_are_programs_of_the_grid() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, "3lll");
    assert_eq!(app.program, [0, 0, 3], "one cursor for all views");
    press(&mut app, "G");
    assert_eq!(app.number(), 31);
    press(&mut app, "g");
    // The output's block goes back after four programs.
    press(&mut app, "jjjjj.");
    assert_eq!((app.lane, app.number()), (5, 3));
    press(&mut app, ".");
    assert_eq!(app.number(), 11, "the other block of the first slot");
    press(&mut app, ",");
    assert_eq!(app.number(), 3);
    press(&mut app, "0");
    assert_eq!(app.timeline(100).map(|timeline| timeline.count), Some(32));
    press(&mut app, "++++++++++++++++");
    assert_eq!(app.timeline(100).map(|timeline| timeline.count), Some(1));
}

#[test]
fn steps_are_played_until_the_last() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, "3G");
    app.step_program(-2);
    press(&mut app, " ");
    for frame in 1..5 {
        app.now = Duration::from_millis(200 * frame);
        app.update(Message::Tick);
    }
    assert!(app.number() == 31 && !app.playing);
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

#[test]
fn clicks_and_the_wheel() {
    let mut app = app(samples::measured(), 120, 36);
    let tab = |view: View| (0..120).find(|&x| crate::view::tabs::at(&App::clone(&tabs()), 120, x) == Some(view));
    fn tabs() -> App {
        App::new(PathBuf::from("k.py"), Size { width: 120, height: 36 }, true)
    }
    let click = |app: &mut App, x: u16, y: u16| app.update(Message::Mouse(mouse::Click::Press, x, y));
    click(&mut app, tab(View::Grid).expect("it has a tab"), 1);
    assert_eq!(app.view, View::Grid);
    let grid = Layout::of(&app).pane(Pane::Grid).expect("it is shown");
    let map = app.map().expect("a map");
    let CellShape::Tile { pitch, lines } = map.shape else { panic!("no tiles") };
    click(&mut app, grid.x + 1 + (map.ruler + pitch) as u16, grid.y + 2 + 2 * lines as u16);
    assert_eq!(app.program, [2, 1, 0]);
    click(&mut app, tab(View::Overview).expect("it has a tab"), 1);
    let launches = Layout::of(&app).pane(Pane::Launches).expect("it is shown");
    click(&mut app, launches.x + 4, launches.y + 3);
    assert_eq!(app.launch, 1);
    press(&mut app, "7");
    let before = app.source_scroll;
    app.update(Message::Mouse(mouse::Click::Down, 10, 10));
    assert_eq!(app.source_scroll, before + 1);
}

#[test]
fn the_run_before_an_edit_is_kept_to_compare_with() {
    let mut app = app(samples::report(), 120, 36);
    assert!(app.previous.is_none());
    app.update(Message::Profiled(samples::measured()));
    app.update(Message::Profiled(samples::measured()));
    assert!(app.previous.is_none(), "another machine is no other run");
    app.update(Message::Analysed(samples::report()));
    assert!(app.previous.as_ref().is_some_and(|previous| previous.ran.is_some()));
    app.update(Message::Profiled(samples::measured()));
    assert!(app.previous.is_some());
}

#[test]
fn values_are_asked_for_once() {
    let mut app = app(samples::measured(), 120, 36);
    let effect = press(&mut app, "6");
    let Some(Effect::Tiles { generation, number: 0, program: 0, .. }) = effect else { panic!("{effect:?}") };
    assert_eq!(app.update(Message::Tick), None, "once");
    app.update(Message::Tiles(Arc::new(samples::tiles(generation))));
    assert!(app.tiles().is_some());
    assert_eq!(press(&mut app, ">"), None, "a neighbour is there already");
    press(&mut app, "ooGb");
    assert_eq!((app.values.selected, app.values.element, app.values.moment), (2, (127, 127), values::Moment::Change));
    assert!(matches!(press(&mut app, ">"), Some(Effect::Tiles { program: 2, .. })));
}

#[test]
fn stores_are_stepped_through() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, "6");
    app.update(Message::Tiles(Arc::new(samples::tiles(1))));
    let number = |app: &App| app.tile().and_then(|tile| tile.value(app.values.moment, 0)).and_then(|v| v.as_f64());
    let at = |app: &App| app.store().map(|(at, store)| (at, store.at));
    assert_eq!((at(&app), app.values.selected), (None, 0));
    press(&mut app, ".b");
    // The change from what was there, 0, to zeros.
    assert_eq!((at(&app), app.values.selected, number(&app)), (Some((0, 2)), 2, Some(0.0)));
    press(&mut app, ".bb");
    assert_eq!((at(&app), number(&app)), (Some((1, 2)), Some(0.0)));
    press(&mut app, ".");
    assert_eq!((at(&app), app.toast.is_some()), (Some((1, 2)), true), "there is no third store, which is said");
    press(&mut app, ">");
    assert_eq!(at(&app), None, "the next program has one store");
    press(&mut app, "<,,");
    assert_eq!(at(&app), None, "the kernel as a whole stands in front of the first store");
    press(&mut app, ".<esc>");
    assert_eq!((at(&app), app.view), (None, View::Values), "back is out of the store first");
    press(&mut app, ".o");
    assert_eq!(at(&app), None, "another Ref is looked at for itself");
}

#[test]
fn the_saved_report_has_the_values_that_were_looked_at() {
    let mut app = app(samples::measured(), 120, 36);
    assert!(app.full_report().expect("a report").launches[0].values.is_empty());
    press(&mut app, "6");
    app.update(Message::Tiles(Arc::new(samples::tiles(1))));
    let report = app.full_report().expect("a report");
    let values = &report.launches[0].values;
    assert_eq!((values.len(), values[0].stores.len(), values[0].refs[2].name.as_str()), (2, 2, "o"));
    let text = report.to_json().expect("it is written");
    let read = pallas_engine::report::Report::read(&text).expect("it is read");
    assert_eq!(format!("{:?}", read.launches[0].values), format!("{values:?}"), "NaN and all");
    assert_eq!(press(&mut app, "X"), Some(Effect::Save));
}

#[test]
fn the_pipeline_is_panned_with_the_cursor_left_behind() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, "3");
    let first = |app: &App| app.timeline_on_screen().expect("a timeline").first;
    assert_eq!(first(&app), 0);
    press(&mut app, "]]");
    assert_eq!((first(&app), app.number()), (4, 0));
    press(&mut app, "[[[");
    assert_eq!((first(&app), app.toast.is_some()), (0, true));
    press(&mut app, "]]]]]]]]]]]]]]]]]]");
    assert_eq!(first(&app), 24);
    press(&mut app, "[");
    assert_eq!(first(&app), 22, "nothing is left of panning past the end");
    press(&mut app, "l");
    assert_eq!((first(&app), app.number()), (0, 1), "a move of the cursor brings it back");
}

#[test]
fn a_span_is_drawn_with_the_mouse() {
    let mut app = app(samples::measured(), 120, 36);
    press(&mut app, "3");
    let pane = layout::Layout::of(&app).pane(Pane::Pipeline).expect("it is on the screen");
    let inner = layout::inside(pane);
    let mut mouse = |click, x: u16| {
        app.update(Message::Mouse(click, inner.x + x, inner.y + 4));
        (app.step(), app.marks, app.timeline_on_screen().expect("a timeline").first)
    };
    let (from, marks, first) = mouse(mouse::Click::Press, 60);
    assert!(from > 0 && marks == (None, None) && first == 0, "a click moves the cursor, and not what is on the screen");
    let (_, marks, _) = mouse(mouse::Click::Drag, 61);
    assert_eq!(marks, (None, None), "a hand that trembles marks nothing");
    let (step, marks, _) = mouse(mouse::Click::Drag, inner.width - 2);
    assert_eq!((step, marks), (from, (Some(from), Some(7))));
    let (_, marks, first) = mouse(mouse::Click::Drag, 0);
    assert_eq!((marks, first), ((Some(from), Some(0)), 0), "to the left of the first step is the first step");
    mouse(mouse::Click::Release, 0);
    let (_, marks, _) = mouse(mouse::Click::Drag, inner.width - 2);
    assert_eq!(marks, (Some(from), Some(0)), "a button that is up draws nothing");
    assert!(app.between().is_some_and(|between| between.steps() == from + 1));
}

#[test]
fn code_is_made_once_and_for_the_launch_that_is_looked_at() {
    use pallas_engine::generated::Form;
    let mut app = app(samples::measured(), 120, 36);
    assert_eq!(press(&mut app, "8"), None, "the IR is there already");
    assert!(app.ir().contains("grid"));
    let asked = press(&mut app, "m");
    let Some(Effect::Generate { generation, number, form, .. }) = asked else { panic!("{asked:?}") };
    assert_eq!((number, form, app.ir()), (0, Form::Cuda, ""));
    assert_eq!(app.update(Message::Tick), None, "it is asked for once");
    let made = |form, text: &str| {
        let text = Ok(text.to_string());
        Message::Generated(Arc::new(code::Generated { generation, launch: 0, form, text }))
    };
    app.update(made(Form::Simt, "of another form"));
    assert_eq!(app.ir(), "");
    app.update(made(Form::Cuda, "__global__"));
    assert_eq!((app.ir(), app.form_title()), ("__global__", "CUDA C++"));
    app.update(made(Form::Simt, "asked for before, and done later"));
    assert_eq!(app.ir(), "__global__");
    assert!(matches!(press(&mut app, ")"), Some(Effect::Generate { number: 1, .. })));
    assert_eq!(app.ir(), "", "another launch has another code");
    for title in ["SIMT IR", "Triton IR", "CUDA Tile IR", "IR", "CUDA C++"] {
        press(&mut app, "m");
        assert_eq!(app.form_title(), title);
    }
}

#[test]
fn the_overview_of_a_report_never_hides_what_was_read() {
    let mut app = App::new(PathBuf::from("k.json"), Size { width: 120, height: 36 }, true);
    app.update(Message::Running);
    app.update(Message::Overview(samples::report()));
    assert!(app.report.is_some() && app.run.is_some(), "it is still being read");
    app.update(Message::Profiled(samples::measured()));
    let read = app.generation;
    app.update(Message::Running);
    app.update(Message::Overview(samples::report()));
    assert_eq!(app.generation, read);
}
