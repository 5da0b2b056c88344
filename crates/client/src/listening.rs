//! A listener whose requests are answered one by one, until the program is asked to stop.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::stopping::asked_to_stop;

/// The most connections of clients at a time.
const MOST_CONNECTIONS: usize = 256;

/// The body of a response.
pub type Body = BoxBody<Bytes, Infallible>;

/// Answers each request, until a signal comes.
pub async fn answer_until_stopped<F, Answer>(listener: TcpListener, answer: F)
where
    F: Fn(Request<Incoming>) -> Answer + Clone + Send + Sync + 'static,
    Answer: Future<Output = Response<Body>> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let accept = async {
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            let Ok((stream, _)) = listener.accept().await else {
                // For example if there are no more file descriptors: others will be closed.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let answer = answer.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let response = answer(request);
                    async move { Ok::<_, Infallible>(response.await) }
                });
                // If a client disconnects, this needs no line in the log.
                let _ = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(Duration::from_secs(30))
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accept => {}
        () = asked_to_stop() => {}
    }
}
