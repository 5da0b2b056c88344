//! The checks of each request: its access, the page that it names, and the headers of every response.

use std::net::SocketAddr;
use std::time::Instant;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use memory_search_client::database::reading::Reading;
use memory_search_client::listening::{Body, answer_until_stopped};
use memory_search_client::log;
use memory_search_client::this_machine::is_of_this_machine;
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;

use crate::markup::layout::Page;
use crate::pages;

const STYLE: &str = include_str!("style.css");

/// The headers of each response. The browser must run no script, load nothing from other servers, and keep and pass on
/// nothing.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

/// The reason for which a request gets no page.
type Refused = (StatusCode, &'static str);

/// Serves until the program is asked to stop.
pub async fn serve(reading: Reading, address: SocketAddr) -> Result<(), String> {
    if !address.ip().is_loopback() {
        return Err(format!(
            "{address} is reached from other machines, and anyone who opens the pages sees the memories: listen at \
             127.0.0.1 and reach it by a tunnel, ssh -L 8723:127.0.0.1:8723 HOST"
        ));
    }
    let listener = TcpListener::bind(address).await.map_err(|error| format!("{address}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let key = key()?;
    // Other users of this machine can connect, too; they do not know the key.
    log::line(&format!("open http://{address}/{key}/ (only on this machine; the address is the key to it)"));
    answer_until_stopped(listener, move |request| {
        let (reading, key) = (reading.clone(), key.clone());
        async move { answer(&reading, &key, &request).await }
    })
    .await;
    Ok(())
}

/// A random part of the address, new with each start.
fn key() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random bytes: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn answer(reading: &Reading, key: &str, request: &Request<Incoming>) -> Response<Body> {
    let page = match name_of(request, key) {
        Ok("style.css") => return finished(StatusCode::OK, "text/css; charset=utf-8", STYLE.to_owned()),
        Ok(name) => {
            let began = Instant::now();
            let page = pages::page(reading, name, request.uri().query().unwrap_or_default()).await;
            let name = if pages::NAMES.contains(&name) { name } else { "another page" };
            log::line(&format!("/{name} {} ms {}", began.elapsed().as_millis(), page.said));
            page
        }
        Err((status, why)) => Page::refused(status, why),
    };
    finished(page.status, "text/html; charset=utf-8", page.html())
}

/// The name of the requested page, or the reason for which this request gets none.
fn name_of<'a>(request: &'a Request<Incoming>, key: &str) -> Result<&'a str, Refused> {
    if !is_of_this_machine(request.headers()) {
        let say = "These pages are at 127.0.0.1, localhost or [::1], and at no other host.";
        return Err((StatusCode::MISDIRECTED_REQUEST, say));
    }
    if is_of_another_site(request.headers()) {
        return Err((StatusCode::FORBIDDEN, "A page of another site asks for this one within itself."));
    }
    let path = request.uri().path();
    let (given, name) = path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default();
    if !bool::from(given.as_bytes().ct_eq(key.as_bytes())) {
        let say = "Open the address that the program wrote when it was started: it has a key, new with each start.";
        return Err((StatusCode::FORBIDDEN, say));
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "These pages only show data: send GET."));
    }
    Ok(name)
}

/// Whether another site's page requests this one for itself. A link that a user follows does not count.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    let says = |name: &str, words: &[&str]| {
        headers.get(name).is_some_and(|value| words.iter().any(|word| value.as_bytes() == word.as_bytes()))
    };
    // Only scripts and forms send an origin. These pages have no script, and their forms send none.
    let has_another_origin = headers.get(header::ORIGIN).is_some_and(|origin| {
        origin.as_bytes().strip_prefix(b"http://") != headers.get(header::HOST).map(HeaderValue::as_bytes)
    });
    has_another_origin || says("sec-fetch-site", &["cross-site", "same-site"]) && !says("sec-fetch-dest", &["document"])
}

fn finished(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn another_site_may_only_link_here() {
        let from = |site, dest| is_of_another_site(&headers(&[("sec-fetch-site", site), ("sec-fetch-dest", dest)]));
        assert!(!from("none", "document") && !from("same-origin", "style") && !from("cross-site", "document"));
        assert!(from("cross-site", "iframe") && from("same-site", "image") && from("cross-site", "empty"));
    }

    #[test]
    fn another_origin_is_another_site() {
        let from = |origin| is_of_another_site(&headers(&[("host", "127.0.0.1:8080"), ("origin", origin)]));
        assert!(!from("http://127.0.0.1:8080"));
        for other in ["http://evil.example", "null", "http://127.0.0.1:8081", "https://127.0.0.1:8080", ""] {
            assert!(from(other), "{other}");
        }
    }

    #[test]
    fn keys_differ() {
        assert_ne!(key().unwrap(), key().unwrap());
        assert_eq!(key().unwrap().len(), 32);
    }
}
