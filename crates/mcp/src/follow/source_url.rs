//! The address of the source, for two clients: this program, and libpq in the follower's server, which knows more
//! parameters (`passfile`, `sslrootcert`) and reads files of its own machine.

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The parameters that tokio-postgres reads; all others are only for libpq.
const OF_BOTH: &[&str] = &[
    "user",
    "password",
    "dbname",
    "options",
    "application_name",
    "sslmode",
    "host",
    "hostaddr",
    "port",
    "connect_timeout",
    "keepalives",
    "keepalives_idle",
    "target_session_attrs",
];

/// The source, in the form for each client.
#[derive(Clone)]
pub struct SourceUrl {
    /// For this program.
    pub config: Config,
    /// For the follower's server, with the password: never shown.
    conninfo: Vec<(String, String)>,
}

impl SourceUrl {
    /// Reads a URL or `key=value` pairs. `password` is used if the text has none.
    pub fn parse(text: &str, password: Option<&str>) -> Result<Self, String> {
        let form = "write it as postgresql://USER@HOST/DATABASE, or as host=HOST user=USER dbname=DATABASE";
        let mut pairs = if text.starts_with("postgresql://") || text.starts_with("postgres://") {
            pairs_of_url(text).map_err(|error| format!("SOURCE_URL: {error}; {form}"))?
        } else {
            pairs_of_conninfo(text).ok_or_else(|| format!("SOURCE_URL cannot be read; {form}"))?
        };
        pairs.retain(|(_, value)| !value.is_empty());
        let has = |pairs: &[(String, String)], name: &str| pairs.iter().any(|(key, _)| key == name);
        // libpq would use the name of the user that the follower's server runs as.
        for (name, what) in [("user", "user"), ("dbname", "database")] {
            if !has(&pairs, name) {
                return Err(format!("SOURCE_URL names no {what}; {form}"));
            }
        }
        if !has(&pairs, "host") && !has(&pairs, "hostaddr") {
            return Err(format!("SOURCE_URL names no host; {form}"));
        }
        let apart = password.filter(|_| !has(&pairs, "password"));
        // If the follower's server reads a file, the subscription must not contain the password.
        if let (Some(password), false) = (apart, has(&pairs, "passfile")) {
            pairs.push(("password".to_owned(), password.to_owned()));
        }
        let known: Vec<(String, String)> =
            pairs.iter().filter(|(key, _)| OF_BOTH.contains(&key.as_str())).map(for_tokio).collect();
        let mut config: Config = written(&known).parse().map_err(|error| format!("SOURCE_URL: {error}; {form}"))?;
        if let Some(password) = apart {
            config.password(password);
        }
        Ok(SourceUrl { config, conninfo: pairs })
    }

    /// The connection string of the subscription, with the password.
    pub fn conninfo(&self) -> String {
        written(&self.conninfo)
    }

    /// Whether it contains a password.
    pub fn has_password(&self) -> bool {
        self.conninfo.iter().any(|(key, _)| key == "password")
    }

    /// The address for people: without the password and without parameters.
    pub fn shown(&self) -> String {
        let value = |name: &str| self.conninfo.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let host = value("host").or(value("hostaddr")).unwrap_or_default();
        let port = value("port").map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}@{host}{port}/{}", value("user").unwrap_or_default(), value("dbname").unwrap_or_default())
    }
}

/// Required TLS always checks certificate and host here, so libpq's stricter modes mean the same.
fn for_tokio((key, value): &(String, String)) -> (String, String) {
    let value = match (key.as_str(), value.as_str()) {
        ("sslmode", "verify-full" | "verify-ca") => "require",
        ("sslmode", "allow") => "prefer",
        (_, value) => value,
    };
    (key.clone(), value.to_owned())
}

/// `key='value'` pairs that both libpq and tokio-postgres read.
fn written(pairs: &[(String, String)]) -> String {
    let quoted = |value: &str| value.replace('\\', "\\\\").replace('\'', "\\'");
    let texts: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}='{}'", quoted(value))).collect();
    texts.join(" ")
}

fn pairs_of_url(text: &str) -> Result<Vec<(String, String)>, tokio_postgres::Error> {
    let (base, query) = text.split_once('?').unwrap_or((text, ""));
    let config: Config = base.parse()?;
    let mut pairs = Vec::new();
    let mut add = |key: &str, value: String| pairs.push((key.to_owned(), value));
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    add("host", hosts.join(","));
    add("port", config.get_ports().iter().map(u16::to_string).collect::<Vec<_>>().join(","));
    add("user", config.get_user().unwrap_or_default().to_owned());
    add("password", config.get_password().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default());
    add("dbname", config.get_dbname().unwrap_or_default().to_owned());
    for (key, value) in form_urlencoded::parse(query.replace('+', "%2B").as_bytes()) {
        pairs.retain(|(known, _)| *known != key);
        pairs.push((key.into_owned(), value.into_owned()));
    }
    Ok(pairs)
}

/// `None` if the text is no list of `key=value`.
fn pairs_of_conninfo(text: &str) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let mut value = String::new();
        let after = after.trim_start();
        let (is_quoted, after) = match after.strip_prefix('\'') {
            Some(inner) => (true, inner),
            None => (false, after),
        };
        let mut characters = after.char_indices();
        let end = loop {
            match characters.next() {
                Some((_, '\\')) => value.push(characters.next()?.1),
                Some((at, '\'')) if is_quoted => break at + 1,
                Some((at, c)) if c.is_whitespace() && !is_quoted => break at,
                Some((_, c)) => value.push(c),
                None if is_quoted => return None,
                None => break after.len(),
            }
        };
        let key = key.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return None;
        }
        pairs.push((key.to_owned(), value));
        rest = after[end..].trim_start();
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clients_are_led_to_the_same_place_and_the_password_is_not_shown() {
        let url = "postgresql://app:s%27e%5Ccret@db.example.net:6432/shop?sslmode=verify-full&sslrootcert=/etc/ca.pem";
        let source = SourceUrl::parse(url, Some("another")).unwrap();
        assert_eq!(source.config.get_password(), Some(&b"s'e\\cret"[..]));
        assert_eq!(source.config.get_ports(), [6432]);
        let conninfo = source.conninfo();
        assert!(conninfo.contains(r"password='s\'e\\cret'"), "{conninfo}");
        assert!(conninfo.contains("sslmode='verify-full' sslrootcert='/etc/ca.pem'"), "{conninfo}");
        assert_eq!(source.shown(), "app@db.example.net:6432/shop");
        let again = SourceUrl::parse(&conninfo, None).unwrap();
        assert_eq!(again.conninfo(), conninfo);
    }

    #[test]
    fn a_password_of_the_environment_is_taken_where_the_text_has_none() {
        let source = SourceUrl::parse("host=/tmp/a user=u dbname='a b'", Some("p")).unwrap();
        assert!(source.has_password());
        assert_eq!(source.config.get_dbname(), Some("a b"));
    }

    #[test]
    fn a_file_with_the_password_keeps_it_out_of_the_subscription() {
        let source = SourceUrl::parse("host=h user=u dbname=d passfile=/p", Some("secret")).unwrap();
        assert!(!source.has_password() && !source.conninfo().contains("secret"));
        assert_eq!(source.config.get_password(), Some(&b"secret"[..]));
    }

    #[test]
    fn what_the_followers_server_would_guess_is_asked_for() {
        for (text, what) in [
            ("postgresql://db.example.net/shop", "no user"),
            ("postgresql://app@db.example.net", "no database"),
            ("user=app dbname=shop", "no host"),
            ("shop", "cannot be read"),
            ("host=h user=u dbname='d", "cannot be read"),
        ] {
            let said = SourceUrl::parse(text, None).err().unwrap();
            assert!(said.contains(what), "{text}: {said}");
        }
    }
}
