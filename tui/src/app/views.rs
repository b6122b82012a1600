//! Views and the panes that they are made of. A view is a question that a tab answers; where there is room, other panes
//! stand beside the one that answers it.

use crate::keymap::Place;

/// A view: a tab of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// How it stands: all launches, and what holds the selected one up.
    Overview,
    /// Which programs there are.
    Grid,
    /// What slots and the processor do, step by step.
    Pipeline,
    /// Where the time goes.
    Timings,
    /// Which part of each array a program has.
    Blocks,
    /// What a program's Refs hold.
    Values,
    /// What the file says.
    Source,
    /// What it is lowered to.
    Ir,
    /// What is wrong.
    Findings,
}

impl View {
    /// Every view, in the order of the tabs.
    pub(crate) const ALL: [View; 9] = [
        View::Overview,
        View::Grid,
        View::Pipeline,
        View::Timings,
        View::Blocks,
        View::Values,
        View::Source,
        View::Ir,
        View::Findings,
    ];

    /// As written on its tab.
    pub(crate) fn name(self) -> &'static str {
        match self {
            View::Overview => "Overview",
            View::Grid => "Grid",
            View::Pipeline => "Pipeline",
            View::Timings => "Timings",
            View::Blocks => "Blocks",
            View::Values => "Values",
            View::Source => "Source",
            View::Ir => "IR",
            View::Findings => "Findings",
        }
    }

    /// The panes of the view; the first answers its question.
    pub(crate) fn panes(self) -> &'static [Pane] {
        match self {
            View::Overview => &[Pane::Launches, Pane::Summary, Pane::Findings, Pane::Grid, Pane::Source],
            View::Grid => &[Pane::Grid, Pane::Blocks],
            View::Pipeline => &[Pane::Pipeline],
            View::Timings => &[Pane::Timings, Pane::Roofline, Pane::Lines],
            View::Blocks => &[Pane::Blocks],
            View::Values => &[Pane::Values],
            View::Source => &[Pane::Source],
            View::Ir => &[Pane::Ir],
            View::Findings => &[Pane::Findings, Pane::Source],
        }
    }

    /// The pane that answers its question.
    pub(crate) fn primary(self) -> Pane {
        self.panes().first().copied().unwrap_or(Pane::Launches)
    }
}

/// A pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    /// The list of launches.
    Launches,
    /// What holds a launch up, and what would help.
    Summary,
    /// The map of programs.
    Grid,
    /// The schedule in time.
    Pipeline,
    /// Time by stage and operand.
    Timings,
    /// The machine's roofline with the launches.
    Roofline,
    /// The lines of the kernel that cost something.
    Lines,
    /// The blocks of one program.
    Blocks,
    /// What the Refs of one program hold.
    Values,
    /// The source.
    Source,
    /// The launch's IR.
    Ir,
    /// The list of findings.
    Findings,
}

impl Pane {
    /// Where its keys are in the keymap.
    pub(crate) fn place(self) -> Place {
        match self {
            Pane::Grid => Place::Grid,
            Pane::Pipeline => Place::Pipeline,
            Pane::Findings | Pane::Launches | Pane::Lines => Place::List,
            Pane::Values => Place::Values,
            Pane::Source => Place::Source,
            Pane::Ir => Place::Ir,
            Pane::Summary | Pane::Blocks | Pane::Timings | Pane::Roofline => Place::Text,
        }
    }
}
