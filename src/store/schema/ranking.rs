//! The scoring of a store's searches: the option `ranking` of its memory index. It is part of the schema, so a dump has
//! it, every session hears of a change, and no search reads a row for it.

use std::rc::Rc;

use memory_search_core::learn::{LEAST_QUESTIONS, Learned, Verdict};
use memory_search_core::request::names::StoreName;
use memory_search_core::request::store_ranking::StoreRanking;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::open_relation;
use crate::pg::param::Param;
use crate::pg::spi::{self, Reader, Statement};
use crate::store::definition::{self, MemoryIndex, Store};

/// The store to learn for.
///
/// # Errors
///
/// As [`index_to_change`], if the call is to apply its result.
pub fn store_to_learn(name: &StoreName, apply: bool) -> Result<Rc<Store>> {
    spi::read(|reader| {
        let store = definition::store(reader, name)?;
        if apply {
            index_to_change(reader, &store)?;
        }
        Ok(store)
    })
}

/// Makes learned weights the scoring of a store, beside what its option has now.
///
/// # Errors
///
/// Nothing was learned, or the option is another one by now (55000).
pub fn apply(name: &StoreName, store: &Store, learned: &Learned) -> Result<()> {
    let (why, hint) = match learned.verdict {
        Verdict::Learned => return replace(name, store, &learned.ranking(present(store)).to_string(), learned),
        Verdict::TooFewQuestions => (
            format!("{} different questions can be used, and it needs {LEAST_QUESTIONS}", learned.different),
            "A judgement can be used if the search finds an entry that helped, and questions of the same words or with \
             the same helpful entry count once. Without apply, the call reports figures.",
        ),
        Verdict::NoGain => {
            let (gain, (least, most)) = (learned.gain, learned.interval);
            (
                format!("the gain is not certain ({gain:.3}, 95 % interval {least:.3} to {most:.3})"),
                "Give more judgements, or keep the scoring as it is.",
            )
        }
    };
    Err(Error::new(ErrorKind::WrongState, format!("memory_learn applied nothing: {why}")).hint(hint))
}

/// The report of what was learned for a store, as JSON.
pub fn report(store: &Store, learned: &Learned, is_applied: bool) -> String {
    learned.json(present(store), is_applied).to_string()
}

/// The option's present text.
fn present(store: &Store) -> Option<&str> {
    store.memory_index.as_ref().and_then(|index| index.ranking.as_deref())
}

/// Gives a store's searches this scoring, as the owner of its table, if nobody else has given it another one since
/// `store` was read.
///
/// # Errors
///
/// As [`index_to_change`]; the option is another one by now (55000).
fn replace(name: &StoreName, store: &Store, ranking: &str, learned: &Learned) -> Result<()> {
    if !learned.is_said_by(&StoreRanking::parse(ranking)?.scoring) {
        return Err(Error::new(ErrorKind::Internal, format!("{ranking} does not say what was learned")));
    }
    let before = store.memory_index.as_ref().map(|index| index.oid);
    before.into_iter().for_each(open_relation::lock_definition);
    let index = spi::read(|reader| {
        let now = definition::store(reader, name)?;
        let index = index_to_change(reader, &now)?;
        if Some(index.oid) != before || present(&now) != present(store) {
            let message = format!("the scoring of store {} was changed while memory_learn ran", store.schema);
            return Err(Error::new(ErrorKind::WrongState, message).hint("Call it again: it learns beside the new one."));
        }
        Ok(index.clone())
    })?;
    spi::write(|writer| writer.define(&set(&index.name, ranking)))
}

/// The memory index of a store, if the caller can give it a scoring.
///
/// # Errors
///
/// The store has none (55000), it is an index of partitions, whose options the server does not change (0A000), or it
/// belongs to a role that the caller is no member of (42501).
fn index_to_change<'a>(reader: &Reader<'_>, store: &'a Store) -> Result<&'a MemoryIndex> {
    let by_hand = "Give the values in the options of each search";
    let Some(index) = &store.memory_index else {
        let message = format!("store {} has no memory index that could keep a scoring", store.schema);
        return Err(Error::new(ErrorKind::WrongState, message)
            .hint(format!("{by_hand}, or make the index that memory_doctor proposes.")));
    };
    let mut statement = Statement::default();
    let oid = statement.bind(Param::Integer(Some(i64::from(index.oid))));
    let statement = statement.with(format!(
        "SELECT c.relkind OPERATOR(pg_catalog.=) 'I', pg_catalog.pg_has_role(c.relowner, 'USAGE'), \
           pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid"
    ));
    let (is_of_partitions, is_owner, owner) = spi::with_catalogs_as_they_stand(|| {
        reader.only(&statement, |row| {
            Ok((row.boolean(1) == Some(true), row.boolean(2) == Some(true), row.required_text(3)?))
        })
    })?;
    if is_of_partitions {
        let message = format!("PostgreSQL changes no options of {}, an index of partitions", index.name);
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint(format!("{by_hand}, or make the index anew, WITH (ranking = '...').")));
    }
    if !is_owner {
        let message = format!("memory_learn cannot apply its result: {} belongs to \"{owner}\"", index.name);
        return Err(Error::new(ErrorKind::InsufficientPrivilege, message)
            .hint(format!("{by_hand}, or let the owner call memory_learn with apply => true.")));
    }
    Ok(index)
}

/// The statement that sets it; `index` is a name as SQL.
fn set(index: &str, ranking: &str) -> String {
    format!("ALTER INDEX {index} SET (ranking = '{}')", ranking.replace('\'', "''"))
}
