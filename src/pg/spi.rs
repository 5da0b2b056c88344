//! Statements, run as the caller. Reading and writing are separate. A read uses the snapshot of the calling query, so
//! that all statements of a search see the same rows, also after writes in the same transaction; it assigns no
//! transaction id, so that it works on a standby and in a read-only transaction. (pgrx's own `Spi::get_one`, `Spi::run`
//! and `SpiClient::update` first assign one; its `select` takes a new snapshot for each statement once the transaction
//! has written.)
//!
//! No function here returns an SQL error: it is raised as an ERROR, unwinding the Rust frames.

use std::fmt::Write as _;
use std::marker::PhantomData;

use memory_search_core::place::Place;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;
use pgrx::spi::Spi;

use crate::pg::dest_receiver::Receiver;
use crate::pg::memory_reserve;
use crate::pg::param::Param;
use crate::pg::partition::Part;
use crate::pg::partition_plan::{self, Gives};
use crate::pg::plan_cache::{self, KeptPlan, c_text};
use crate::pg::row::{Batch, Row};
use crate::pg::settings;

/// An SQL text with its parameters, numbered as they are bound.
#[derive(Debug, Clone, Default)]
pub struct Statement {
    /// The SQL text.
    pub sql: String,
    params: Vec<Param>,
    /// The partitions that hold all rows that it reads and changes of their tables.
    parts: Option<[Part; 3]>,
}

impl Statement {
    /// Sets the partitions with all rows that it reads and changes of these tables.
    pub fn in_partitions(&mut self, parts: [Part; 3]) {
        self.parts = Some(parts);
    }

    /// Adds a parameter; returns its placeholder, `$1`.
    pub fn bind(&mut self, param: Param) -> String {
        let mut placeholder = String::new();
        self.bind_in(&mut placeholder, param);
        placeholder
    }

    /// Adds a parameter, and appends its placeholder to a text.
    pub fn bind_in(&mut self, text: &mut String, param: Param) {
        self.params.push(param);
        // Writing to a String cannot fail.
        let _ = write!(text, "${}", self.params.len());
    }

    /// The statement with its text.
    #[must_use]
    pub fn with(mut self, sql: String) -> Self {
        self.sql = sql;
        self
    }
}

/// Values and null flags for SPI. Built inside the connection, so that the data they point to are freed with it.
struct Arguments {
    values: Vec<pg_sys::Datum>,
    nulls: Vec<std::ffi::c_char>,
}

impl Arguments {
    fn new(params: &[Param]) -> Self {
        const NULL: std::ffi::c_char = b'n' as std::ffi::c_char;
        const NOT_NULL: std::ffi::c_char = b' ' as std::ffi::c_char;
        let values: Vec<Option<pg_sys::Datum>> = params.iter().map(Param::datum).collect();
        Arguments {
            nulls: values.iter().map(|value| if value.is_some() { NOT_NULL } else { NULL }).collect(),
            values: values.into_iter().map(|value| value.unwrap_or(pg_sys::Datum::from(0usize))).collect(),
        }
    }
}

/// Runs statements that read.
pub struct Reader<'conn> {
    connection: PhantomData<&'conn ()>,
}

/// Opens a connection for reading.
pub fn read<T>(work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
    memory_reserve::keep()?;
    Spi::connect(|_| work(&Reader { connection: PhantomData }))
}

/// Reads with the newest snapshot, independently of the transaction's isolation level: for reads under a lock that was
/// taken after the transaction's own snapshot.
pub fn read_newest<T>(work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
    // SAFETY: the snapshot is pushed and popped in pairs; an ERROR in between pops it with the
    // (sub)transaction.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
    let result = read(work);
    // SAFETY: as above.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}

/// Reads catalogs in their current state, as the server itself does, and not by the transaction's snapshot: policies and
/// indexes may have changed since it was taken.
pub fn with_catalogs_as_they_stand<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: the catalogs' snapshot is taken anew, and copied when it is pushed; it is popped in pairs, by an ERROR
    // in between with the (sub)transaction.
    unsafe {
        pg_sys::InvalidateCatalogSnapshot();
        pg_sys::PushActiveSnapshot(pg_sys::GetCatalogSnapshot(pg_sys::RelationRelationId));
    }
    let result = work();
    // SAFETY: as above.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}

/// Reads in a snapshot that includes the calling statement's own writes so far.
pub fn with_own_changes<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: what a VOLATILE function in SQL does before each of its statements. The snapshot is copied when it is
    // pushed; it is popped in pairs, by an ERROR in between with the (sub)transaction.
    unsafe {
        pg_sys::CommandCounterIncrement();
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
    }
    let result = work();
    // SAFETY: as above.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}

impl Reader<'_> {
    /// Calls `each` with every row of a result that is known to be small.
    pub fn rows(&self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        if statement.parts.is_some() {
            return self.scan(statement, each);
        }
        let plan = plan_cache::plan(&statement.sql, &statement.params)?;
        let batch = execute(&plan, &statement.params, true)?;
        batch.each(&mut each)?;
        batch.free();
        Ok(())
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

    /// The row of a statement that always returns one.
    pub fn only<T>(&self, statement: &Statement, take: impl FnMut(Row<'_>) -> Result<T>) -> Result<T> {
        self.first(statement, take)?.ok_or_else(no_row)
    }

    /// The OIDs of the types of a query's columns. Its plan is not kept.
    pub fn column_types(&self, sql: &str) -> Result<Vec<u32>> {
        let text = c_text(sql)?;
        // SAFETY: the text lives through the call; SPI leaves the result's description in
        // SPI_tuptable, also where it has no row.
        unsafe {
            let code = settings::with_standard_literals(|| pg_sys::SPI_execute(text.as_ptr(), true, 1));
            if code < 0 { Err(status(code)) } else { Ok(Batch::of_last_statement().column_types()) }
        }
    }

    /// Calls `each` with every row of a result of any size while the statement runs: no row is copied, so memory does
    /// not grow with the result.
    pub fn scan(&self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<()>) -> Result<()> {
        let mut receiver = Receiver::new(&mut each);
        if statement.parts.is_some() {
            self.run_giving(Gives::Columns, statement, &mut receiver)?;
            return receiver.finish();
        }
        let plan = plan_cache::plan(&statement.sql, &statement.params)?;
        // SAFETY: the plan is alive, and was prepared for as many parameters of these types: its text
        // is the key it is kept under. The parameters are in the connection's memory context, and the
        // receiver outlives the statement.
        let code = settings::with_values_as_everywhere(|| unsafe {
            let options = pg_sys::SPIExecuteOptions {
                params: parameter_list(&statement.params),
                read_only: true,
                dest: receiver.as_ptr(),
                ..pg_sys::SPIExecuteOptions::default()
            };
            pg_sys::SPI_execute_plan_extended(plan.as_ptr(), &options)
        });
        receiver.finish()?;
        if code < 0 { Err(status(code)) } else { Ok(()) }
    }

    /// Calls `each` in the same way as long as it returns true; then the statement ends.
    pub fn scan_while(&self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<bool>) -> Result<()> {
        let mut has_enough = false;
        let scanned = self.scan(statement, |row| {
            has_enough = !each(row)?;
            if has_enough { Err(Error::new(ErrorKind::Internal, "no more rows are wanted")) } else { Ok(()) }
        });
        if has_enough { Ok(()) } else { scanned }
    }

    /// Runs a statement only to check the caller's privileges, and to record its reads in a serializable transaction:
    /// no column is computed, or read unless the statement has a condition on it.
    pub fn pass_over(&self, statement: &Statement) -> Result<()> {
        let mut pass = |_: Row<'_>| Ok(());
        self.run_giving(Gives::Nothing, statement, &mut Receiver::new(&mut pass))
    }

    /// Calls `each` with the place of every row that a statement on one relation would return, and with the OID of the
    /// table. The caller needs the privileges for the statement.
    pub fn places(&self, statement: &Statement, mut each: impl FnMut(Place, u32) -> Result<()>) -> Result<()> {
        let mut take = |row: Row<'_>| match (row.place(1), row.oid(2)) {
            (Some(place), Some(table)) => each(place, table),
            _ => Err(Error::new(ErrorKind::Internal, "a row of a table has no TID")),
        };
        let mut receiver = Receiver::new(&mut take);
        self.run_giving(Gives::Places, statement, &mut receiver)?;
        receiver.finish()
    }

    fn run_giving(&self, gives: Gives, statement: &Statement, receiver: &mut Receiver<'_>) -> Result<()> {
        let parts = statement.parts.as_ref().map_or(&[][..], |parts| parts);
        let plan = plan_cache::plan(&partition_plan::text_giving(gives, &statement.sql, parts), &statement.params)?;
        // SAFETY: the plan is alive, and was prepared for as many parameters of these types: its text is the key it is
        // kept under. The parameters are in the connection's memory context, and the receiver outlives the statement.
        // The caller has opened the partitions, and their locks stay.
        unsafe {
            let params = parameter_list(&statement.params);
            partition_plan::run(&plan, params, parts, gives, receiver.as_ptr())
        }
    }
}

/// Parameters in the form of the executor.
///
/// # Safety
/// Call it inside an SPI connection, whose memory context holds the list.
unsafe fn parameter_list(params: &[Param]) -> pg_sys::ParamListInfo {
    // SAFETY: makeParamList gives room for as many parameters as it is asked for.
    unsafe {
        let list = pg_sys::makeParamList(params.len() as i32);
        let places = (*list).params.as_mut_ptr();
        for (index, param) in params.iter().enumerate() {
            let datum = param.datum();
            places.add(index).write(pg_sys::ParamExternData {
                value: datum.unwrap_or(pg_sys::Datum::from(0usize)),
                isnull: datum.is_none(),
                pflags: pg_sys::PARAM_FLAG_CONST as u16,
                ptype: param.type_oid(),
            });
        }
        list
    }
}

/// Runs statements that write.
pub struct Writer<'conn> {
    connection: PhantomData<&'conn ()>,
}

/// Opens a connection for writing.
pub fn write<T>(work: impl FnOnce(&mut Writer<'_>) -> Result<T>) -> Result<T> {
    memory_reserve::keep()?;
    Spi::connect(|_| work(&mut Writer { connection: PhantomData }))
}

impl Writer<'_> {
    /// Runs a statement that will be run again in this session: its plan is kept.
    pub fn execute(&mut self, statement: &Statement) -> Result<u64> {
        self.returning(statement, |_| Ok(()))
    }

    /// The first row that a statement returns, if there is one.
    pub fn first<T>(&mut self, statement: &Statement, mut take: impl FnMut(Row<'_>) -> Result<T>) -> Result<Option<T>> {
        let mut first = None;
        self.returning(statement, |row| {
            if first.is_none() {
                first = Some(take(row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// The row of a statement that always returns one.
    pub fn only<T>(&mut self, statement: &Statement, take: impl FnMut(Row<'_>) -> Result<T>) -> Result<T> {
        self.first(statement, take)?.ok_or_else(no_row)
    }

    /// Runs a statement as [`Writer::execute`] does, calling `each` with every row it returns; gives the number of rows
    /// processed.
    pub fn returning(&mut self, statement: &Statement, mut each: impl FnMut(Row<'_>) -> Result<()>) -> Result<u64> {
        let batch = match &statement.parts {
            // A caller that knows the partitions has opened them, and their locks stay.
            Some(parts) => partition_plan::planned(&statement.sql, &statement.params, parts, |plan| {
                execute(plan, &statement.params, false)
            })?,
            None => execute(&*plan_cache::plan(&statement.sql, &statement.params)?, &statement.params, false)?,
        };
        // SAFETY: a plain global of the backend, set by the statement that just ran.
        let processed = unsafe { pg_sys::SPI_processed };
        batch.each(&mut each)?;
        batch.free();
        Ok(processed)
    }

    /// Runs definitions (CREATE, DROP, COMMENT): they take no parameters and keep no plan.
    pub fn define(&mut self, sql: &str) -> Result<()> {
        let text = c_text(sql)?;
        // SAFETY: the text lives through the call.
        let code = settings::with_standard_literals(|| unsafe { pg_sys::SPI_execute(text.as_ptr(), false, 0) });
        if code < 0 { Err(status(code)) } else { Ok(()) }
    }
}

fn execute<'a>(plan: &KeptPlan, params: &[Param], read_only: bool) -> Result<Batch<'a>> {
    let mut arguments = Arguments::new(params);
    // SAFETY: the plan is alive, and was prepared for as many parameters of these types: its text
    // is the key it is kept under. The rows stay in SPI_tuptable until the connection ends.
    settings::with_values_as_everywhere(|| unsafe {
        let code = pg_sys::SPI_execute_plan(
            plan.as_ptr(),
            arguments.values.as_mut_ptr(),
            arguments.nulls.as_ptr(),
            read_only,
            0,
        );
        if code < 0 { Err(status(code)) } else { Ok(Batch::of_last_statement()) }
    })
}

/// An SPI status that no input can cause.
fn status(code: i32) -> Error {
    Error::new(ErrorKind::Internal, format!("memory_search could not run a statement: SPI status {code}"))
}

/// The error if a statement that always returns a row returned none.
fn no_row() -> Error {
    Error::new(ErrorKind::Internal, "a statement that always returns a row returned none")
}
