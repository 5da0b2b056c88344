//! The bearer token of a listener: a client that knows it gets access.

use std::path::Path;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use subtle::ConstantTimeEq;

/// The least length: a shorter token can be guessed.
const LEAST_BYTES: usize = 16;

/// A token.
#[derive(Clone)]
pub struct Bearer(String);

impl Bearer {
    /// The token in a file.
    pub fn of_file(path: &Path) -> Result<Self, String> {
        let token = std::fs::read_to_string(path);
        Bearer::new(&token.map_err(|error| format!("the token's file {}: {error}", path.display()))?)
    }

    /// The token, if a header can carry it and nobody can guess it.
    pub fn new(token: &str) -> Result<Self, String> {
        let token = token.trim();
        if token.len() < LEAST_BYTES {
            return Err(format!("the token has {} bytes, and needs at least {LEAST_BYTES}", token.len()));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the token has characters that a header cannot carry: use letters and digits".to_owned());
        }
        Ok(Bearer(token.to_owned()))
    }

    /// Whether a request has the token.
    pub fn is_carried_by(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (given.next(), given.next()) else { return false };
        let Some((scheme, token)) = value.to_str().ok().and_then(|value| value.split_once(' ')) else { return false };
        scheme.eq_ignore_ascii_case("bearer") && bool::from(token.trim().as_bytes().ct_eq(self.0.as_bytes()))
    }
}
