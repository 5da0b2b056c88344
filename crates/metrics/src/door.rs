//! The listener of the figures: access control, and the answers.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use memory_search_client::listening::{Body, answer_until_stopped};
use memory_search_client::log;
use memory_search_client::this_machine::is_of_this_machine;
use tokio::net::TcpListener;

use crate::collector::Collector;
use memory_search_client::bearer::Bearer;

/// The path of the figures.
const PATH: &str = "/metrics";

/// The text format of Prometheus.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The reason why a request gets no figures.
type Refused = (StatusCode, &'static str);

/// A listener that is bound.
pub struct Door {
    listener: TcpListener,
    bearer: Option<Bearer>,
    collector: Arc<Collector>,
}

impl Door {
    /// Listens, but answers no request yet.
    pub async fn open(address: SocketAddr, bearer: Option<Bearer>, collector: Collector) -> Result<Self, String> {
        if !address.ip().is_loopback() && bearer.is_none() {
            return Err(format!(
                "--metrics {address} is reached from other machines, and would tell them the names and sizes of stores: \
                 give it a token by --metrics-token-file FILE, or listen at 127.0.0.1"
            ));
        }
        let listener = TcpListener::bind(address).await.map_err(|error| format!("--metrics {address}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let who = if bearer.is_some() { "with the token" } else { "only on this machine" };
        log::line(&format!("metrics at http://{address}{PATH} ({who})"));
        Ok(Door { listener, bearer, collector: Arc::new(collector) })
    }

    /// Answers until the program is asked to stop.
    pub async fn serve(self) {
        let (bearer, collector) = (Arc::new(self.bearer), self.collector);
        answer_until_stopped(self.listener, move |request: Request<Incoming>| {
            let (bearer, collector) = (Arc::clone(&bearer), Arc::clone(&collector));
            async move {
                match refusal(bearer.as_ref().as_ref(), request.method(), request.uri().path(), request.headers()) {
                    Some((status, why)) => refused(status, why),
                    None => finished(StatusCode::OK, TEXT_FORMAT, collector.text().await),
                }
            }
        })
        .await;
    }
}

/// The reason why a request gets no figures, if it gets none. Without a token, a web page must not reach them by a host
/// name that was made to point here.
fn refusal(bearer: Option<&Bearer>, method: &Method, path: &str, headers: &HeaderMap) -> Option<Refused> {
    match bearer {
        Some(bearer) if !bearer.is_carried_by(headers) => {
            return Some((StatusCode::UNAUTHORIZED, "A bearer token is needed: Authorization: Bearer TOKEN\n"));
        }
        None if !is_of_this_machine(headers) => {
            let why = "Without a token the figures are at 127.0.0.1, localhost or [::1], and at no other host.\n";
            return Some((StatusCode::MISDIRECTED_REQUEST, why));
        }
        _ => {}
    }
    if path != PATH {
        return Some((StatusCode::NOT_FOUND, "The figures are at /metrics\n"));
    }
    if method != Method::GET && method != Method::HEAD {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "The figures are read-only: send GET.\n"));
    }
    None
}

fn refused(status: StatusCode, why: &str) -> Response<Body> {
    let mut response = finished(status, "text/plain; charset=utf-8", why.to_owned());
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn finished(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(bearer: Option<&str>, host: &'static str, authorization: Option<&'static str>) -> Option<StatusCode> {
        let bearer = bearer.map(|token| Bearer::new(token).unwrap());
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(value) = authorization {
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
        }
        refusal(bearer.as_ref(), &Method::GET, PATH, &headers).map(|(status, _)| status)
    }

    #[test]
    fn without_a_token_only_names_of_this_machine_are_answered() {
        assert_eq!(status(None, "localhost:8724", None), None);
        assert_eq!(status(None, "evil.example:8724", None), Some(StatusCode::MISDIRECTED_REQUEST));
    }

    #[test]
    fn with_a_token_it_alone_decides() {
        let token = "0123456789abcdef";
        assert_eq!(status(Some(token), "db.example", Some("Bearer 0123456789abcdef")), None);
        for wrong in [None, Some("Bearer 0123456789abcdeF"), Some("Basic 0123456789abcdef"), Some("Bearer ")] {
            assert_eq!(status(Some(token), "localhost", wrong), Some(StatusCode::UNAUTHORIZED), "{wrong:?}");
        }
    }
}
