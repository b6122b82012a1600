//! A scripted client: starts the built server and speaks to it as an editor does.

use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything may take on a busy machine; tests that are right never wait this long.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came while another was waited for.
    seen: VecDeque<Value>,
    next_id: i64,
    /// Methods of requests that the server sent; each was answered with null, or with what `answers` has for it.
    pub(crate) asked: Vec<String>,
    /// Results for requests of the server, by method.
    pub(crate) answers: HashMap<String, Value>,
}

/// What VS Code and Neovim have in common.
pub(crate) fn editor() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "publishDiagnostics": {"relatedInformation": true, "versionSupport": true},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
            "inlayHint": {},
        },
        "workspace": {"inlayHint": {"refreshSupport": true}, "workspaceEdit": {"documentChanges": true}},
    })
}

/// The same, and it pulls diagnostics.
pub(crate) fn pulling_editor() -> Value {
    let mut capabilities = editor();
    capabilities["textDocument"]["diagnostic"] = json!({});
    capabilities["workspace"]["diagnostics"] = json!({"refreshSupport": true});
    capabilities
}

impl Client {
    /// Starts the server; says nothing yet.
    pub(crate) fn start() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-lsp"))
            .arg("--stdio")
            // What the server writes for editors to open.
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env_remove("VIRTUAL_ENV")
            .env_remove("PYTHONPATH")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let stdout = child.stdout.take().expect("piped");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read_message(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Client { child, stdin, messages, seen: VecDeque::new(), next_id: 0, asked: Vec::new(), answers: HashMap::new() }
    }

    /// Starts the server, and greets it. Gives its capabilities.
    pub(crate) fn initialize(capabilities: Value) -> (Client, Value) {
        let mut client = Client::start();
        let capabilities = client.greet(json!({"capabilities": capabilities}));
        (client, capabilities)
    }

    /// Greets the server with more than capabilities.
    pub(crate) fn greet(&mut self, mut params: Value) -> Value {
        params["processId"] = json!(std::process::id());
        let result = self.request("initialize", params).expect("initialize");
        self.notify("initialized", json!({}));
        result["capabilities"].clone()
    }

    /// Writes bytes as they are.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("not closed");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let frame = framed(&message.to_string());
        self.send_raw(&frame);
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; [`Client::answer`] waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        id
    }

    /// The result of a request, or its error.
    pub(crate) fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let mut message = self.wait_for("an answer", |m| m["id"] == id && m.get("method").is_none());
        match message.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(message["result"].take()),
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// The parameters of the next notification of this kind that `wanted` accepts.
    pub(crate) fn notification(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut message = self.wait_for(method, |m| m["method"] == method && wanted(&m["params"]));
        message["params"].take()
    }

    /// Diagnostics that were pushed for a version of a document.
    pub(crate) fn published(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let params = self.notification("textDocument/publishDiagnostics", |params| {
            params["uri"] == uri && params["version"] == version
        });
        params["diagnostics"].as_array().expect("a list").clone()
    }

    /// The next message that fits, among those that came already and those to come.
    pub(crate) fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.seen.iter().position(&wanted) {
            return self.seen.remove(index).expect("just found");
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = match self.messages.recv_timeout(left) {
                Ok(message) => message,
                Err(error) => panic!("waited for {what}: {error}; other messages: {:?}", self.seen),
            };
            if message.get("method").is_some() && message.get("id").is_some() {
                let method = message["method"].as_str().unwrap_or_default().to_string();
                let result = self.answers.get(&method).cloned().unwrap_or_default();
                self.asked.push(method);
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
                if wanted(&message) {
                    return message;
                }
                continue;
            }
            if wanted(&message) {
                return message;
            }
            self.seen.push_back(message);
        }
    }

    /// Messages that nobody waited for so far.
    pub(crate) fn leftover(&mut self) -> Vec<Value> {
        self.seen.extend(self.messages.try_iter());
        self.seen.drain(..).collect()
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "python", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(crate) fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    pub(crate) fn replace(&mut self, uri: &str, version: i32, text: &str) {
        self.change(uri, version, json!([{"text": text}]));
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// The Markdown of a hover; empty if there is none.
    pub(crate) fn hover(&mut self, uri: &str, (line, character): (usize, usize)) -> String {
        let result = self.request("textDocument/hover", at(uri, line, character)).expect("hover");
        result["contents"]["value"].as_str().unwrap_or_default().to_string()
    }

    pub(crate) fn pull(&mut self, uri: &str, previous: Option<&str>) -> Value {
        let params = json!({"textDocument": {"uri": uri}, "previousResultId": previous});
        self.request("textDocument/diagnostic", params).expect("diagnostics")
    }

    /// Says good-bye as an editor does; gives the exit status.
    pub(crate) fn finish(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        // Standard input stays open: the server must go all the same.
        self.exit_status()
    }

    /// Closes the server's standard input.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process.
    pub(crate) fn exit_status(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not exit");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Both fail if it has ended, as it should have.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether there is a process of this number.
pub(crate) fn is_running(process: &str) -> bool {
    let asked = Command::new("kill").args(["-0", process]).stderr(Stdio::null()).status();
    asked.expect("`kill` is there").success()
}

/// Waits for something that happens elsewhere.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Parameters that name a place.
pub(crate) fn at(uri: &str, line: usize, character: usize) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// Zero-based line and column of the first `needle` after the first `after`; the texts before are ASCII.
pub(crate) fn place(text: &str, after: &str, needle: &str) -> (usize, usize) {
    let start = text.find(after).unwrap_or_else(|| panic!("no {after:?} in the text"));
    let offset = start + text[start..].find(needle).unwrap_or_else(|| panic!("no {needle:?} after {after:?}"));
    let before = &text[..offset];
    let line = before.matches('\n').count();
    (line, before.len() - before.rfind('\n').map_or(0, |newline| newline + 1))
}

/// A sample of the repository.
pub(crate) fn sample(name: &str) -> String {
    let path = format!("{}/../samples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Random numbers that are the same in every run (the generator of Knuth's MMIX).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// Everything that the server writes must be a message.
fn read_message(stream: &mut impl BufRead) -> Option<Value> {
    let mut header = String::new();
    stream.read_line(&mut header).ok().filter(|count| *count > 0)?;
    let length = header.trim_end().strip_prefix("Content-Length: ").expect("only messages on standard output");
    let mut body = vec![0; length.parse().expect("a number")];
    let mut empty = String::new();
    stream.read_line(&mut empty).expect("the empty line");
    assert_eq!(empty, "\r\n");
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}
