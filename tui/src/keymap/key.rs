//! A key press, and how it is written down.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
