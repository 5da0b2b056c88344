//! The command line. Secrets come from the environment or a file, because every user of the machine sees arguments.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use memory_search_core::request::detail::Detail;
use memory_search_explore::terminal::TerminalSearch;

use memory_search_client::bearer::Bearer;
use memory_search_watch::age::Age;

/// Memories of a PostgreSQL database with the extension memory_search.
#[derive(Debug, Parser)]
#[command(name = "memory-search", version)]
pub struct CommandLine {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serves one memory to clients of the Model Context Protocol, on standard input and output or by HTTP
    Mcp(McpArguments),
    /// Serves pages on this machine that show the contents of memories, the results of searches, and their reasons
    Explore(ExploreArguments),
    /// Embeds waiting rows and purges rows that are due, as one process instead of jobs of a scheduler
    Watch(WatchArguments),
    /// Prints the results of a search, with the parts of each score
    Search(SearchArguments),
    /// Follows a table of another server, by logical replication, and searches it here
    Follow(FollowArguments),
    /// Ends the following of a table, and removes everything that it made on both servers
    Unfollow(UnfollowArguments),
    /// Imports memories from a file or another product: runs memory-search-import of the Python package
    Import(ImportArguments),
    /// Starts a PostgreSQL of this program's own, which stays until `down`, and prints its DATABASE_URL
    Up(UpArguments),
    /// Stops this PostgreSQL; the data stays
    Down(EmbeddedArguments),
    /// Prints the server's versions, size, connections and address
    Status(EmbeddedArguments),
    /// Opens psql in the database of this PostgreSQL
    Psql(PsqlArguments),
    /// Writes this database to a file, which every PostgreSQL with the extension can read
    Backup(BackupArguments),
    /// Reads such a file; the present memories stay, in a database of their own
    Restore(RestoreArguments),
    /// Restarts this PostgreSQL with newer files, updates the extension, and applies the doctor's fixes
    Upgrade(EmbeddedArguments),
}

/// The choice of this program's own PostgreSQL.
#[derive(Debug, Clone, Args)]
pub struct EmbeddedArguments {
    /// The folder of the data [default: $XDG_DATA_HOME/memory-search]
    #[arg(long, value_name = "FOLDER", env = "MEMORY_SEARCH_DATA")]
    pub data: Option<PathBuf>,
    /// The pg_config of a PostgreSQL with the extension [default: the one that 'memory-search[server]' brings]
    #[arg(long, value_name = "FILE", env = "MEMORY_SEARCH_PG_CONFIG")]
    pub pg_config: Option<PathBuf>,
}

/// The arguments of `memory-search up`.
#[derive(Debug, Args)]
pub struct UpArguments {
    #[command(flatten)]
    pub embedded: EmbeddedArguments,
    /// Keeps the server only until standard input ends: for programs that start it
    #[arg(long)]
    pub until_eof: bool,
}

/// The arguments of `memory-search psql`.
#[derive(Debug, Args)]
pub struct PsqlArguments {
    #[command(flatten)]
    pub embedded: EmbeddedArguments,
    /// Arguments of psql, for example -c 'SELECT 1'
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub further: Vec<String>,
}

/// The arguments of `memory-search backup`.
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// A file that does not exist yet
    pub file: PathBuf,
    #[command(flatten)]
    pub embedded: EmbeddedArguments,
}

/// The arguments of `memory-search restore`.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// A file that `memory-search backup` wrote
    pub file: PathBuf,
    #[command(flatten)]
    pub embedded: EmbeddedArguments,
}

/// The arguments of `memory-search import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// The file, after its format if that is not jsonl, and options: memory-search-import --help lists them
    #[arg(value_name = "ARGUMENT", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub further: Vec<String>,
}

/// The arguments of `memory-search mcp`.
#[derive(Debug, Args)]
pub struct McpArguments {
    #[command(flatten)]
    pub database: DatabaseArguments,
    #[command(flatten)]
    pub fixed: FixedArguments,
    #[command(flatten)]
    pub http: HttpArguments,
    /// Only the tools that read; transactions are read-only
    #[arg(long, env = "MEMORY_SEARCH_READ_ONLY")]
    pub read_only: bool,
    /// The most entries of a search [default: memory_search.max_top_ke of the database]
    #[arg(long, value_name = "N", env = "MEMORY_SEARCH_MAX_ENTRIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub max_entries: Option<u32>,
    /// The tools of a model: short has the arguments that models use well, and answers with texts, ids and times; full
    /// has all arguments and fields; graph has the tools of the reference memory server, a graph of entities
    #[arg(long, value_name = "TOOLS", env = "MEMORY_SEARCH_TOOLS", value_enum, default_value = "short")]
    pub tools: ToolSet,
    /// Also writes arguments of calls and error messages, which contain texts of the memory, to standard error
    #[arg(long, env = "MEMORY_SEARCH_LOG_TEXTS")]
    pub log_texts: bool,
}

/// The set of tools that a model can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ToolSet {
    Short,
    Full,
    Graph,
}

impl ToolSet {
    /// The detail in which entries are shown.
    pub fn detail(self) -> Detail {
        match self {
            ToolSet::Short => Detail::Short,
            ToolSet::Full | ToolSet::Graph => Detail::Full,
        }
    }
}

/// The arguments of `memory-search explore`.
#[derive(Debug, Args)]
pub struct ExploreArguments {
    #[command(flatten)]
    pub database: DatabaseArguments,
    #[command(flatten)]
    pub caller: CallerArguments,
    /// The address of the pages, which must belong to this machine alone
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8723")]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub metrics: MetricsArguments,
}

/// The arguments of `memory-search watch`.
#[derive(Debug, Args)]
pub struct WatchArguments {
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// A store, a schema; may be given several times [default: every store that belongs to the role]
    #[arg(long, value_name = "SCHEMA", env = "MEMORY_SEARCH_STORE")]
    pub store: Vec<String>,
    /// The role that transactions take on (SET LOCAL ROLE)
    #[arg(long, value_name = "ROLE", env = "MEMORY_SEARCH_ROLE")]
    pub role: Option<String>,
    /// Does all work that is due now, and ends
    #[arg(long, conflicts_with_all = ["every", "metrics"])]
    pub once: bool,
    /// The seconds until it looks again, if nothing was left to do
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub every: u32,
    /// Removes for good the entries that were deleted, or have expired, that long ago: '30 days' [default: none]
    #[arg(long, value_name = "AGE", allow_hyphen_values = true)]
    pub purge_after: Option<Age>,
    /// Embeds nothing, and only purges
    #[arg(long, requires = "purge_after")]
    pub no_embed: bool,
    /// The most rows of a transaction; fewer if they take longer than half a second
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_rows: u32,
    /// The seconds between two lines of progress
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub progress: u32,
    #[command(flatten)]
    pub metrics: MetricsArguments,
    /// Also writes all error messages to standard error: an embedder's may contain texts of the memory
    #[arg(long, env = "MEMORY_SEARCH_LOG_TEXTS")]
    pub log_texts: bool,
}

impl WatchArguments {
    /// The stores that are named, each once.
    pub fn names(&self) -> Result<Vec<String>, String> {
        if self.role.as_deref() == Some("") {
            return Err("--role must not be empty".to_owned());
        }
        let mut names = self.store.clone();
        names.sort();
        names.dedup();
        if names.iter().any(String::is_empty) {
            return Err("--store must not be empty".to_owned());
        }
        Ok(names)
    }
}

/// Figures for Prometheus.
#[derive(Debug, Args)]
pub struct MetricsArguments {
    /// Serves figures for Prometheus at /metrics of this address: names and sizes of stores, counts and times, no text
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8724")]
    pub metrics: Option<SocketAddr>,
    /// The file with the bearer token that a scraper must have; needed beyond this machine
    #[arg(long, value_name = "FILE", requires = "metrics")]
    pub metrics_token_file: Option<PathBuf>,
}

impl MetricsArguments {
    /// The token, if one is configured.
    pub fn bearer(&self) -> Result<Option<Bearer>, String> {
        self.metrics_token_file.as_deref().map(Bearer::of_file).transpose()
    }
}

/// The arguments of `memory-search search`.
#[derive(Debug, Args)]
pub struct SearchArguments {
    #[command(flatten)]
    pub database: DatabaseArguments,
    #[command(flatten)]
    pub caller: CallerArguments,
    #[command(flatten)]
    pub search: TerminalSearch,
}

/// The arguments of `memory-search follow`.
#[derive(Debug, Args)]
pub struct FollowArguments {
    /// The source, as postgresql://USER@HOST/DATABASE: a PostgreSQL without memory_search. Known from the first time
    #[arg(value_name = "SOURCE_URL", env = "MEMORY_SEARCH_SOURCE", hide_env_values = true)]
    pub source: Option<String>,
    /// The password, where the URL has none
    #[arg(skip = std::env::var("MEMORY_SEARCH_SOURCE_PASSWORD").ok())]
    pub password: Option<String>,
    /// The table, with or without its schema
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// The columns to copy, by commas; the key is always copied [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// The column that names the memory of a row [default: the whole table is one memory with its name]
    #[arg(long, value_name = "COLUMN")]
    pub memory: Option<String>,
    /// The column that names an entry [default: the key]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// The column with the text [default: the only one of type text]
    #[arg(long, value_name = "COLUMN")]
    pub text: Option<String>,
    /// The column with the title: the summary of an entry
    #[arg(long, value_name = "COLUMN")]
    pub title: Option<String>,
    /// Other columns of entries, a JSON object as memory_adopt_table takes it
    #[arg(long, value_name = "JSON")]
    pub map: Option<String>,
    /// The column with embeddings of your own [default: the follower embeds the rows]
    #[arg(long, value_name = "COLUMN", conflicts_with = "no_embedding")]
    pub embedding: Option<String>,
    /// No embeddings: rows are found by their words
    #[arg(long)]
    pub no_embedding: bool,
    /// The language of the texts
    #[arg(long, value_name = "LANGUAGE", default_value = "english")]
    pub language: String,
    /// The store, a schema [default: the table's name and _memory]
    #[arg(long, value_name = "SCHEMA")]
    pub store: Option<String>,
    /// The name of subscription, publication and slot [default: memory_search_ and the table's name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Repairs the replication of a table that is followed already
    #[arg(long, conflicts_with_all = ["status", "wait"])]
    pub again: bool,
    /// Copies all rows again, even if nothing seems wrong
    #[arg(long, requires = "again")]
    pub copy: bool,
    /// Reports how far behind each table is, and what is wrong
    #[arg(long, conflicts_with_all = ["wait", "watch"])]
    pub status: bool,
    /// Waits until the follower has everything that the source wrote before this position in its log
    #[arg(long, value_name = "LSN", conflicts_with = "watch")]
    pub wait: Option<String>,
    /// Keeps running: embeds waiting rows, and reports when something goes wrong and when it works again
    #[arg(long)]
    pub watch: bool,
}

/// The arguments of `memory-search unfollow`.
#[derive(Debug, Args)]
pub struct UnfollowArguments {
    /// The source, if its address has changed, or if this role may not read it
    #[arg(value_name = "SOURCE_URL", env = "MEMORY_SEARCH_SOURCE", hide_env_values = true)]
    pub source: Option<String>,
    /// The password, where the URL has none
    #[arg(skip = std::env::var("MEMORY_SEARCH_SOURCE_PASSWORD").ok())]
    pub password: Option<String>,
    /// The table, with or without its schema [default: the only one that is followed]
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// Keeps the rows and the store on the follower
    #[arg(long, conflicts_with = "force")]
    pub keep: bool,
    /// Removes the store with its contexts
    #[arg(long)]
    pub force: bool,
    /// Removes the follower's side even if the source cannot be reached, and prints the statements for the rest
    #[arg(long)]
    pub source_is_gone: bool,
}

/// The database, and the way to connect.
#[derive(Debug, Args)]
pub struct DatabaseArguments {
    /// The database, as postgresql://USER@HOST/DATABASE or as host=... dbname=...; the password belongs in PGPASSWORD
    /// [default: a PostgreSQL of this program's own]
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: Option<String>,
    #[command(flatten)]
    pub embedded: EmbeddedArguments,
    /// The password, where the URL has none
    #[arg(skip = std::env::var("PGPASSWORD").ok())]
    pub password: Option<String>,
    /// Certificates (PEM) to trust for TLS to the database [default: those that the machine trusts]
    #[arg(long, value_name = "FILE", env = "PGSSLROOTCERT")]
    pub tls_roots: Option<PathBuf>,
    /// The most connections to the database
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub connections: u32,
    /// How long a call may take in the database, in seconds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub timeout_seconds: u32,
}

impl DatabaseArguments {
    /// The database that is named. An empty variable counts as unset.
    pub fn named(&self) -> Option<&str> {
        self.database.as_deref().filter(|database| !database.is_empty())
    }
}

/// The arguments that the model does not choose.
#[derive(Debug, Args)]
pub struct FixedArguments {
    /// The memory
    #[arg(long, value_name = "ID", env = "MEMORY_SEARCH_MEMORY")]
    pub memory: Option<String>,
    /// The agent_id of added entries
    #[arg(long, value_name = "ID", env = "MEMORY_SEARCH_AGENT")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub caller: CallerArguments,
}

/// The store, the user and the role of statements.
#[derive(Debug, Args)]
pub struct CallerArguments {
    /// The store, a schema [default: memory_search.store of the database; of the pages every store]
    #[arg(long, value_name = "SCHEMA", env = "MEMORY_SEARCH_STORE")]
    pub store: Option<String>,
    /// The user: only this user's rows are seen and written. The store must have row-level security
    #[arg(long, value_name = "ID", env = "MEMORY_SEARCH_USER")]
    pub user: Option<String>,
    /// The role that transactions take on (SET LOCAL ROLE)
    #[arg(long, value_name = "ROLE", env = "MEMORY_SEARCH_ROLE")]
    pub role: Option<String>,
    /// The setting that names the user in policies
    #[arg(long, value_name = "NAME", default_value = "memory_search.user_id")]
    pub setting: String,
}

/// Serving by HTTP.
#[derive(Debug, Args)]
pub struct HttpArguments {
    /// Serves by streamable HTTP at /mcp of this address instead of standard input and output
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8722")]
    pub http: Option<SocketAddr>,
    /// The file with the bearer token that every request must have [default: MEMORY_SEARCH_TOKEN of the environment]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,
    /// The token, if no file has it
    #[arg(skip = std::env::var("MEMORY_SEARCH_TOKEN").ok())]
    pub token: Option<String>,
    /// The values that requests set by headers Memory-Search-Memory, -Store, -User, -Agent, -Role
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "http")]
    pub from_headers: Vec<Fixed>,
    /// Names by which clients reach the server, as in their Host header; needed beyond this machine
    #[arg(long, value_name = "HOST", requires = "http")]
    pub allow_host: Vec<String>,
}

/// One of the arguments that the model does not choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fixed {
    Memory,
    Store,
    User,
    Agent,
    Role,
}
