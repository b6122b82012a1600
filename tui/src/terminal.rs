//! The terminal, taken over and given back: alternate screen, raw mode, hidden cursor. It is given back on every way out:
//! at the end, on an error, on a panic (whose text is printed after that), before the shell or an editor gets it.

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use ratatui::layout::Rect;
use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;

/// Whether the terminal is ours at this moment.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is wanted while it is.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours. Dropping it gives it back.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    /// Whether frames are wrapped in synchronized updates, so that none is seen half drawn.
    synchronized: bool,
}

impl Screen {
    /// Takes the terminal, and sees to it that a panic gives it back.
    ///
    /// # Errors
    /// What the terminal does not do; it is given back.
    pub(crate) fn take(mouse: bool) -> io::Result<Screen> {
        MOUSE.store(mouse, Ordering::SeqCst);
        give_back_on_panic(std::thread::current().id());
        enter()?;
        let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout()));
        match Terminal::new(backend) {
            // Support inside tmux is recent and loses cells.
            Ok(terminal) => Ok(Screen { terminal, synchronized: std::env::var_os("TMUX").is_none() }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Draws a frame.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn draw(&mut self, paint: impl FnOnce(&mut ratatui::buffer::Buffer)) -> io::Result<()> {
        if self.synchronized {
            execute!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        }
        let drawn = self.terminal.draw(|frame| paint(frame.buffer_mut())).map(|_| ());
        if self.synchronized {
            execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        }
        drawn
    }

    /// Hands a text to the terminal's clipboard, where the terminal has one (OSC 52).
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        write!(out, "\x1b]52;c;{}\x07", base64(text.as_bytes()))?;
        out.flush()
    }

    /// Forgets what is on the screen, so that the next frame draws all of it.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` asks the terminal where its cursor is, and the answer would come in with the keys.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect { x: 0, y: 0, width: size.width, height: size.height })
    }

    /// Gives the terminal back while `body` runs, and takes it again.
    ///
    /// # Errors
    /// The terminal cannot be taken again.
    pub(crate) fn lend<T>(&mut self, body: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let result = body();
        enter()?;
        self.clear()?;
        Ok(result)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    let taken = enable_raw_mode()
        .and_then(|()| execute!(io::stdout(), EnterAlternateScreen, Hide))
        .and_then(|()| if MOUSE.load(Ordering::SeqCst) { execute!(io::stdout(), EnableMouseCapture) } else { Ok(()) });
    if taken.is_err() {
        give_back();
    }
    taken
}

/// Gives the terminal back, once. A terminal that is gone cannot be helped.
pub(crate) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let mut out = io::stdout();
        if MOUSE.load(Ordering::SeqCst) {
            let _ = execute!(out, DisableMouseCapture);
        }
        let _ = execute!(out, LeaveAlternateScreen, Show);
        let _ = out.flush();
    }
}

/// A text as the clipboard's escape wants it.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0u32, |n, &byte| n << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let at = (number >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { DIGITS[at] as char } else { '=' });
        }
    }
    text
}

/// A panic of the thread that draws gives the terminal back before its text is printed. While the terminal is ours, other
/// threads stay silent: the evaluator's panics become findings, and text in the middle of the screen helps nobody.
fn give_back_on_panic(owner: ThreadId) {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    let inherited = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == owner {
            give_back();
        } else if TAKEN.load(Ordering::SeqCst) {
            return;
        }
        inherited(info);
    }));
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read;

    #[test]
    fn texts_are_encoded() {
        for (text, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    const ROLE: &str = "PALLAS_TUI_TEST_PANICS";

    /// Starts itself a second time, in a pseudo-terminal: there it takes the terminal and panics.
    #[test]
    fn a_panic_gives_the_terminal_back_before_its_text() {
        if std::env::var_os(ROLE).is_some() {
            let mut screen = Screen::take(true).expect("a terminal");
            screen.draw(|buffer| buffer.set_string(0, 0, "drawn", ratatui::style::Style::new())).expect("drawn");
            // Another thread's panic leaves the screen alone.
            let other = std::thread::spawn(|| panic!("not shown")).join();
            assert!(other.is_err() && TAKEN.load(Ordering::SeqCst));
            panic!("shown after the screen is given back");
        }
        let size = PtySize { rows: 20, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(std::env::current_exe().expect("this test"));
        command.args(["terminal::tests::a_panic_gives_the_terminal_back_before_its_text", "--exact", "--nocapture"]);
        command.env(ROLE, "1");
        let mut child = pair.slave.spawn_command(command).expect("it starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            bytes.extend_from_slice(&piece[..count]);
        }
        assert!(!child.wait().expect("it ends").success(), "the second run panics");
        let text = String::from_utf8_lossy(&bytes);
        let drawn = text.find("drawn").expect("it draws");
        let left = text.find("\u{1b}[?1049l").expect("it leaves the alternate screen");
        let said = text.find("shown after the screen is given back").expect("the panic has a text");
        assert!(drawn < left && left < said, "{text}");
        assert!(!text.contains("not shown"), "{text}");
        let mut parser = vt100::Parser::new(20, 100, 0);
        parser.process(&bytes);
        assert!(!parser.screen().alternate_screen() && !parser.screen().hide_cursor());
    }
}
