//! Requests to stop the program, by a signal.

use std::sync::OnceLock;
use std::sync::mpsc;
#[cfg(unix)]
use std::task::Poll;

use tokio::sync::watch;

/// Becomes true when a signal arrives.
static REQUESTED: OnceLock<watch::Receiver<bool>> = OnceLock::new();

/// From now on, a signal no longer ends the program: `asked_to_stop` returns. Ignored signals stay ignored. A program
/// calls this before it starts a server that it has to stop: a signal with its default effect would leave that server
/// running.
pub fn expect_signals() -> watch::Receiver<bool> {
    REQUESTED.get_or_init(listen).clone()
}

/// Returns when the program is asked to stop, also if that was before the call.
pub async fn asked_to_stop() {
    if expect_signals().wait_for(|is_requested| *is_requested).await.is_err() {
        // Nothing listens: signals have their default effect.
        std::future::pending().await
    }
}

/// Listens in a thread of its own, because the program's runtime may start later. Returns once the handlers are set.
fn listen() -> watch::Receiver<bool> {
    let (requested, receiver) = watch::channel(false);
    let (set, is_set) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            signalled(set).await;
            let _ = requested.send(true);
        });
    });
    // An error means that the thread ended without handlers.
    let _ = is_set.recv();
    receiver
}

#[cfg(unix)]
async fn signalled(set: mpsc::Sender<()>) {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    // nohup and shells start a program with signals that it is to ignore.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let meant = kinds.into_iter().filter(|kind| !is_ignored(&status, kind.as_raw_value()));
    let Ok(mut signals) = meant.map(signal).collect::<Result<Vec<_>, _>>() else {
        return std::future::pending().await;
    };
    drop(set);
    std::future::poll_fn(|context| {
        if signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// Whether a process ignores a signal, by its status as Linux shows it: a bit for each signal.
#[cfg(unix)]
fn is_ignored(status: &str, signal: i32) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    bits.checked_shr(signal.unsigned_abs().wrapping_sub(1)).unwrap_or(0) & 1 == 1
}

#[cfg(not(unix))]
async fn signalled(set: mpsc::Sender<()>) {
    drop(set);
    let _ = tokio::signal::ctrl_c().await;
}

#[cfg(all(test, unix))]
mod tests {
    use super::is_ignored;

    #[test]
    fn a_signal_is_ignored_whose_bit_is_set() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000004002\n";
        assert!(is_ignored(status, 1) && is_ignored(status, 13));
        assert!(!is_ignored(status, 2) && !is_ignored(status, 15) && !is_ignored("", 1));
    }
}
