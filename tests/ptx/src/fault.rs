//! Why a kernel was stopped, and where.

use std::fmt;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An access that is not inside of one allocation; the allocation that is nearest, with its bytes.
    IllegalAddress {
        /// Where.
        address: u64,
        /// How many bytes.
        bytes: usize,
        /// The allocation that is nearest.
        near: Option<(u64, usize)>,
    },
    /// An access at no multiple of its bytes.
    Misaligned {
        /// Where.
        address: u64,
        /// How many bytes.
        bytes: usize,
    },
    /// Every thread that is left waits.
    Deadlock(String),
    /// More instructions than the budget has.
    Budget,
    /// The kernel stopped itself: `trap`, or an assertion with its words.
    Trap(String),
    /// What PTX says has no meaning.
    Undefined(String),
    /// An instruction that is not known here.
    Unsupported(String),
    /// The launch asks for what the kernel does not have.
    Launch(String),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::IllegalAddress { address, bytes, near } => {
                write!(f, "an access of {bytes} bytes at {address:#x}, which is no memory")?;
                match near {
                    Some((begin, length)) if address >= begin => {
                        write!(f, ": byte {} of an allocation of {length}", address - begin)
                    }
                    Some((begin, _)) => write!(f, ": {} bytes before an allocation", begin - address),
                    None => Ok(()),
                }
            }
            Cause::Misaligned { address, bytes } => {
                write!(f, "an access of {bytes} bytes at {address:#x}, which is no multiple of {bytes}")
            }
            Cause::Deadlock(what) => write!(f, "all threads that are left wait in vain: {what}"),
            Cause::Budget => write!(f, "more instructions than the budget has: it may never end"),
            Cause::Trap(words) if words.is_empty() => write!(f, "the kernel executes `trap`"),
            Cause::Trap(words) => write!(f, "the kernel stops itself: {words}"),
            Cause::Undefined(what) => write!(f, "PTX gives this no meaning: {what}"),
            Cause::Unsupported(what) => write!(f, "not known here: {what}"),
            Cause::Launch(what) => write!(f, "the launch: {what}"),
        }
    }
}

/// A kernel that was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub cause: Cause,
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread, or the first one of those.
    pub thread: [u32; 3],
    /// The line of the PTX; 0 if it is none.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// File and line that the compiler says it comes from.
    pub source: Option<(String, u32)>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { cause, kernel, block, thread, line, instruction, source } = self;
        write!(f, "{cause} (kernel {kernel}, block {block:?}, thread {thread:?}, PTX line {line}: {instruction}")?;
        match source {
            Some((file, line)) => write!(f, ", {file}:{line})"),
            None => write!(f, ")"),
        }
    }
}

impl std::error::Error for Fault {}
