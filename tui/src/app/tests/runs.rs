//! Runs, saves and what comes of them: reports that follow each other, values, code.

use super::*;
use crate::app::report::Ran;

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
    // Broken for a while: what was there before is what the mended file is compared with.
    let broken = Report {
        ran: Some(Ran { exit: 1, ..Ran::default() }),
        ..Report::made("kernels/matmul.py", "x = (\n", Vec::new(), &[])
    };
    app.update(Message::Analysed(Arc::new(broken)));
    app.update(Message::Analysed(samples::report()));
    assert!(app.previous.as_ref().is_some_and(|previous| !previous.launches.is_empty()));
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
