//! The role that gave a setting its value. A SECURITY DEFINER function runs as its owner with the settings of its
//! caller, and a pooled session keeps the settings of an earlier role. There a setting that names code or a store
//! counts only if it comes from a role that may act as the current one.

use std::ffi::CStr;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;
use pgrx::pg_sys::GucSource;

use crate::pg::role;

/// Refuses (42501) the value of a setting from a role that may not act as the current one. `instead` says how else the
/// caller can give the value.
pub fn require_from_peer(name: &CStr, instead: &str) -> Result<()> {
    let current = role::current_oid();
    let origin = Origin::of(name)?;
    if origin.roles().iter().flatten().any(|&role| may_act_as(role, current)) {
        return Ok(());
    }
    Err(refusal(name, &origin, current, instead))
}

/// The origin of a value.
enum Origin {
    /// Sources that only superusers control: the built-in default, the server's files, ALTER ROLE ALL SET.
    Server,
    /// ALTER DATABASE ... SET, by a superuser or by the owner of the database: nothing records which.
    Database { owner: pg_sys::Oid },
    /// A role: SET, the options of a connection, a function's SET clause, or ALTER ROLE ... SET, which every role may
    /// do for itself.
    Role(pg_sys::Oid),
}

impl Origin {
    fn of(name: &CStr) -> Result<Self> {
        // SAFETY: the name is a C string. The record of a setting lives as long as the process; it is read here and not
        // kept. A setting that is not defined gives a null pointer, since errors are to be skipped.
        let (source, role) = unsafe {
            let record = pg_sys::find_option(name.as_ptr(), false, true, pg_sys::DEBUG5 as i32);
            if record.is_null() {
                return Err(Error::new(
                    ErrorKind::Internal,
                    format!("the setting {} is not defined", name.to_string_lossy()),
                ));
            }
            ((*record).source, (*record).srole)
        };
        Ok(match source {
            GucSource::PGC_S_DATABASE => Self::Database { owner: database_owner()? },
            // The server says of these values that the bootstrap superuser set them. It reads them for the role that
            // logs in, who may have written them.
            // SAFETY: reads a global that is set when the session begins.
            GucSource::PGC_S_USER | GucSource::PGC_S_DATABASE_USER => {
                Self::Role(unsafe { pg_sys::GetAuthenticatedUserId() })
            }
            GucSource::PGC_S_CLIENT
            | GucSource::PGC_S_INTERACTIVE
            | GucSource::PGC_S_TEST
            | GucSource::PGC_S_SESSION => Self::Role(role),
            _ => Self::Server,
        })
    }

    /// The roles for which the value counts. One that may act as the current role is enough.
    fn roles(&self) -> [Option<pg_sys::Oid>; 2] {
        match self {
            Self::Server => [Some(pg_sys::BOOTSTRAP_SUPERUSERID.into()), None],
            // It counts for all who connect to the database, as every setting of a database does.
            // SAFETY: reads a global that is set when the session begins.
            Self::Database { owner } => [Some(*owner), Some(unsafe { pg_sys::GetAuthenticatedUserId() })],
            Self::Role(role) => [Some(*role), None],
        }
    }
}

/// Whether `role` has the privileges of `other`, or may become it by SET ROLE, like a pooler's role that inherits
/// nothing.
fn may_act_as(role: pg_sys::Oid, other: pg_sys::Oid) -> bool {
    // SAFETY: both look in catalog caches, inside a transaction; a role that was dropped is a member of nothing.
    unsafe { pg_sys::has_privs_of_role(role, other) || pg_sys::member_can_set_role(role, other) }
}

fn database_owner() -> Result<pg_sys::Oid> {
    // SAFETY: the tuple is checked before it is read, is a row of pg_database, and is released once.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::DATABASEOID as i32,
            pg_sys::Datum::from(pg_sys::MyDatabaseId),
        );
        if tuple.is_null() {
            return Err(Error::new(
                ErrorKind::Internal,
                "the row of this database in pg_database is missing".to_owned(),
            ));
        }
        let owner = (*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_database>()).datdba;
        pg_sys::ReleaseSysCache(tuple);
        Ok(owner)
    }
}

fn refusal(name: &CStr, origin: &Origin, current: pg_sys::Oid, instead: &str) -> Error {
    let setting = name.to_string_lossy();
    let by = match origin {
        Origin::Server => "the server".to_owned(),
        Origin::Database { owner } => format!("the database, whose owner is role \"{}\",", role::name(*owner)),
        Origin::Role(role) => format!("role \"{}\",", role::name(*role)),
    };
    Error::new(
        ErrorKind::InsufficientPrivilege,
        format!("{setting} was set by {by} which may not act as the current role \"{}\"", role::name(current)),
    )
    .detail("The value could make the current role run code, or use a store, that it did not choose.")
    .hint(format!("{instead}, or set {setting} as that role: in a function's own SET clause, or after SET ROLE."))
}
