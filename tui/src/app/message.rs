//! What reaches the app, and what it wants done outside.

use super::report::Report;
use super::{Size, code, mouse, values};
use crate::keymap::Key;
use pallas_engine::pipeline::Machines;
use std::path::PathBuf;
use std::sync::Arc;

/// What happened outside.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    /// A key was pressed.
    Key(Key),
    /// The mouse did something at this column and line.
    Mouse(mouse::Click, u16, u16),
    /// What the Refs of some programs hold.
    Tiles(Arc<values::TileSet>),
    /// The code that was made of a launch.
    Generated(Arc<code::Generated>),
    /// The terminal has another size.
    Resize(Size),
    /// A watched file has changed.
    Changed,
    /// An analysis has begun.
    Started,
    /// An analysis is done.
    Analysed(Arc<Report>),
    /// A saved report, of which the events are still being read.
    Overview(Arc<Report>),
    /// The file is being run.
    Running,
    /// How far a launch of the run is.
    Progress {
        /// Its kernel.
        kernel: String,
        /// Programs that have run.
        done: usize,
        /// Of so many.
        programs: usize,
    },
    /// The run has ended, or what was known is modelled on another machine.
    Profiled(Arc<Report>),
    /// The file cannot be read.
    Unreadable(String),
    /// The watcher cannot watch as it should.
    WatchProblem(String),
    /// Something to say in passing.
    Say(String),
    /// Time goes by.
    Tick,
}

/// What has to happen outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Read, analyse and run the file.
    Analyse,
    /// Stop the run, and keep what it has found.
    Stop,
    /// Model the launches on another machine, or each on its own.
    Model(Machines),
    /// See what the Refs of a program hold, and of those around it.
    Tiles {
        /// The report that it is for.
        generation: usize,
        /// The launch.
        launch: Arc<pallas_engine::Launch>,
        /// Its place in the report.
        number: usize,
        /// The program.
        program: usize,
    },
    /// Make the code of a launch.
    Generate {
        /// The report that it is for.
        generation: usize,
        /// The launch.
        launch: Arc<pallas_engine::Launch>,
        /// Its place in the report.
        number: usize,
        /// As what.
        form: pallas_engine::generated::Form,
    },
    /// Save the screen as a picture.
    Export,
    /// Save the report as JSON.
    Save,
    /// Hand a text to the terminal's clipboard.
    Copy(String),
    /// Open a file in the user's editor, at a line of its text: of a notebook that is the program's.
    Edit(PathBuf, u32),
    /// To the shell.
    Suspend,
    /// Clear the screen and draw anew.
    Redraw,
    /// Watch these files.
    Watch(Vec<PathBuf>),
    /// End.
    Quit,
}
