//! Connections to both servers: to the follower by the database argument of every command, to the source by the given
//! address or by the subscription's.

use memory_search_client::database::connections;
use memory_search_client::log;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::command_line::DatabaseArguments;
use crate::embedded::with_hint;
use crate::follow::session::Session;
use crate::follow::source_url::SourceUrl;
use crate::follow::subscription;

/// The connections to both servers.
pub struct Ends {
    database: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    /// The address of the source, if it was given.
    pub given: Option<SourceUrl>,
    password: Option<String>,
}

impl Ends {
    /// Reads the addresses; makes no connection yet.
    pub fn of(database: &DatabaseArguments, source: Option<&str>, password: Option<&str>) -> Result<Self, String> {
        // An empty variable counts as not set.
        let source = source.filter(|text| !text.is_empty());
        let given = source.map(|text| SourceUrl::parse(text, password)).transpose()?;
        if let Some(given) = &given
            && given.config.get_password().is_some()
            && source.is_some_and(|text| std::env::args().any(|word| word == text) && password.is_none())
        {
            log::line(
                "the password of the source is in the command line, where others on this machine read it: put it into \
                 MEMORY_SEARCH_SOURCE_PASSWORD",
            );
        }
        // A server that stops with the last program would make the source keep its log.
        let Some(follower) = database.named() else {
            return Err(with_hint(
                "no database is named to follow in",
                "Name it in DATABASE_URL. A server of this program's own serves as well while it is kept: \
                 DATABASE_URL=$(memory-search up)",
            ));
        };
        Ok(Ends {
            database: connections::config(follower, database.password.as_deref())?,
            tls: MakeRustlsConnect::new(connections::tls_config(database.tls_roots.as_deref())?),
            given,
            password: password.map(str::to_owned),
        })
    }

    /// A session with the follower.
    pub async fn follower(&self) -> Result<Session, String> {
        Session::open(&self.database, self.tls.clone(), "the follower").await
    }

    /// The address of the source: the given one, or that of the subscription.
    pub async fn url(&self, follower: &Session, name: &str) -> Result<SourceUrl, String> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        match subscription::conninfo(follower, name).await {
            Ok(Some(conninfo)) => SourceUrl::parse(&conninfo, self.password.as_deref()),
            Ok(None) => Err("the subscription is gone, and with it the source's address. Hint: give SOURCE_URL".into()),
            Err(_) => {
                Err("only a superuser of the follower may read the source's address. Hint: give SOURCE_URL".into())
            }
        }
    }

    /// A session with the source.
    pub async fn source(&self, follower: &Session, name: &str) -> Result<Session, String> {
        self.open_source(&self.url(follower, name).await?).await
    }

    /// A session with the source at this address.
    pub async fn open_source(&self, url: &SourceUrl) -> Result<Session, String> {
        Session::open(&url.config, self.tls.clone(), "the source").await
    }
}
