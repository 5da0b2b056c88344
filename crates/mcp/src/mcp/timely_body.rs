//! The body of a request, with a time limit: otherwise clients that send it byte by byte, or stop in the middle, would
//! hold all connections.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

/// The time for a whole body, of 4 MB at most.
const TIME: Duration = Duration::from_secs(15);

/// A body that fails once its time is over.
pub struct TimelyBody {
    body: Incoming,
    end: Pin<Box<Sleep>>,
}

/// The reason for which a body was not read to its end.
#[derive(Debug)]
pub enum Unread {
    Late,
    Broken(hyper::Error),
}

impl TimelyBody {
    /// A body whose time begins now.
    pub fn new(body: Incoming) -> TimelyBody {
        TimelyBody { body, end: Box::pin(sleep(TIME)) }
    }
}

impl Body for TimelyBody {
    type Data = Bytes;
    type Error = Unread;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Unread>>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(Unread::Late)));
        }
        Pin::new(&mut self.body).poll_frame(context).map_err(Unread::Broken)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Late => write!(out, "the body did not come within {} seconds", TIME.as_secs()),
            Unread::Broken(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Unread {}
