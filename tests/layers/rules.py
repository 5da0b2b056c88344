"""Which part may know which, and what may be otherwise for a reason. CONTRIBUTING.md shows the exceptions."""

from dataclasses import dataclass

# The modules of src/, a layer each, and the layers below that it may name. A layer is named by its path; the longest
# that fits counts, so that store::definition is a layer of its own within store.
LAYERS = {
    "": ("api", "search", "store", "store::predicate", "store::definition", "embed", "pg"),
    "api": ("search", "store", "store::predicate", "store::definition", "embed", "pg"),
    "search": ("store::predicate", "store::definition", "embed", "pg"),
    "store": ("store::predicate", "store::definition", "embed", "pg"),
    "store::predicate": ("store::definition", "pg"),
    "store::definition": ("embed", "pg"),
    "embed": ("pg",),
    "pg": (),
}

# The crates, and the crates of this repository that each may depend on.
CRATES = {
    "memory_search": ("memory-search-core", "memory-search-pgformat", "memory-search-embedder"),
    "memory-search-core": (),
    "memory-search-pgformat": ("memory-search-core",),
    "memory-search-embedder": (),
    "memory-search-install-script": (),
}

# These know no PostgreSQL: none of their dependencies begins so. pgrx's writer of SQL, which reads bytes, is no server.
WITHOUT_POSTGRESQL = ("memory-search-core", "memory-search-pgformat", "memory-search-embedder")
OF_POSTGRESQL = ("pgrx", "postgres", "libpq")

# Folders whose code may say unsafe; whoever else must say #![forbid(unsafe_code)] in its lib.rs or main.rs.
UNSAFE_FOLDERS = ("src/pg",)
FORBID_UNSAFE = ("crates/core", "crates/pgformat", "crates/embedder", "crates/install_script")
# The extension denies it and allows it to one module, for Rust's forbid takes no exception.
DENY_UNSAFE = ("src/lib.rs", "pg")

LONGEST_FILE = 600  # lines
WRITTEN_BY_HAND = ("src", "crates", "sql/schema", "tests", "benches", "demo", "pgrx-config")
ENDINGS = (".rs", ".sql", ".sh", ".py", ".spec")


@dataclass(frozen=True)
class Exception_:
    """One thing that may be otherwise: rule is layer, cycle, crate, unsafe or length."""

    rule: str
    where: str  # the file; of a cycle the folder; of a crate its name
    what: str  # the module or crate that is named; of a cycle its members; of unsafe and length nothing
    reason: str


# Empty is best. One that nothing needs any more is an error too.
EXCEPTIONS: tuple[Exception_, ...] = ()
