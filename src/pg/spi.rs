//! Statements, run as the caller. Reading and writing are two doors: the functions of pgrx that
//! look like reads but assign a transaction id (`Spi::get_one`, `Spi::run`, ...) are not used
//! anywhere, so that a search works on a standby and in a read-only transaction.
//!
//! An SQL error never comes back from here: it leaves as an ERROR, unwinding the Rust frames.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use pgrx::spi::{Spi, SpiClient};

use crate::pg::param::Param;
use crate::pg::plan_cache;
use crate::pg::row::{Batch, Row};

/// Rows fetched at once from a scan: enough to amortise a fetch, little to hold.
const ROWS_PER_FETCH: i64 = 1000;

/// An SQL text with its parameters, numbered as they are bound.
#[derive(Debug, Clone, Default)]
pub struct Statement {
    /// The SQL text.
    pub sql: String,
    params: Vec<Param>,
}

impl Statement {
    /// Adds a parameter; gives its place, `$1`.
    pub fn bind(&mut self, param: Param) -> String {
        self.params.push(param);
        format!("${}", self.params.len())
    }

    /// The statement with its text.
    #[must_use]
    pub fn with(mut self, sql: String) -> Self {
        self.sql = sql;
        self
    }
}

/// Runs statements that read.
pub struct Reader<'a, 'conn> {
    client: &'a SpiClient<'conn>,
}

/// Opens a connection for reading: assigns no transaction id.
pub fn read<T>(work: impl FnOnce(&Reader<'_, '_>) -> Result<T>) -> Result<T> {
    Spi::connect(|client| work(&Reader { client }))
}

impl Reader<'_, '_> {
    /// Calls `each` with every row of a result that is known to be small.
    pub fn rows(&self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        let plan = plan_cache::plan(self.client, &statement.sql, &statement.params, false)?;
        let table = self.client.select(&*plan, None, &datums(&statement.params)).map_err(internal)?;
        Batch::of_last_statement(&table).each(&mut each)
    }

    /// The first row of a result, if there is one.
    pub fn first<T>(&self, statement: &Statement, mut take: impl FnMut(Row<'_>) -> Result<T>) -> Result<Option<T>> {
        let mut first = None;
        self.rows(statement, |row| {
            if first.is_none() {
                first = Some(take(row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Calls `each` with every row of a result of any size, a batch at a time, so that memory does
    /// not grow with it.
    pub fn scan(&self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        let plan = plan_cache::plan(self.client, &statement.sql, &statement.params, false)?;
        let mut cursor = self.client.try_open_cursor(&*plan, &datums(&statement.params)).map_err(internal)?;
        loop {
            pgrx::check_for_interrupts!();
            let table = cursor.fetch(ROWS_PER_FETCH).map_err(internal)?;
            let batch = Batch::of_last_statement(&table);
            let rows = batch.len();
            batch.each(&mut each)?;
            batch.free();
            if rows < ROWS_PER_FETCH as usize {
                return Ok(());
            }
        }
    }
}

/// Runs statements that write.
pub struct Writer<'a, 'conn> {
    client: &'a mut SpiClient<'conn>,
}

/// Opens a connection for writing.
pub fn write<T>(work: impl FnOnce(&mut Writer<'_, '_>) -> Result<T>) -> Result<T> {
    Spi::connect_mut(|client| work(&mut Writer { client }))
}

impl Writer<'_, '_> {
    /// Runs a statement that will be run again in this session: its plan is kept.
    pub fn execute(&mut self, statement: &Statement) -> Result<u64> {
        self.returning(statement, |_| Ok(()))
    }

    /// The same, calling `each` with every row it returns; gives the number of rows processed.
    pub fn returning(&mut self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<()>) -> Result<u64> {
        let plan = plan_cache::plan(self.client, &statement.sql, &statement.params, true)?;
        let table = self.client.update(&*plan, None, &datums(&statement.params)).map_err(internal)?;
        let processed = processed();
        Batch::of_last_statement(&table).each(&mut each)?;
        Ok(processed)
    }

    /// Runs a definition (CREATE, DROP, COMMENT): it takes no parameters and keeps no plan.
    pub fn define(&mut self, sql: &str) -> Result<()> {
        self.client.update(sql, None, &[]).map_err(internal)?;
        Ok(())
    }
}

fn processed() -> u64 {
    // SAFETY: a plain global of the backend, set by the statement that just ran on this thread.
    unsafe { pg_sys::SPI_processed }
}

fn datums(params: &[Param]) -> Vec<DatumWithOid<'_>> {
    params.iter().map(Param::datum).collect()
}

/// An SPI status that no input can cause.
pub fn internal(error: pgrx::spi::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("memory_search could not run a statement: {error}"))
}
