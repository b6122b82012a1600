//! What is selected and focused: panes, findings, launches.

use super::{Anchor, App, Effect, Pane, View};
use std::path::PathBuf;

impl App {
    /// One level out.
    pub(super) fn back(&mut self) {
        if !self.filter.is_empty() && self.focus == Pane::Findings {
            self.filter.clear();
        } else if !self.search.is_empty() {
            self.search.clear();
        } else if self.maximised {
            self.maximised = false;
        } else if self.playing {
            self.playing = false;
        } else if self.zoom > 0 && self.focus == Pane::Grid {
            self.zoom = 0;
        } else if self.values.store.is_some() && self.focus == Pane::Values {
            self.values.store = None;
        } else if self.marks != (None, None) && self.focus == Pane::Pipeline {
            self.marks = (None, None);
        } else if self.panned != 0 && self.focus == Pane::Pipeline {
            self.panned = 0;
        } else if self.steps.is_some() && self.focus == Pane::Pipeline {
            self.steps = None;
        } else if self.anchor == Anchor::Finding && self.focus == Pane::Source {
            self.show(Anchor::Kernel);
        } else {
            self.go(View::Overview);
        }
    }

    /// Shows a view. The list of findings brings the source of the selected one with it.
    pub(super) fn go(&mut self, view: View) {
        self.view = view;
        self.maximised = false;
        self.sideways = 0;
        self.focus(view.primary());
    }

    /// Gives a pane the keys.
    pub(super) fn focus(&mut self, pane: Pane) {
        self.focus = pane;
        if pane == Pane::Findings {
            self.show(Anchor::Finding);
        }
    }

    /// To another pane of the view; to another view, where this one has only one.
    pub(super) fn turn(&mut self, forward: bool) {
        let after = |at: usize, count: usize| if forward { (at + 1) % count } else { (at + count - 1) % count };
        let nothing =
            |pane: Pane| pane == Pane::Findings && self.report.as_ref().is_none_or(|report| report.findings.is_empty());
        let panes: Vec<Pane> = self.view.panes().iter().copied().filter(|pane| !nothing(*pane)).collect();
        if panes.len() > 1 {
            let at = panes.iter().position(|pane| *pane == self.focus).unwrap_or(0);
            self.focus(panes[after(at, panes.len())]);
        } else {
            let at = View::ALL.iter().position(|view| *view == self.view).unwrap_or(0);
            self.go(View::ALL[after(at, View::ALL.len())]);
        }
    }

    fn show(&mut self, anchor: Anchor) {
        self.anchor = anchor;
        self.source_scroll = 0;
        self.sideways = 0;
    }

    /// To the next finding, or the previous one.
    pub(super) fn select_finding(&mut self, step: i64) {
        let shown = self.shown_findings();
        let count = shown.len();
        if count == 0 {
            self.say(if self.filter.is_empty() { "no findings" } else { "no finding is shown: \\ changes the filter" });
            return;
        }
        let at = shown.iter().position(|finding| *finding == self.finding).unwrap_or(0);
        // The first step shows the one that is selected already.
        let step = if self.anchor == Anchor::Finding { step } else { 0 };
        self.choose_finding(shown[(at as i64 + step).rem_euclid(count as i64) as usize]);
    }

    /// Selects a finding; the cursor goes to the launch that it is about, and to the program that it names.
    pub(super) fn choose_finding(&mut self, finding: usize) {
        self.finding = finding;
        self.show(Anchor::Finding);
        let Some(report) = self.report.clone() else { return };
        let here = report.launches.get(self.launch).is_some_and(|launch| launch.findings.contains(&finding));
        if !here && let Some(launch) = report.launches.iter().position(|launch| launch.findings.contains(&finding)) {
            self.launch = launch;
            self.fit_cursor();
        }
        let marks = report.launches.get(self.launch).map_or(&[][..], |launch| &launch.marks);
        if let Some((program, _)) = marks.iter().find(|(_, number)| *number == finding) {
            self.program.clone_from(program);
        }
    }

    /// To the next launch, or the previous one.
    pub(super) fn select_launch(&mut self, step: i64) {
        let count = self.report.as_ref().map_or(0, |report| report.launches.len());
        match count {
            0 => {}
            1 => self.say("this file has one launch"),
            _ => self.choose_launch((self.launch as i64 + step).rem_euclid(count as i64) as usize),
        }
    }

    /// Puts the cursor on a launch.
    pub(super) fn choose_launch(&mut self, launch: usize) {
        self.launch = launch;
        self.zoom = 0;
        self.pair = 0;
        self.blocks_scroll = 0;
        self.cost_line = 0;
        self.lane = 0;
        self.moment = 0.0;
        self.ir_scroll = 0;
        self.marks = (None, None);
        self.panned = 0;
        self.values = super::values::Values { tiles: self.values.tiles.take(), ..Default::default() };
        self.steps = None;
        self.playing = false;
        self.show(Anchor::Kernel);
        self.fit_cursor();
    }

    /// Goes to what the cursor or the selection is about.
    pub(super) fn open(&mut self) {
        match self.focus {
            _ if self.launch().is_none() => self.go(View::Source),
            Pane::Launches => self.go(View::Grid),
            Pane::Grid => self.go(View::Blocks),
            Pane::Findings => self.go(View::Source),
            Pane::Lines => self.show_cost(),
            Pane::Blocks => self.go(View::Values),
            Pane::Summary | Pane::Source | Pane::Timings | Pane::Roofline | Pane::Pipeline => {}
            Pane::Values | Pane::Ir => {}
        }
    }

    /// Asks for the editor, at what the source pane is about.
    pub(super) fn edit(&self) -> Option<Effect> {
        let (Some(report), Some(span)) = (&self.report, self.anchor_span()) else {
            return Some(Effect::Edit(self.path.clone(), 1));
        };
        let source = report.source_of(span);
        Some(Effect::Edit(PathBuf::from(&*source.path), source.line_of(span.start)))
    }
}
