//! Text that scrolls: no key leads further than there is something to see.

use super::*;

#[test]
fn what_is_scrolled_to_its_end_comes_back_at_once() {
    let mut app = app(samples::measured(), 80, 24);
    press(&mut app, "1<tab>G");
    let bottom = app.summary_scroll;
    assert!(app.focus == Pane::Summary && bottom > 0 && bottom < 100, "{bottom}");
    press(&mut app, "jjjk");
    assert_eq!(app.summary_scroll, bottom - 1);
    press(&mut app, "?GG");
    let bottom = app.help.expect("it is open");
    assert!(bottom > 0 && bottom < 1000, "{bottom}");
    press(&mut app, "jjk");
    assert_eq!(app.help, Some(bottom - 1));
}

#[test]
fn long_lines_are_scrolled_sideways_as_far_as_they_go() {
    let mut app = app(samples::measured(), 80, 24);
    press(&mut app, "8l");
    assert_eq!(app.sideways, 8);
    press(&mut app, "hh");
    assert_eq!(app.sideways, 0);
    press(&mut app, &"l".repeat(1000));
    let widest = app.ir().lines().map(|line| line.chars().count()).max().expect("lines");
    assert_eq!(app.sideways, widest - 8);
    press(&mut app, "7");
    assert_eq!(app.sideways, 0, "another text begins at its first column");
    press(&mut app, "l");
    assert_eq!(app.sideways, 8);
}

#[test]
fn half_a_page_is_half_of_what_is_seen() {
    let mut app = app(samples::measured(), 120, 40);
    press(&mut app, "8C-d");
    let seen = Layout::of(&app).pane(Pane::Ir).map_or(0, |area| layout::inside(area).height as usize);
    assert_eq!(app.ir_scroll, (seen / 2).min(app.ir().lines().count() - 1));
}

#[test]
fn commands_that_would_do_nothing_are_not_offered() {
    let mut app = app(samples::report_of(samples::single()), 120, 36);
    let offers = |app: &App, words: &str| app.commands("").iter().any(|command| command.words == words);
    press(&mut app, "7");
    assert!(!offers(&app, "next match") && !offers(&app, "next launch"));
    press(&mut app, "/pallas<enter>");
    assert!(offers(&app, "next match"));
}

#[test]
fn a_tight_terminal_has_the_pane_with_the_keys() {
    let mut app = app(samples::measured(), 50, 12);
    for key in ["1", "2", "4", "9"] {
        press(&mut app, key);
        let panes = Layout::of(&app).panes;
        assert_eq!(panes.len(), 1, "{key}: {panes:?}");
        assert_eq!(panes[0].0, app.focus, "{key}");
    }
    press(&mut app, "1");
    let first = app.focus;
    press(&mut app, "<tab>");
    assert!(app.focus != first && Layout::of(&app).pane(app.focus).is_some());
}
