//! Standard input and output as the transport wants them: asynchronous, and made of whole messages.
//!
//! Two threads do the blocking. The transport's own reading would keep the process alive until its standard input is
//! closed, and would stop at the first malformed message; both are seen to here. Knows frames, not what is in them.

use crate::frames::{Frame, FrameReader};
use std::io::{ErrorKind, Read, Write};
use std::pin::Pin;
use std::sync::mpsc as channel;
use std::task::{Context, Poll};
use std::thread;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;
use tower_lsp_server::jsonrpc::{Error, Id, Response};

/// Messages of the client, each with a header.
pub(crate) struct Input {
    frames: mpsc::UnboundedReceiver<Vec<u8>>,
    /// The frame that is being read, and how much of it was.
    current: Vec<u8>,
    read: usize,
}

/// Takes messages for the client. Never waits: a client that does not read must not stop the server from reading.
#[derive(Clone)]
pub(crate) struct Output {
    chunks: channel::Sender<Chunk>,
}

enum Chunk {
    Bytes(Vec<u8>),
    End,
}

/// Why no more messages come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The client sent `exit`. Whatever comes after it is not read.
    Exit,
    /// The stream has ended.
    Closed,
}

/// Reads a stream on a thread of its own until it ends or says `exit`, and then calls `ended`.
pub(crate) fn read_from(
    mut stream: impl Read + Send + 'static,
    output: Output,
    ended: impl FnOnce(Ending) + Send + 'static,
) -> std::io::Result<Input> {
    let (sender, frames) = mpsc::unbounded_channel();
    thread::Builder::new().name("reader".to_string()).spawn(move || {
        let mut reader = FrameReader::default();
        let mut chunk = vec![0; 64 << 10];
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => return ended(Ending::Closed),
                Ok(count) => reader.push(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return ended(Ending::Closed),
            }
            while let Some(frame) = reader.next_frame() {
                match frame {
                    Frame::Message { json, is_exit } => {
                        if is_exit {
                            // Said first: the transport ends by it, and that must not look like the end of the stream.
                            ended(Ending::Exit);
                            let _ = sender.send(framed(&json));
                            return;
                        }
                        // Fails only when the transport has ended, and then the process is about to.
                        let _ = sender.send(framed(&json));
                    }
                    Frame::Malformed(fault) => output.refuse(fault),
                }
            }
        }
    })?;
    Ok(Input { frames, current: Vec::new(), read: 0 })
}

/// Writes to a stream on a thread of its own, until [`Output::finish`] or until nobody reads; then it calls `ended`.
pub(crate) fn write_to(
    mut stream: impl Write + Send + 'static,
    ended: impl FnOnce() + Send + 'static,
) -> std::io::Result<Output> {
    let (chunks, receiver) = channel::channel();
    thread::Builder::new().name("writer".to_string()).spawn(move || {
        for chunk in receiver {
            let Chunk::Bytes(bytes) = chunk else { break };
            if stream.write_all(&bytes).and_then(|()| stream.flush()).is_err() {
                break; // nobody reads any more
            }
        }
        ended();
    })?;
    Ok(Output { chunks })
}

fn framed(message: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes();
    frame.extend_from_slice(message);
    frame
}

impl Output {
    /// Answers what was no message, as JSON-RPC asks: with no id.
    fn refuse(&self, fault: &'static str) {
        let mut error = Error::parse_error();
        error.message = fault.into();
        if let Ok(message) = serde_json::to_vec(&Response::from_error(Id::Null, error)) {
            // Fails only when the client has gone.
            let _ = self.chunks.send(Chunk::Bytes(framed(&message)));
        }
    }

    /// Nothing is written after what was written so far.
    pub(crate) fn finish(&self) {
        // Fails if writing has ended already.
        let _ = self.chunks.send(Chunk::End);
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        while self.read == self.current.len() {
            match self.frames.poll_recv(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Ready(Some(frame)) => {
                    self.current = frame;
                    self.read = 0;
                }
            }
        }
        let count = buffer.remaining().min(self.current.len() - self.read);
        buffer.put_slice(&self.current[self.read..self.read + count]);
        self.read += count;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Output {
    // The encoder hands over whole messages, and all that it hands over is taken: messages are never cut by others.
    fn poll_write(self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        match self.chunks.send(Chunk::Bytes(bytes.to_vec())) {
            Ok(()) => Poll::Ready(Ok(bytes.len())),
            Err(_) => Poll::Ready(Err(ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
