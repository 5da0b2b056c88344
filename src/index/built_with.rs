//! The parameters by which the words of an index were made, on its metapage: text search configuration and options.
//!
//! The system identifier of the server u64, the OID of the configuration u32 (0 for an index without texts), the
//! options. An OID means something on the server that gave it: pg_upgrade copies the pages into another one.

use pgrx::pg_sys;

use crate::pg::text_search::indexed_texts::Options;

/// The parameters of a build.
pub struct BuiltWith {
    cluster: u64,
    configuration: u32,
    /// The options that the index had; ALTER INDEX may have changed them since.
    pub options: Options,
}

impl BuiltWith {
    /// Those of a build that begins now; without a configuration if the index has no texts.
    pub fn now(options: &Options, configuration: Option<pg_sys::Oid>) -> BuiltWith {
        let configuration = configuration.map_or(0, pg_sys::Oid::to_u32);
        BuiltWith { cluster: this_cluster(), configuration, options: options.clone() }
    }

    /// Their form on the metapage.
    pub fn to_bytes(&self) -> Vec<u8> {
        let BuiltWith { cluster, configuration, options } = self;
        [&cluster.to_le_bytes()[..], &configuration.to_le_bytes(), &options.to_bytes()].concat()
    }

    /// Those in the bytes of a metapage; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<BuiltWith> {
        let (cluster, rest) = bytes.split_first_chunk()?;
        let (configuration, options) = rest.split_first_chunk()?;
        let (cluster, configuration) = (u64::from_le_bytes(*cluster), u32::from_le_bytes(*configuration));
        Some(BuiltWith { cluster, configuration, options: Options::from_bytes(options)? })
    }

    /// Whether this server gave the OID of the configuration.
    pub fn is_of_this_cluster(&self) -> bool {
        self.cluster == this_cluster()
    }

    /// The OID of the text search configuration; invalid if the index has no texts.
    pub fn configuration(&self) -> pg_sys::Oid {
        self.configuration.into()
    }
}

fn this_cluster() -> u64 {
    // SAFETY: reads a number that the server has in memory from its start.
    unsafe { pg_sys::GetSystemIdentifier() }
}
