//! Moving: in the grid, along the pipeline, by mouse.

use super::*;

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
fn programs_follow_each_other_in_every_view() {
    let mut app = app(samples::report_of(samples::matmul()), 120, 36);
    press(&mut app, ">>>>>");
    assert_eq!((app.number(), app.program.as_slice()), (5, &[0, 1, 1][..]));
    press(&mut app, "<");
    assert_eq!(app.program, [0, 1, 0]);
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
