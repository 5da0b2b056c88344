//! Progress of a call, for clients that request it: the seconds that it has taken. A search is one statement, so
//! nothing else is known of its progress; but a client that gets messages knows that the call still runs.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Reports that `what` still runs, at once and then each second, until it is dropped. Sends nothing if the client did
/// not request progress.
pub async fn report(context: &RequestContext<RoleServer>, what: &str) {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let began = Instant::now();
    let mut ticks = interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let seconds = began.elapsed().as_secs();
        let message = format!("{what}: {seconds} s");
        let progress = ProgressNotificationParam::new(token.clone(), seconds as f64).with_message(message);
        if context.peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
    }
}
