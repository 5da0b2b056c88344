//! The right to use a store: privileges on its relations, and the policies by which a role sees its rows only.

pub mod grant;
pub mod row_security;
