//! Messages cut out of the bytes that a client sends: `Content-Length: 42`, an empty line, 42 bytes of JSON.
//!
//! The transport behind stops at the first message that it cannot read, so only messages that it can read are let
//! through: everything else is named as a [`Frame::Malformed`], and reading goes on at the next header. Does no I/O.

use tower_lsp_server::jsonrpc::Request;

/// Messages larger than this are refused; the largest source file that the engine reads is smaller.
const LARGEST: usize = 128 << 20;

/// A header block longer than this is not one.
const LONGEST_HEADER: usize = 8 << 10;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A message that can be read.
    Message {
        /// Its text.
        json: Vec<u8>,
        /// Whether it is the `exit` notification, after which nothing may come.
        is_exit: bool,
    },
    /// Something else; what is wrong with it.
    Malformed(&'static str),
}

/// Cuts a stream of bytes.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    buffer: Vec<u8>,
}

impl FrameReader {
    /// Takes more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame, if all of it has come.
    pub(crate) fn next_frame(&mut self) -> Option<Frame> {
        let Some((header_end, body_start)) = header(&self.buffer) else {
            if self.buffer.len() <= LONGEST_HEADER {
                return None;
            }
            self.skip_garbage();
            return Some(Frame::Malformed("no message header"));
        };
        let length = match content_length(&self.buffer[..header_end]) {
            Ok(length) => length,
            Err(fault) => {
                self.buffer.drain(..body_start);
                return Some(Frame::Malformed(fault));
            }
        };
        let body_end = body_start + length;
        let body = self.buffer.get(body_start..body_end)?;
        // The transport reads responses as well, which are requests in form but for the name of a method.
        let Ok(request) = serde_json::from_slice::<Request>(body) else {
            // A length that is too large swallows the message after it: go on from there.
            let end = find_header(body).map_or(body_end, |inner| body_start + inner);
            self.buffer.drain(..end);
            return Some(Frame::Malformed("the message is not JSON-RPC 2.0"));
        };
        let frame = Frame::Message { json: body.to_vec(), is_exit: request.method() == "exit" };
        self.buffer.drain(..body_end);
        Some(frame)
    }

    /// Drops everything up to what may be the start of a header.
    fn skip_garbage(&mut self) {
        let keep = match self.buffer.get(1..).and_then(find_header) {
            Some(start) => start + 1,
            None => self.buffer.len().saturating_sub(NAME.len()),
        };
        self.buffer.drain(..keep);
    }
}

/// The one header that counts. Names are compared without case, as in HTTP.
const NAME: &[u8] = b"content-length:";

fn find_header(bytes: &[u8]) -> Option<usize> {
    bytes.windows(NAME.len()).position(|window| window.eq_ignore_ascii_case(NAME))
}

/// End of the header block and start of the body.
fn header(bytes: &[u8]) -> Option<(usize, usize)> {
    const END: &[u8] = b"\r\n\r\n";
    let window = &bytes[..bytes.len().min(LONGEST_HEADER + END.len())];
    let end = window.windows(END.len()).position(|window| window == END)?;
    Some((end, end + END.len()))
}

/// The length that a header block announces. What stands before it in the block, garbage included, does not matter.
fn content_length(block: &[u8]) -> Result<usize, &'static str> {
    let start = find_header(block).ok_or("the header has no Content-Length")?;
    let value = block[start + NAME.len()..].split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let length = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
    match length {
        Some(length) if length <= LARGEST => Ok(length),
        Some(_) => Err("the message is too large"),
        None => Err("the Content-Length is not a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;

    fn framed(body: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        let mut reader = FrameReader::default();
        reader.push(bytes);
        std::iter::from_fn(|| reader.next_frame()).collect()
    }

    fn message() -> Frame {
        Frame::Message { json: BODY.as_bytes().to_vec(), is_exit: false }
    }

    #[test]
    fn messages_are_cut_however_the_bytes_come() {
        let stream = [framed(BODY), framed(BODY)].concat();
        assert_eq!(frames(&stream), [message(), message()]);
        let mut reader = FrameReader::default();
        let mut seen = Vec::new();
        for byte in stream {
            reader.push(&[byte]);
            seen.extend(std::iter::from_fn(|| reader.next_frame()));
        }
        assert_eq!(seen, [message(), message()]);
    }

    #[test]
    fn other_headers_and_other_cases_are_taken() {
        let head = "content-length:  52  \r\nContent-Type: application/vscode-jsonrpc\r\nX-Other: 1\r\n\r\n";
        assert_eq!(BODY.len(), 52);
        assert_eq!(frames(&[head.as_bytes(), BODY.as_bytes()].concat()), [message()]);
    }

    #[test]
    fn after_what_cannot_be_read_the_next_message_is() {
        for broken in [
            framed("{\"jsonrpc\":\"2.0\","),
            framed("[]"),
            framed("{}"),
            framed("{\"jsonrpc\":\"1.0\",\"method\":\"x\"}"),
            framed("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":{}}"),
            framed(""),
            framed(&"[".repeat(1000)),
            b"Content-Length: 3\r\n\r\n\xff\xfe\xfd".to_vec(),
            b"Content-Length: minus one\r\n\r\n".to_vec(),
            b"Content-Length: 99999999999999999999\r\n\r\n".to_vec(),
            b"Content-Length: 999999999999\r\n\r\n".to_vec(),
            b"Content-Length: 500\r\n\r\n{}".iter().copied().chain(vec![b' '; 400]).collect(),
            b"\r\n\r\n".to_vec(),
            b"hello\r\n\r\n".to_vec(),
        ] {
            let seen = frames(&[broken.clone(), framed(BODY), framed(BODY)].concat());
            assert!(matches!(seen[0], Frame::Malformed(_)), "{seen:?}");
            assert_eq!(seen[seen.len() - 1], message(), "after {:?}", String::from_utf8_lossy(&broken));
        }
    }

    #[test]
    fn garbage_before_a_header_is_no_part_of_it() {
        assert_eq!(frames(&[b"some words ".to_vec(), framed(BODY)].concat()), [message()]);
        let endless = vec![b'x'; LONGEST_HEADER * 3];
        let seen = frames(&[endless, framed(BODY)].concat());
        assert_eq!(seen.last(), Some(&message()));
    }
}
