//! The table of keys: what runs them, what the hint line says and what the help screen shows are all read from it.

mod key;
mod table;

use Action::{First, Jump, Last, Move};
pub(crate) use key::Key;
pub(crate) use table::KEYMAP;

/// What a key can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Ends the program.
    Quit,
    /// Shows or hides the help screen.
    Help,
    /// One level out; never ends the program.
    Back,
    /// One of the views, from 1.
    View(usize),
    /// The next pane gets the keys.
    NextPane,
    /// The previous pane gets the keys.
    PreviousPane,
    /// The focused pane alone, or all of them again.
    Maximise,
    /// Opens the source in the user's editor.
    Edit,
    /// Reads and analyses the file again.
    Rerun,
    /// Stops the run.
    Stop,
    /// Searches the text, or the list.
    Search,
    /// The next place of what was searched for.
    NextMatch,
    /// The previous place.
    PreviousMatch,
    /// Shows only findings that have a text.
    Filter,
    /// Commands by name.
    Palette,
    /// Other colours for magnitudes.
    Theme,
    /// Saves the screen as a picture.
    Export,
    /// Hands the place at the cursor to the clipboard.
    Copy,
    /// The next Ref of the program.
    NextRef,
    /// The previous Ref.
    PreviousRef,
    /// Before the kernel, after it, or the change.
    Moment,
    /// Numbers, or a picture of them.
    Picture,
    /// The next store of the program.
    NextStore,
    /// The store before, and in front of the first the whole kernel.
    PreviousStore,
    /// Saves the report as JSON.
    Save,
    /// Earlier steps of the pipeline, with the cursor where it is.
    PanLeft,
    /// Later steps.
    PanRight,
    /// One end of the span that is measured.
    Mark,
    /// Leaves out what was measured, or shows it again.
    HideMeasured,
    /// Plays the steps of the pipeline, or pauses.
    Play,
    /// The next event of a lane.
    NextEvent,
    /// The previous event of a lane.
    PreviousEvent,
    /// The IR, or code that is generated from it.
    Form,
    /// Another cost beside the source, or none.
    Cost,
    /// Models the launches on the next machine.
    Machine,
    /// The next program in the order of the grid.
    NextProgram,
    /// The previous program.
    PreviousProgram,
    /// Stops and resumes watching the file.
    PauseWatching,
    /// To the shell, until `fg`.
    Suspend,
    /// Draws everything anew.
    Redraw,
    /// The next finding, from every pane.
    NextFinding,
    /// The previous finding, from every pane.
    PreviousFinding,
    /// The next launch of the file.
    NextLaunch,
    /// The previous launch of the file.
    PreviousLaunch,
    /// One program, or one line.
    Move(Direction),
    /// One cell of the map, or half a page.
    Jump(Direction),
    /// The first program, or line.
    First,
    /// The last program, or line.
    Last,
    /// The next slice of a grid with more than two axes.
    NextSlice,
    /// The previous slice.
    PreviousSlice,
    /// Draws another pair of axes.
    Axes,
    /// Colours programs by something else.
    Metric,
    /// Colours programs by what was before it.
    PreviousMetric,
    /// Fewer programs to a cell.
    ZoomIn,
    /// More programs to a cell.
    ZoomOut,
    /// The whole grid.
    Fit,
    /// What the cursor or the selection is about.
    Open,
}

/// A direction on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// h
    Left,
    /// j
    Down,
    /// k
    Up,
    /// l
    Right,
}

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Everywhere.
    Everywhere,
    /// In the grid.
    Grid,
    /// In the pipeline.
    Pipeline,
    /// In lists: findings and launches.
    List,
    /// In the values.
    Values,
    /// In text that scrolls: blocks, source, help.
    Text,
    /// In the source, with what is true of text.
    Source,
    /// In the IR, with what is true of text.
    Ir,
}

impl Place {
    /// Whether rows of another place count here.
    fn has(self, other: Place) -> bool {
        self == other || matches!(self, Place::Source | Place::Ir) && other == Place::Text
    }
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    /// Where.
    pub(crate) place: Place,
    /// Keys, in the notation of [`Key::parse`].
    pub(crate) keys: &'static [&'static str],
    /// The action of each key; as many as keys.
    pub(crate) actions: &'static [Action],
    /// The keys as shown to people.
    pub(crate) shown: &'static str,
    /// What they do, for the help screen.
    pub(crate) help: &'static str,
    /// What each of several actions does, in the order of [`Binding::actions`], for the palette; empty where the help says
    /// it, and for moves, which are made by keys only.
    pub(crate) commands: &'static [&'static str],
    /// In a word or two for the hint line; empty for keys that it does not mention.
    pub(crate) hint: &'static str,
}

impl Binding {
    /// What the palette can do with the row: words, key, action.
    pub(crate) fn commands(&self) -> Vec<(&'static str, &'static str, Action)> {
        let moves = |action: &Action| matches!(action, Move(_) | Jump(_) | First | Last);
        let mut distinct: Vec<(Action, &'static str)> = Vec::new();
        for (action, key) in self.actions.iter().zip(self.keys) {
            if !distinct.iter().any(|(known, _)| known == action) {
                distinct.push((*action, key));
            }
        }
        match distinct.as_slice() {
            [(action, _)] if !moves(action) => vec![(self.help, self.shown, *action)],
            several => {
                several.iter().zip(self.commands).map(|((action, key), words)| (*words, *key, *action)).collect()
            }
        }
    }
}

/// What a key does in a place.
pub(crate) fn action(place: Place, key: Key) -> Option<Action> {
    bindings(place).find_map(|binding| {
        let at = binding.keys.iter().position(|notation| Key::parse(notation) == Some(key))?;
        binding.actions.get(at).copied()
    })
}

/// The rows that count in a place, its own first.
pub(crate) fn bindings(place: Place) -> impl Iterator<Item = &'static Binding> {
    let own = KEYMAP.iter().filter(move |binding| place.has(binding.place));
    own.chain(KEYMAP.iter().filter(|binding| binding.place == Place::Everywhere))
}

#[cfg(test)]
mod tests {
    use super::Action::{Quit, Stop};
    use super::Direction::Down;
    use super::*;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    #[test]
    fn every_row_is_sound() {
        for binding in KEYMAP {
            assert_eq!(binding.keys.len(), binding.actions.len(), "{binding:?}");
            assert!(!binding.help.is_empty() && !binding.shown.is_empty(), "{binding:?}");
            assert!(binding.commands.is_empty() || binding.commands().len() == binding.commands.len(), "{binding:?}");
            for key in binding.keys {
                assert!(Key::parse(key).is_some(), "{key} is no key");
            }
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for place in [Place::Grid, Place::Pipeline, Place::Values, Place::List, Place::Text, Place::Source, Place::Ir] {
            let mut seen: Vec<&str> = Vec::new();
            for key in bindings(place).flat_map(|binding| binding.keys) {
                assert!(!seen.contains(key), "{key} has two meanings in {place:?}");
                seen.push(key);
            }
        }
    }

    #[test]
    fn keys_are_found_by_what_was_pressed() {
        let press = |code, modifiers| Key::from(KeyEvent::new(code, modifiers));
        assert_eq!(action(Place::Grid, press(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Quit));
        assert_eq!(action(Place::Grid, press(KeyCode::Char('c'), KeyModifiers::NONE)), Some(Stop));
        assert_eq!(action(Place::Grid, press(KeyCode::Char('G'), KeyModifiers::SHIFT)), Some(Last));
        assert_eq!(action(Place::List, press(KeyCode::Down, KeyModifiers::NONE)), Some(Move(Down)));
        assert_eq!(action(Place::List, press(KeyCode::Char('h'), KeyModifiers::NONE)), None);
    }
}
