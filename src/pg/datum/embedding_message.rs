//! The binary form in which drivers send a `memory_embedding`: a `real[]`. Drivers that ask the server for an
//! argument's type (asyncpg, tokio-postgres) treat a type with elements as an array, and send their lists in this form
//! ([ADR 0030](../../../adr/0030-arguments-that-every-driver-sends.md)).

use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind};
use memory_search_pgformat::array_message::{self, Refusal};
use pgrx::{Internal, PgLogLevel, pg_extern, pg_guard, pg_sys};

use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::error::{SqlResult, report};

/// Receive function of `memory_embedding`: the message of a `real[]` or a `double precision[]`.
#[pg_extern(sql = false)]
fn memory_embedding_recv(message: Internal) -> SqlResult<MemoryEmbedding> {
    // SAFETY: the server passes a StringInfo, the message from its cursor on, and expects that all of it is read.
    let bytes = unsafe {
        let message =
            message.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr::<pg_sys::StringInfoData>());
        let Some(message) = message.as_mut() else {
            return Err(report(Error::null("the message")));
        };
        let (start, end) = (message.cursor.max(0), message.len.max(message.cursor).max(0));
        message.cursor = end;
        std::slice::from_raw_parts(message.data.add(start as usize).cast::<u8>(), (end - start) as usize)
    };
    let elements = array_message::reals(bytes).map_err(|refusal| report(refused(refusal)))?;
    embedding::check(&elements).map_err(report)?;
    Ok(MemoryEmbedding(elements))
}

fn refused(refusal: Refusal) -> Error {
    let what = match refusal {
        Refusal::Malformed => "the binary form of an embedding is not that of a real[]".to_owned(),
        Refusal::ElementType(oid) => {
            format!("the elements of an embedding in binary are real or double precision, not of the type {oid}")
        }
        Refusal::Dimensions(dimensions) => {
            format!("an embedding is a list of numbers, not an array of {dimensions} dimensions")
        }
        Refusal::Null => "an embedding holds no nulls".to_owned(),
    };
    Error::new(ErrorKind::InvalidBinary, what).hint("Send a real[], or a list as text: [0.1,0.2,0.3].")
}

/// Send function of `memory_embedding`.
#[pg_extern(sql = false)]
fn memory_embedding_send(embedding: MemoryEmbedding) -> Vec<u8> {
    array_message::of_reals(&embedding.0)
}

/// Subscripting function of `memory_embedding`: a type with elements must have one, but this type has no element that
/// SQL can read.
#[pg_extern(sql = false)]
fn memory_embedding_subscript(_call: pg_sys::FunctionCallInfo) -> Internal {
    static REFUSED: pg_sys::SubscriptRoutines = pg_sys::SubscriptRoutines {
        transform: Some(refuse_subscript),
        exec_setup: None,
        fetch_strict: true,
        fetch_leakproof: true,
        store_leakproof: true,
    };
    Internal::from(Some(pg_sys::Datum::from(&raw const REFUSED)))
}

#[pg_guard]
unsafe extern "C-unwind" fn refuse_subscript(
    _sbsref: *mut pg_sys::SubscriptingRef,
    _indirection: *mut pg_sys::List,
    _pstate: *mut pg_sys::ParseState,
    _is_slice: bool,
    _is_assignment: bool,
) {
    let refusal = Error::new(ErrorKind::WrongType, "a memory_embedding has no subscripts");
    report(refusal.hint("Cast it first: (embedding::vector::real[])[1].")).report(PgLogLevel::ERROR);
}
