//! The table of keys: what runs them, what the hint line says and what the help screen shows are all read from it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
    /// Plays the steps of the pipeline, or pauses.
    Play,
    /// The next event of a lane.
    NextEvent,
    /// The previous event of a lane.
    PreviousEvent,
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
}

impl Place {
    /// Whether rows of another place count here.
    fn has(self, other: Place) -> bool {
        self == other || self == Place::Source && other == Place::Text
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

use Action::*;
use Direction::*;

/// Every key there is, in the order of the help screen.
pub(crate) const KEYMAP: &[Binding] = &[
    Binding {
        place: Place::Grid,
        keys: &["h", "j", "k", "l", "<left>", "<down>", "<up>", "<right>"],
        actions: &[Move(Left), Move(Down), Move(Up), Move(Right), Move(Left), Move(Down), Move(Up), Move(Right)],
        shown: "hjkl arrows",
        help: "move one program",
        commands: &[],
        hint: "move",
    },
    Binding {
        place: Place::Grid,
        keys: &["H", "J", "K", "L"],
        actions: &[Jump(Left), Jump(Down), Jump(Up), Jump(Right)],
        shown: "HJKL",
        help: "move one cell of the map, or eight programs where each has its own cell",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Grid,
        keys: &["g", "G", "<home>", "<end>"],
        actions: &[First, Last, First, Last],
        shown: "g G",
        help: "first and last program",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Grid,
        keys: &["]", "["],
        actions: &[NextSlice, PreviousSlice],
        shown: "[ ]",
        help: "previous and next slice, with three axes or more",
        commands: &["next slice", "previous slice"],
        hint: "",
    },
    Binding {
        place: Place::Grid,
        keys: &["a"],
        actions: &[Axes],
        shown: "a",
        help: "draw another pair of axes, with three axes or more",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Grid,
        keys: &["m", "n"],
        actions: &[Metric, PreviousMetric],
        shown: "m n",
        help: "colour by the next metric, and the one before: order, blocks, bytes, modelled and measured times",
        commands: &["grid: next metric", "grid: previous metric"],
        hint: "metric",
    },
    Binding {
        place: Place::Grid,
        keys: &["+", "=", "-", "0"],
        actions: &[ZoomIn, ZoomIn, ZoomOut, Fit],
        shown: "+ - 0",
        help: "zoom in, zoom out, the whole grid",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Grid,
        keys: &["<enter>"],
        actions: &[Open],
        shown: "enter",
        help: "blocks of this program",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Pipeline,
        keys: &["h", "l", "<left>", "<right>"],
        actions: &[Move(Left), Move(Right), Move(Left), Move(Right)],
        shown: "h l arrows",
        help: "previous and next step",
        commands: &[],
        hint: "step",
    },
    Binding {
        place: Place::Pipeline,
        keys: &["H", "L", "g", "G", "<home>", "<end>"],
        actions: &[Jump(Left), Jump(Right), First, Last, First, Last],
        shown: "H L g G",
        help: "half a screen back and forth, first and last step",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Pipeline,
        keys: &["j", "k", "<down>", "<up>"],
        actions: &[Move(Down), Move(Up), Move(Down), Move(Up)],
        shown: "j k",
        help: "next and previous lane",
        commands: &[],
        hint: "lane",
    },
    Binding {
        place: Place::Pipeline,
        keys: &[".", ","],
        actions: &[NextEvent, PreviousEvent],
        shown: ", .",
        help: "previous and next event of the lane",
        commands: &[],
        hint: "event",
    },
    Binding {
        place: Place::Pipeline,
        keys: &["+", "=", "-", "0"],
        actions: &[ZoomIn, ZoomIn, ZoomOut, Fit],
        shown: "+ - 0",
        help: "fewer steps, more steps, all steps",
        commands: &[],
        hint: "zoom",
    },
    Binding {
        place: Place::Pipeline,
        keys: &[" "],
        actions: &[Play],
        shown: "space",
        help: "play the steps, and pause",
        commands: &[],
        hint: "play",
    },
    Binding {
        place: Place::List,
        keys: &["j", "k", "<down>", "<up>"],
        actions: &[Move(Down), Move(Up), Move(Down), Move(Up)],
        shown: "jk arrows",
        help: "next and previous entry",
        commands: &[],
        hint: "select",
    },
    Binding {
        place: Place::List,
        keys: &["n", "N"],
        actions: &[NextMatch, PreviousMatch],
        shown: "n N",
        help: "next and previous place of what was searched for",
        commands: &["next match", "previous match"],
        hint: "",
    },
    Binding {
        place: Place::List,
        keys: &["g", "G", "<home>", "<end>"],
        actions: &[First, Last, First, Last],
        shown: "g G",
        help: "first and last entry",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::List,
        keys: &["<enter>"],
        actions: &[Open],
        shown: "enter",
        help: "show its grid, or its source",
        commands: &[],
        hint: "open",
    },
    Binding {
        place: Place::Values,
        keys: &["h", "j", "k", "l", "<left>", "<down>", "<up>", "<right>"],
        actions: &[Move(Left), Move(Down), Move(Up), Move(Right), Move(Left), Move(Down), Move(Up), Move(Right)],
        shown: "hjkl arrows",
        help: "move one element",
        commands: &[],
        hint: "move",
    },
    Binding {
        place: Place::Values,
        keys: &["H", "J", "K", "L", "g", "G", "<home>", "<end>"],
        actions: &[Jump(Left), Jump(Down), Jump(Up), Jump(Right), First, Last, First, Last],
        shown: "HJKL g G",
        help: "move eight elements, to the first and to the last",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Values,
        keys: &["o", "O"],
        actions: &[NextRef, PreviousRef],
        shown: "o O",
        help: "next and previous Ref",
        commands: &["next Ref", "previous Ref"],
        hint: "Ref",
    },
    Binding {
        place: Place::Values,
        keys: &["b"],
        actions: &[Moment],
        shown: "b",
        help: "after the kernel, what it has changed, before it",
        commands: &[],
        hint: "before/after",
    },
    Binding {
        place: Place::Values,
        keys: &["m"],
        actions: &[Picture],
        shown: "m",
        help: "numbers, or a heat map",
        commands: &[],
        hint: "heat map",
    },
    Binding {
        place: Place::Values,
        keys: &["]", "["],
        actions: &[NextSlice, PreviousSlice],
        shown: "[ ]",
        help: "previous and next plane of a Ref with three dimensions or more",
        commands: &["next plane", "previous plane"],
        hint: "",
    },
    Binding {
        place: Place::Text,
        keys: &["j", "k", "<down>", "<up>"],
        actions: &[Move(Down), Move(Up), Move(Down), Move(Up)],
        shown: "jk arrows",
        help: "scroll",
        commands: &[],
        hint: "scroll",
    },
    Binding {
        place: Place::Text,
        keys: &["C-d", "C-u", "<pagedown>", "<pageup>"],
        actions: &[Jump(Down), Jump(Up), Jump(Down), Jump(Up)],
        shown: "C-d C-u",
        help: "scroll half a page",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Text,
        keys: &["n", "N"],
        actions: &[NextMatch, PreviousMatch],
        shown: "n N",
        help: "next and previous place of what was searched for",
        commands: &["next match", "previous match"],
        hint: "",
    },
    Binding {
        place: Place::Text,
        keys: &["g", "G", "<home>", "<end>"],
        actions: &[First, Last, First, Last],
        shown: "g G",
        help: "top and bottom",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Source,
        keys: &["s"],
        actions: &[Cost],
        shown: "s",
        help: "show what lines cost as measured, as modelled, or not at all",
        commands: &[],
        hint: "cost",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["<tab>", "<backtab>"],
        actions: &[NextPane, PreviousPane],
        shown: "tab S-tab",
        help: "next and previous pane",
        commands: &["next pane", "previous pane"],
        hint: "pane",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["z"],
        actions: &[Maximise],
        shown: "z",
        help: "this pane alone, and back",
        commands: &[],
        hint: "maximise",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        actions: &[View(1), View(2), View(3), View(4), View(5), View(6), View(7), View(8), View(9)],
        shown: "1 to 9",
        help: "overview, grid, pipeline, timings, blocks, values, source, IR, findings",
        commands: &[
            "view: overview, how it stands",
            "view: grid, the map of programs",
            "view: pipeline, slots and stages in time",
            "view: timings, stages, roofline and lines",
            "view: blocks, which part of each array",
            "view: values, what Refs hold",
            "view: source, with what lines cost",
            "view: IR, what the kernel is lowered to",
            "view: findings, what is wrong",
        ],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["}", "{"],
        actions: &[NextFinding, PreviousFinding],
        shown: "{ }",
        help: "previous and next finding",
        commands: &["next finding", "previous finding"],
        hint: "finding",
    },
    Binding {
        place: Place::Everywhere,
        keys: &[")", "("],
        actions: &[NextLaunch, PreviousLaunch],
        shown: "( )",
        help: "previous and next launch of the file",
        commands: &["next launch", "previous launch"],
        hint: "launch",
    },
    Binding {
        place: Place::Everywhere,
        keys: &[">", "<"],
        actions: &[NextProgram, PreviousProgram],
        shown: "< >",
        help: "previous and next program in the order of the grid",
        commands: &["next program", "previous program"],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["M"],
        actions: &[Machine],
        shown: "M",
        help: "model the launches on the next machine",
        commands: &[],
        hint: "machine",
    },
    Binding {
        place: Place::Everywhere,
        keys: &[":", "C-p"],
        actions: &[Palette, Palette],
        shown: ":",
        help: "commands by name; ids such as 3,7,2 go to that program",
        commands: &[],
        hint: "command",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["/"],
        actions: &[Search],
        shown: "/",
        help: "search the source, the IR, or a list",
        commands: &[],
        hint: "search",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["\\"],
        actions: &[Filter],
        shown: "\\",
        help: "show only findings with a text; !text shows the others",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["t"],
        actions: &[Theme],
        shown: "t",
        help: "colours of magnitudes: viridis, cividis, greys",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["x"],
        actions: &[Export],
        shown: "x",
        help: "save the screen as a picture (SVG) in this folder",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["y"],
        actions: &[Copy],
        shown: "y",
        help: "copy the place in the source, or the finding",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["e"],
        actions: &[Edit],
        shown: "e",
        help: "open the source in $VISUAL or $EDITOR",
        commands: &[],
        hint: "edit",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["r", "C-r", "<f5>"],
        actions: &[Rerun, Rerun, Rerun],
        shown: "r",
        help: "analyse and run the file again",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["c"],
        actions: &[Stop],
        shown: "c",
        help: "stop the run, and show what it has found so far",
        commands: &[],
        hint: "stop",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["p"],
        actions: &[PauseWatching],
        shown: "p",
        help: "stop watching the file, and resume",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["<esc>", "<backspace>"],
        actions: &[Back, Back],
        shown: "esc",
        help: "back out one level",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["C-z"],
        actions: &[Suspend],
        shown: "C-z",
        help: "to the shell, until `fg`",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["C-l"],
        actions: &[Redraw],
        shown: "C-l",
        help: "draw everything anew",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["?", "<f1>"],
        actions: &[Help, Help],
        shown: "?",
        help: "this help",
        commands: &[],
        hint: "",
    },
    Binding {
        place: Place::Everywhere,
        keys: &["q", "C-c"],
        actions: &[Quit, Quit],
        shown: "q C-c",
        help: "quit",
        commands: &[],
        hint: "quit",
    },
];

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

/// A key press: a key, and whether Control was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    code: KeyCode,
    control: bool,
}

/// Names of keys that are not characters.
const NAMES: &[(&str, KeyCode)] = &[
    ("<left>", KeyCode::Left),
    ("<right>", KeyCode::Right),
    ("<up>", KeyCode::Up),
    ("<down>", KeyCode::Down),
    ("<home>", KeyCode::Home),
    ("<end>", KeyCode::End),
    ("<pageup>", KeyCode::PageUp),
    ("<pagedown>", KeyCode::PageDown),
    ("<enter>", KeyCode::Enter),
    ("<esc>", KeyCode::Esc),
    ("<tab>", KeyCode::Tab),
    ("<backtab>", KeyCode::BackTab),
    ("<backspace>", KeyCode::Backspace),
    ("<f1>", KeyCode::F(1)),
    ("<f5>", KeyCode::F(5)),
];

impl Key {
    /// The key.
    pub(crate) fn code(self) -> KeyCode {
        self.code
    }

    /// Whether Control was held.
    pub(crate) fn is_control(self) -> bool {
        self.control
    }

    /// A key from its notation: `q`, `G`, `C-c`, `<enter>`. `None` for what is no key.
    pub(crate) fn parse(text: &str) -> Option<Key> {
        if let Some((_, code)) = NAMES.iter().find(|(name, _)| *name == text) {
            return Some(Key { code: *code, control: false });
        }
        let (control, character) = match text.strip_prefix("C-") {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, text),
        };
        let mut characters = character.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Some(Key { code: KeyCode::Char(character), control }),
            _ => None,
        }
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        // Shift is in the character already.
        Key { code: event.code, control: event.modifiers.contains(KeyModifiers::CONTROL) }
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
    use super::*;

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
        for place in [Place::Grid, Place::Pipeline, Place::Values, Place::List, Place::Text, Place::Source] {
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
