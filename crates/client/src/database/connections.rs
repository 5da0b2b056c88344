//! Connections to the database: a pool of a few, with TLS if the server has it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, TimeoutType};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::database::error::DatabaseError;
use crate::database::own_server::OwnServer;
use crate::database::running::{Running, UnderWay};

/// The time that a call waits for a connection that others use, or for the server's first answer on a new one.
pub const WAIT: Duration = Duration::from_secs(10);

/// The time for one address of the server to accept a connection: a request that was lost is repeated after one second
/// and after three. The driver tries one address after another.
const ACCEPTED: Duration = Duration::from_secs(4);

/// The time after which a connection without any answer is tested, and after which it counts as broken.
const SILENCE: Duration = Duration::from_secs(30);

/// Whether the database was reachable, by the last connection that was requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Reached {
    /// It was, or nobody has requested one yet.
    #[default]
    Yes,
    /// A caller is waiting for the first connection.
    NotYet,
    /// It was not: the reason.
    No(String),
}

/// The database, and the way to connect. Nothing prints it: it may hold a password.
#[derive(Clone, Copy)]
pub struct ConnectionParameters<'a> {
    /// The database, as postgresql://USER@HOST/DATABASE or as host=... dbname=...
    pub database: &'a str,
    /// The password, if `database` has none.
    pub password: Option<&'a str>,
    /// Certificates (PEM) to trust for TLS; `None` means those that the machine trusts.
    pub tls_roots: Option<&'a Path>,
    /// The most connections.
    pub most_connections: u32,
    /// The name of the program, as the server shows it.
    pub program: &'a str,
}

/// The database.
#[derive(Clone)]
pub struct Connections {
    pool: Pool,
    tls: MakeRustlsConnect,
    under_way: UnderWay,
    reached: Arc<Mutex<Reached>>,
    /// The time for a connection to be made.
    patience: Duration,
    /// The server of the database, if this program runs it.
    own_server: Option<Arc<dyn OwnServer>>,
}

impl Connections {
    /// Reads the parameters; makes no connection yet. `own_server` is the server of the database, if this program runs
    /// it.
    pub fn configure(
        parameters: ConnectionParameters<'_>,
        own_server: Option<Arc<dyn OwnServer>>,
    ) -> Result<Self, String> {
        let mut config = config(parameters.database, parameters.password)?;
        if config.get_application_name().is_none() {
            config.application_name(parameters.program);
        }
        notice_silence(&mut config);
        let patience = patience(&config);
        let tls = MakeRustlsConnect::new(tls_config(parameters.tls_roots)?);
        // A connection whose backend is gone is noticed when it closes; testing each first would cost a round trip.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, tls.clone(), recycling))
            .max_size(parameters.most_connections as usize)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(patience))
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Connections { pool, tls, under_way: UnderWay::default(), reached: Arc::default(), patience, own_server })
    }

    /// A connection that nobody else uses.
    pub(crate) async fn get(&self) -> Result<Running, DatabaseError> {
        let under_way = self.under_way.begin().await;
        if self.pool.status().size == 0 {
            self.know(Reached::NotYet);
        }
        let mut connection = self.pool.get().await;
        if let (Err(PoolError::Backend(_)), Some(server)) = (&connection, &self.own_server) {
            // Nothing else would restart it while this program runs.
            let server = Arc::clone(server);
            if tokio::task::spawn_blocking(move || server.revive()).await.unwrap_or(false) {
                connection = self.pool.get().await;
            }
        }
        let connection: Object = connection.map_err(|error| match error {
            // All connections are in use: that does not mean that the database is unreachable.
            PoolError::Timeout(TimeoutType::Wait) => {
                DatabaseError::Unreachable(format!("no connection was free for {} seconds", WAIT.as_secs()))
            }
            other => {
                let error = match other {
                    PoolError::Backend(error) => DatabaseError::from(error),
                    PoolError::Timeout(_) => {
                        let seconds = self.patience.as_secs();
                        DatabaseError::Unreachable(format!("it did not answer for {seconds} seconds"))
                    }
                    other => DatabaseError::Unreachable(other.to_string()),
                };
                self.know(Reached::No(error.to_string()));
                error
            }
        })?;
        self.know(Reached::Yes);
        Ok(Running::new(connection, self.tls.clone(), under_way))
    }

    fn know(&self, reached: Reached) {
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = reached;
    }

    /// The reason why the database was not reachable at the last request; `Ok` if it was, or if there was no request
    /// yet.
    pub fn reached(&self) -> Result<(), String> {
        match &*self.reached.lock().unwrap_or_else(PoisonError::into_inner) {
            Reached::Yes => Ok(()),
            Reached::NotYet => Err("the input ended while the database had not answered yet".to_owned()),
            Reached::No(why) => Err(format!("the input ended, and the last answer was: {why}")),
        }
    }

    /// Closes unused connections of that age: new ones have the current settings of role and database, and the
    /// currently installed library.
    pub fn renew(&self, age: Duration) {
        let _ = self.pool.retain(|_, metrics| metrics.age() < age);
    }

    /// Waits until nothing is running, but not for ever. A server that nobody else uses is stopped.
    pub async fn end(&self) {
        const PATIENCE: Duration = Duration::from_secs(2);
        let _ = tokio::time::timeout(PATIENCE, self.under_way.end()).await;
        if let Some(server) = self.own_server.clone() {
            self.pool.close();
            let _ = tokio::task::spawn_blocking(move || server.end()).await;
        }
    }
}

/// A database by its address, with the password if the address has none.
pub fn config(database: &str, password: Option<&str>) -> Result<Config, String> {
    // The parser's messages name keys, not values.
    let mut config = parsed(database).map_err(|error| {
        format!(
            "the database's URL: {error}; it is written postgresql://USER@HOST/DATABASE, or host=HOST user=USER \
             dbname=DATABASE"
        )
    })?;
    if let (None, Some(password)) = (config.get_password(), password) {
        config.password(password);
    }
    // The driver takes libpq's milliseconds for seconds.
    if let Some(given) = config.get_tcp_user_timeout().copied() {
        config.tcp_user_timeout(Duration::from_millis(given.as_secs()));
    }
    Ok(config)
}

/// Makes a connection fail whose other end is gone without a word, as after a failover: by default the system waits for
/// hours. Values of the URL stay.
pub fn notice_silence(config: &mut Config) {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(ACCEPTED);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(SILENCE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(WAIT);
    }
}

/// The time for a connection to be made, in which every address has its turn.
pub fn patience(config: &Config) -> Duration {
    let addresses = config.get_hosts().len().max(config.get_hostaddrs().len()).max(1);
    let each = config.get_connect_timeout().copied().unwrap_or(ACCEPTED);
    // The name of a host may have several addresses; the last one also needs time for TLS and the login.
    each.saturating_mul(u32::try_from(addresses).unwrap_or(u32::MAX)).saturating_add(WAIT)
}

/// Required TLS checks certificate and host here, so libpq's stricter modes mean the same.
fn parsed(database: &str) -> Result<Config, tokio_postgres::Error> {
    database.parse().or_else(|error| {
        let required = ["verify-full", "verify-ca"]
            .iter()
            .fold(database.to_owned(), |text, word| text.replace(&format!("sslmode={word}"), "sslmode=require"));
        if required == database { Err(error) } else { required.parse() }
    })
}

/// Certificates are always checked, with the host's name: TLS to an unknown server would protect nothing.
pub fn tls_config(roots_file: Option<&Path>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    match roots_file {
        Some(path) => {
            let failed = |error: &dyn std::fmt::Display| format!("the certificates of {}: {error}", path.display());
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))? {
                let certificate = certificate.map_err(|error| failed(&error))?;
                roots.add(certificate).map_err(|error| failed(&error))?;
            }
            if roots.is_empty() {
                return Err(failed(&"there is none in it"));
            }
        }
        // Certificates of the machine that cannot be read are ignored; without any, TLS fails with an error.
        None => _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(versions.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_postgres::config::SslMode;

    #[test]
    fn silence_is_noticed_soon_unless_the_address_says_when() {
        let mut config = parsed("host=h user=u").unwrap();
        notice_silence(&mut config);
        assert_eq!(config.get_keepalives_idle(), SILENCE);
        assert_eq!((config.get_tcp_user_timeout(), config.get_connect_timeout()), (Some(&SILENCE), Some(&ACCEPTED)));
        let mut config = parsed("host=h tcp_user_timeout=5 keepalives_idle=7 connect_timeout=3").unwrap();
        notice_silence(&mut config);
        let given = [Some(config.get_keepalives_idle()), config.get_tcp_user_timeout().copied()];
        assert_eq!(given, [7, 5].map(|seconds| Some(Duration::from_secs(seconds))));
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(3)));
    }

    #[test]
    fn every_address_has_its_turn() {
        for (address, seconds) in [("host=a,b,c", 22), ("host=a connect_timeout=30", 40), ("hostaddr=::1,::2", 18)] {
            let mut config = config(address, None).unwrap();
            notice_silence(&mut config);
            assert_eq!(patience(&config), Duration::from_secs(seconds), "{address}");
        }
    }

    #[test]
    fn a_timeout_of_tcp_is_in_milliseconds_as_for_libpq() {
        let config = config("host=h tcp_user_timeout=5000", None).unwrap();
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(5)));
    }

    #[test]
    fn the_words_of_libpq_for_tls_that_checks_require_it() {
        for word in ["require", "verify-ca", "verify-full"] {
            for url in [format!("postgresql://u@h/d?sslmode={word}"), format!("host=h sslmode={word} user=u")] {
                assert_eq!(parsed(&url).unwrap().get_ssl_mode(), SslMode::Require, "{url}");
            }
        }
        assert!(parsed("postgresql://u@h/d?sslmode=verify").is_err());
    }
}
