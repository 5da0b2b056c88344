//! Precision and recall of the names that are found in 300 sentences of public conversations.
//!
//!     cargo test -p memory-search-core --test names_in_text -- --include-ignored --nocapture
//!
//! The sentences were labelled by hand; `data/names_in_text.tsv` has their ids and the places of their names. Their
//! texts, whose licences forbid a copy, are read from the evaluation data: `MEMORY_SEARCH_EVAL_DIR`, else `shared/eval`
//! beside the repository. A word is looked up in the conversation that its sentence is from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memory_search_core::text::names_in_text::{CaseCounts, NameKind, names_in};
use serde_json::Value;

const LEAST_PRECISION: f64 = 0.9;
const LEAST_RECALL: f64 = 0.7;

#[test]
#[ignore = "needs MEMORY_SEARCH_EVAL_DIR"]
fn names_in_sentences_that_were_put_aside_are_found() {
    let folder = evaluation_data();
    let sentences = sentences();
    assert_eq!(sentences.len(), 300);
    let sets = sentences.iter().map(|sentence| &*sentence.set).collect::<BTreeSet<_>>();
    let conversations: Conversations = sets.into_iter().flat_map(|set| conversations(&folder, set)).collect();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for sentence in &sentences {
        let of_half = counts.entry(&sentence.half).or_default();
        of_half.add(sentence, &conversations[&(sentence.set.clone(), sentence.memory.clone())]);
    }
    for (half, counts) in &counts {
        println!("{half}: precision {:.3}, recall {:.3}, {counts:?}", counts.precision(), counts.recall());
    }
    let aside = &counts["aside"];
    assert!(aside.named > 50, "{aside:?}");
    assert!(aside.precision() >= LEAST_PRECISION, "precision {}", aside.precision());
    assert!(aside.recall() >= LEAST_RECALL, "recall {}", aside.recall());
}

/// By set and memory: the entries, and how words are written in them.
type Conversations = HashMap<(String, String), (HashMap<String, String>, CaseCounts)>;

/// A name's place and kind; `speaker` in front of a text.
type Label = (Range<usize>, String);

struct Sentence {
    half: String,
    set: String,
    memory: String,
    entry: String,
    place: Range<usize>,
    names: Vec<Label>,
}

/// Names except speakers in front of a text, which are found easily.
#[derive(Debug, Default)]
struct Counts {
    named: usize,
    found: usize,
    found_rightly: usize,
    speakers: usize,
    speakers_found: usize,
}

impl Counts {
    fn precision(&self) -> f64 {
        self.found_rightly as f64 / self.found as f64
    }

    fn recall(&self) -> f64 {
        self.found_rightly as f64 / self.named as f64
    }

    /// A name counts as found if its place is right, to the byte, and its kind.
    fn add(&mut self, sentence: &Sentence, (entries, elsewhere): &(HashMap<String, String>, CaseCounts)) {
        let text = &entries[&sentence.entry];
        let is_inside = |place: &Range<usize>| sentence.place.start <= place.start && place.end <= sentence.place.end;
        let mut found: Vec<Label> = names_in(text, elsewhere)
            .into_iter()
            .filter(|name| is_inside(&name.place))
            .map(|name| (name.place, kind(name.kind).to_owned()))
            .collect();
        for (place, _) in sentence.names.iter().filter(|(_, kind)| kind == "speaker") {
            self.speakers += 1;
            let speaker = found.iter().position(|(found, kind)| found == place && kind == "name");
            self.speakers_found += usize::from(speaker.map(|at| found.remove(at)).is_some());
        }
        let named: Vec<&Label> = sentence.names.iter().filter(|(_, kind)| kind != "speaker").collect();
        let right = |label: &&Label| named.contains(label);
        self.named += named.len();
        self.found += found.len();
        self.found_rightly += found.iter().filter(right).count();
        // NAMES_SHOWN=dev prints what differs.
        if std::env::var("NAMES_SHOWN").is_ok_and(|half| half == sentence.half) {
            let wrong =
                found.iter().filter(|label| !named.contains(label)).map(|(place, kind)| (&text[place.clone()], kind));
            let missed =
                named.iter().filter(|label| !found.contains(label)).map(|(place, kind)| (&text[place.clone()], kind));
            let (wrong, missed): (Vec<_>, Vec<_>) = (wrong.collect(), missed.collect());
            if !wrong.is_empty() || !missed.is_empty() {
                println!("{}\n    wrong {wrong:?}, missed {missed:?}", &text[sentence.place.clone()]);
            }
        }
    }
}

fn kind(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Name => "name",
        NameKind::Handle => "handle",
        NameKind::Mail => "mail",
        NameKind::Host => "host",
        NameKind::Path => "path",
        NameKind::Identifier => "identifier",
        NameKind::Ticket => "ticket",
    }
}

fn evaluation_data() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/eval");
    let folder = std::env::var_os("MEMORY_SEARCH_EVAL_DIR").map_or_else(beside, PathBuf::from);
    assert!(folder.join("score.py").exists(), "no evaluation data in {}: set MEMORY_SEARCH_EVAL_DIR", folder.display());
    folder
}

fn sentences() -> Vec<Sentence> {
    let labels =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/names_in_text.tsv")).unwrap();
    labels.lines().filter(|line| !line.starts_with('#')).map(sentence).collect()
}

fn sentence(line: &str) -> Sentence {
    let columns: Vec<&str> = line.split('\t').collect();
    let [half, set, memory, entry, start, end, names] = columns[..] else { panic!("{line}") };
    let names = if names == "-" { Vec::new() } else { names.split(' ').map(label).collect() };
    let place = start.parse().unwrap()..end.parse().unwrap();
    Sentence { half: half.into(), set: set.into(), memory: memory.into(), entry: entry.into(), place, names }
}

fn label(label: &str) -> Label {
    let (place, kind) = label.split_once(':').unwrap();
    let (start, end) = place.split_once('-').unwrap();
    (start.parse().unwrap()..end.parse().unwrap(), kind.to_owned())
}

fn conversations(folder: &Path, set: &str) -> Conversations {
    let mut found = Conversations::new();
    for line in fs::read_to_string(folder.join(set).join("entries.jsonl")).unwrap().lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| entry[name].as_str().unwrap().to_owned();
        let (entries, counts) = found.entry((set.to_owned(), field("memory_id"))).or_default();
        counts.add(&field("content"));
        entries.insert(field("entry_id"), field("content"));
    }
    found
}
