//! A language server on the other end of two pipes, spoken to as an editor does, with the time at which each message comes.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than any server should take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server, with one document open at most.
pub(crate) struct Server {
    /// What it is called.
    pub(crate) name: String,
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<(Instant, Value)>,
    next: i64,
    version: i32,
    uri: String,
    started: Instant,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts a command.
    pub(crate) fn start(command: &str) -> Result<Server, String> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("no command")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(words)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipes")?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                if sender.send((Instant::now(), message)).is_err() {
                    return;
                }
            }
        });
        let name = program.rsplit('/').next().unwrap_or(program).to_string();
        let uri = format!("file://{}/bench.py", folder.path().display());
        Ok(Server { name, child, stdin, messages, next: 0, version: 0, uri, started, _folder: folder })
    }

    /// From the start of the process to its greeting.
    pub(crate) fn initialize(&mut self) -> Result<Duration, String> {
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "textDocument": {
                "synchronization": {},
                "publishDiagnostics": {"relatedInformation": true, "versionSupport": true},
                "hover": {"contentFormat": ["markdown"]},
                "inlayHint": {},
            },
            "workspace": {"configuration": true, "workspaceFolders": true},
        });
        let root = self.uri.trim_end_matches("/bench.py").to_string();
        let folders = json!([{"uri": root, "name": "bench"}]);
        let params = json!({
            "processId": std::process::id(), "capabilities": capabilities, "rootUri": root, "workspaceFolders": folders,
        });
        let id = self.request("initialize", params)?;
        let (at, _) = self.wait(|message| message["id"] == id && message.get("method").is_none())?;
        let took = at - self.started;
        self.notify("initialized", json!({}))?;
        Ok(took)
    }

    /// Opens the document; the time to its first diagnostics, and how many there are.
    pub(crate) fn open(&mut self, text: &str) -> Result<(Duration, usize), String> {
        self.version = 1;
        let document = json!({"uri": self.uri, "languageId": "python", "version": 1, "text": text});
        self.timed("textDocument/didOpen", json!({"textDocument": document}))
    }

    /// Types one letter, or takes it back; the time to the diagnostics of that version, and how many there are.
    pub(crate) fn type_at(&mut self, (line, column): (usize, usize), typed: bool) -> Result<(Duration, usize), String> {
        self.version += 1;
        let position = |column: usize| json!({"line": line, "character": column});
        let (end, text) = if typed { (column, "k") } else { (column + 1, "") };
        let change = json!({"range": {"start": position(column), "end": position(end)}, "text": text});
        let document = json!({"uri": self.uri, "version": self.version});
        self.timed("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}))
    }

    /// Sends a question about a place (or about all of the document), and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, (line, column): (usize, usize)) -> Result<Duration, String> {
        let place = json!({"line": line, "character": column});
        let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}});
        let document = json!({"uri": self.uri});
        let begun = Instant::now();
        let id = self.request(method, json!({"textDocument": document, "position": place, "range": all}))?;
        let (at, _) = self.wait(|message| message["id"] == id && message.get("method").is_none())?;
        Ok(at - begun)
    }

    /// Resident memory in MiB, where the system tells it.
    pub(crate) fn memory(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        Some(kib / 1024.0)
    }

    fn timed(&mut self, method: &str, params: Value) -> Result<(Duration, usize), String> {
        let begun = Instant::now();
        self.notify(method, params)?;
        let (uri, version) = (self.uri.clone(), self.version);
        let (at, message) = self.wait(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                // Some servers do not say which version they speak of.
                && params.get("version").is_none_or(|said| said.is_null() || *said == version)
        })?;
        Ok((at - begun, message["params"]["diagnostics"].as_array().map_or(0, Vec::len)))
    }

    fn request(&mut self, method: &str, params: Value) -> Result<i64, String> {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))?;
        Ok(self.next)
    }

    fn notify(&mut self, method: &str, params: Value) -> Result<(), String> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let body = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{body}", body.len())
            .and_then(|()| self.stdin.flush())
            .map_err(|error| format!("it does not read: {error}"))
    }

    /// The next message that is wanted. What the server asks meanwhile is answered with nothing.
    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<(Instant, Value), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (at, message) = self.messages.recv_timeout(left).map_err(|error| format!("no answer: {error}"))?;
            if message.get("method").is_some() && message.get("id").is_some() {
                // Settings are asked for by the dozen.
                let items = message["params"]["items"].as_array().map(|items| vec![Value::Null; items.len()]);
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": items}))?;
            } else if wanted(&message) {
                return Ok((at, message));
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok().filter(|count| *count > 0)?;
        match header.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
