//! Sessions of older protocol versions, over HTTP: each belongs to the fixed arguments with which it began. A client
//! that knows another's session id, and has the server's token, must not get its answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use crate::mcp::scope::Scope;

/// The header of a session's id.
const HEADER: &str = "mcp-session-id";

/// The most sessions at a time; each ends after five minutes without a call.
pub const MOST_SESSIONS: usize = 1_000;

/// The owner of each session.
#[derive(Debug, Default)]
pub struct Sessions {
    manager: Arc<LocalSessionManager>,
    owners: Mutex<HashMap<String, Scope>>,
}

fn id_in(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER)?.to_str().ok()
}

impl Sessions {
    /// The manager that keeps the sessions themselves.
    pub fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Whether a request of `scope` may go on in the session that its headers name, if they name one.
    pub fn lets_in(&self, headers: &HeaderMap, scope: &Scope) -> bool {
        if !headers.contains_key(HEADER) {
            return true;
        }
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        id_in(headers).is_some_and(|id| owners.get(id) == Some(scope))
    }

    /// Whether there is room for a new session. Forgets the owners of sessions that have ended.
    pub async fn have_room_for(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(HEADER) {
            return true;
        }
        let live = self.manager.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|id, _| live.contains_key(id.as_str()));
        live.len() < MOST_SESSIONS
    }

    /// Notes the owner of the session that `response` began, if it began one.
    pub fn keep<B>(&self, response: &Response<B>, scope: &Scope) {
        if let Some(id) = id_in(response.headers()) {
            let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
            owners.entry(id.to_owned()).or_insert_with(|| scope.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_search_client::database::scope::Caller;

    fn scope(user: &str) -> Scope {
        let caller = Caller { store: None, user: Some(user.to_owned()), role: None };
        Scope { memory: "m".to_owned(), agent: None, caller }
    }

    #[test]
    fn a_session_is_open_only_to_its_owner() {
        let sessions = Sessions::default();
        let began = Response::builder().header(HEADER, "s1").body(()).unwrap();
        sessions.keep(&began, &scope("ann"));
        sessions.keep(&began, &scope("bo"));
        assert!(sessions.lets_in(began.headers(), &scope("ann")));
        assert!(!sessions.lets_in(began.headers(), &scope("bo")));
        assert!(sessions.lets_in(&HeaderMap::new(), &scope("bo")));
        let unknown = Response::builder().header(HEADER, "s2").body(()).unwrap();
        assert!(!sessions.lets_in(unknown.headers(), &scope("ann")));
    }
}
