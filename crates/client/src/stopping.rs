//! Requests to stop the program, by a signal.

use std::sync::OnceLock;
use std::sync::mpsc;

use tokio::sync::watch;

/// Becomes true when a signal arrives.
static REQUESTED: OnceLock<watch::Receiver<bool>> = OnceLock::new();

/// From now on, a signal no longer ends the program: `asked_to_stop` returns. A program calls this before it starts a
/// server that it has to stop: a signal with its default effect would leave that server running.
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
    let [interrupted, terminated, hung_up] =
        [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let (Ok(mut interrupted), Ok(mut terminated), Ok(mut hung_up)) = (interrupted, terminated, hung_up) else {
        return std::future::pending().await;
    };
    drop(set);
    tokio::select! {
        _ = interrupted.recv() => {}
        _ = terminated.recv() => {}
        _ = hung_up.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signalled(set: mpsc::Sender<()>) {
    drop(set);
    let _ = tokio::signal::ctrl_c().await;
}
