//! Requests to stop the program, by a signal.

/// Returns when the program is asked to stop.
pub async fn asked_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut terminated), Ok(mut hung_up)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
                _ = hung_up.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
