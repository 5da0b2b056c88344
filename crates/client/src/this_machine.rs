//! Whether a request uses one of this machine's own names.

use http::header::{self, HeaderMap};

/// A web page elsewhere whose host name was made to point here (DNS rebinding) sends that name.
pub fn is_of_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        for (host, is) in [
            ("localhost:8723", true),
            ("LOCALHOST", true),
            ("127.0.0.1:1", true),
            ("[::1]:8723", true),
            ("[::1]", true),
            ("localhost.evil.example", false),
            ("evil.example:8723", false),
            ("127.0.0.1.evil.example", false),
            ("localhost:x", false),
            ("", false),
        ] {
            assert_eq!(is_of_this_machine(&headers(&[("host", host)])), is, "{host}");
        }
        assert!(!is_of_this_machine(&headers(&[])));
        assert!(!is_of_this_machine(&headers(&[("host", "localhost"), ("host", "evil.example")])));
    }
}
