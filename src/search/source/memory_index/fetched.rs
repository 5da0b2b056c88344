//! What a search asks the table of the rows that may win: their ids, how near they are exactly, and whether the filters
//! let them be found where the index does not say.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::ids::RowId;
use memory_search_core::timestamp::Micros;
use memory_search_index::place::Place;

use crate::pg::param::Param;
use crate::pg::seen_rows::SeenRows;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::Scope;
use crate::search::searched::Searched;
use crate::search::source::distance;

/// What the table says of a row.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub id: RowId,
    /// Where the version lies that the snapshot sees.
    pub at: Place,
    /// Its creation time; the least there is where an adopted table does not say.
    pub created: Micros,
    /// 0..100.
    pub importance: f64,
    /// The cosine distance; `None` where it cannot be compared.
    pub distance: Option<f64>,
    /// Whether the filters let it be found.
    pub passes: bool,
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The query's vector.
    pub vector: Option<&'a [f32]>,
    /// Whether the filters are to be looked at.
    pub with_filters: bool,
}

/// Asks about the rows at these places. A row that the caller does not see has no answer.
pub fn ask(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    question: Question<'_>,
    rows: &mut SeenRows<'_>,
    places: &[Place],
) -> Result<HashMap<Place, Fetched>> {
    let mut found = HashMap::new();
    ask_of(reader, scope, question, places, &mut found)?;
    // The others may have moved within their block, where a place leads to the version that is seen.
    let mut moved: HashMap<Place, Place> = HashMap::new();
    for &place in places.iter().filter(|place| !found.contains_key(place)) {
        if let Some(version) = rows.version(place).filter(|version| *version != place) {
            moved.insert(version, place);
        }
    }
    if !moved.is_empty() {
        let versions: Vec<Place> = moved.keys().copied().collect();
        let mut there = HashMap::new();
        ask_of(reader, scope, question, &versions, &mut there)?;
        for (version, fetched) in there {
            if let Some(&place) = moved.get(&version) {
                found.insert(place, fetched);
            }
        }
    }
    Ok(found)
}

fn ask_of(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    question: Question<'_>,
    places: &[Place],
    found: &mut HashMap<Place, Fetched>,
) -> Result<()> {
    if places.is_empty() {
        return Ok(());
    }
    let mut statement = Statement::default();
    let distance = match question.vector {
        Some(vector) => distance::columns(scope, Searched::Entries, vector, &mut statement).sql,
        None => "NULL::pg_catalog.float8".to_owned(),
    };
    let passes = match question.with_filters {
        true => scope.filters(&mut statement),
        false => "true".to_owned(),
    };
    let id_type = Searched::Entries.id_type(scope);
    let places = statement.bind(Param::Places(places.to_vec()));
    // No condition on the memory, whose rows they are: it would make other plans possible.
    let statement = statement.with(format!(
        "SELECT e.ctid, e.entry_id::pg_catalog.{id_type}, e.creation_time::pg_catalog.timestamptz, \
           {importance}, {distance}, {passes} \
         FROM {} e WHERE e.ctid OPERATOR(pg_catalog.=) ANY ({places})",
        scope.store.relation("entries"),
        importance = Searched::Entries.importance()
    ));
    settings::with_tids_only(|| {
        reader.scan(&statement, |row| {
            if let (Some(place), Some(id)) = (row.place(1), row.id(2, id_type)?) {
                found.insert(
                    place,
                    Fetched {
                        id,
                        at: place,
                        created: row.timestamp(3).unwrap_or(i64::MIN),
                        importance: row.number(4).unwrap_or(0.0),
                        distance: row.number(5).filter(|distance| !distance.is_nan()),
                        passes: row.boolean(6) == Some(true),
                    },
                );
            }
            Ok(())
        })
    })
}

/// The places of those corrected rows whose corrections are all gone.
pub fn that_stand_again(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    rows: &mut SeenRows<'_>,
    places: &[Place],
) -> Result<HashSet<Place>> {
    let versions: HashMap<Place, Place> =
        places.iter().filter_map(|&place| Some((rows.version(place)?, place))).collect();
    let mut statement = Statement::default();
    let stands_again = scope.stands_again(&mut statement, "e");
    let asked = statement.bind(Param::Places(versions.keys().copied().collect()));
    let statement = statement.with(format!(
        "SELECT e.ctid FROM {} e WHERE e.ctid OPERATOR(pg_catalog.=) ANY ({asked}) AND {stands_again}",
        scope.store.relation("entries")
    ));
    let mut standing = HashSet::new();
    settings::with_tids_first(|| {
        reader.scan(&statement, |row| {
            standing.extend(row.place(1).and_then(|version| versions.get(&version)));
            Ok(())
        })
    })?;
    Ok(standing)
}
