//! Streamable HTTP. A client with the token may call; headers name the arguments that the configuration leaves to them.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::WWW_AUTHENTICATE;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use memory_search_client::listening::{Body, answer_until_stopped};
use memory_search_client::log;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::timely_body::TimelyBody;
use crate::command_line::HttpArguments;
use crate::mcp::fixed::Base;
use crate::mcp::server::MemoryServer;
use crate::mcp::sessions::Sessions;
use memory_search_client::bearer::Bearer;

/// The path of the protocol.
const PATH: &str = "/mcp";

struct Door {
    service: StreamableHttpService<MemoryServer, LocalSessionManager>,
    sessions: Sessions,
    base: Base,
    bearer: Bearer,
}

/// The token, of the file or else of the environment.
pub fn token(arguments: &HttpArguments) -> Result<Bearer, String> {
    match (&arguments.token_file, &arguments.token) {
        (Some(path), _) => Bearer::of_file(path),
        (None, Some(token)) => Bearer::new(token),
        (None, None) => {
            Err("--http needs a token: put one into MEMORY_SEARCH_TOKEN or a file that --token-file names, \
                             for example of `openssl rand -hex 32`"
                .to_owned())
        }
    }
}

/// Serves until the program is asked to stop.
pub async fn serve(
    server: MemoryServer,
    base: Base,
    address: SocketAddr,
    bearer: Bearer,
    allowed_hosts: Vec<String>,
) -> Result<(), String> {
    if !address.ip().is_loopback() && allowed_hosts.is_empty() {
        return Err(format!(
            "{address} is reached from other machines: name the hosts by which clients may call it with --allow-host, \
             and put TLS before it, as tokens are sent with each request"
        ));
    }
    let listener = TcpListener::bind(address).await.map_err(|error| format!("{address}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // No browser is a client: a web page must not reach a server on the machine of its reader.
    let mut config = StreamableHttpServerConfig::default().with_json_response(true).enforce_origin_validation();
    if !allowed_hosts.is_empty() {
        config = config.with_allowed_hosts(allowed_hosts);
    }
    let stop = config.cancellation_token.clone();
    let sessions = Sessions::default();
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions.manager(), config);
    let door = Arc::new(Door { service, sessions, base, bearer });
    log::line(&format!("listening on http://{address}{PATH}"));
    answer_until_stopped(listener, move |request| {
        let door = Arc::clone(&door);
        async move { door.answer(request).await }
    })
    .await;
    stop.cancel();
    Ok(())
}

impl Door {
    async fn answer(&self, mut request: Request<Incoming>) -> Response<Body> {
        if !self.bearer.is_carried_by(request.headers()) {
            let mut refused = said(StatusCode::UNAUTHORIZED, "A bearer token is needed: Authorization: Bearer TOKEN");
            refused.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return refused;
        }
        if request.uri().path() != PATH {
            return said(StatusCode::NOT_FOUND, "The protocol is served at /mcp");
        }
        let scope = match self.base.with_headers(request.headers()) {
            Ok(scope) => scope,
            Err(reason) => return said(StatusCode::BAD_REQUEST, &reason),
        };
        if !self.sessions.lets_in(request.headers(), &scope) {
            // The answer is the same as for an ended session, so that the client begins a new one.
            return said(StatusCode::NOT_FOUND, "There is no such session");
        }
        if !self.sessions.have_room_for(request.headers()).await {
            return said(StatusCode::SERVICE_UNAVAILABLE, "There are too many sessions; some end within minutes");
        }
        request.extensions_mut().insert(scope.clone());
        let response = self.service.handle(request.map(TimelyBody::new)).await;
        self.sessions.keep(&response, &scope);
        response
    }
}

fn said(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(text.to_owned())).boxed());
    *response.status_mut() = status;
    response
}
