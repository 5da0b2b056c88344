//! Histories of changes with a crash at any commit, compared with the naive tree.

use super::generated::{Oracle, Random, empty_index, records};
use super::{Key, Root, Tree, Walk, check};
use crate::fault::Outcome;
use crate::memory_pages::MemoryPages;

/// A change of a tree.
enum Operation {
    Insert(Key, Vec<u8>),
    Replace(Key, Vec<u8>),
    /// Makes the record longer by a byte, if it is there.
    Grow(Key),
    Remove(Vec<Key>),
    /// Removes every third record of a few leaves, from a key on.
    Thin(Key),
}

impl Operation {
    fn any(random: &mut Random, rows: u64) -> Operation {
        match random.below(100) {
            0..60 => Operation::Insert(random.key(rows), random.record()),
            60..75 => Operation::Replace(random.key(rows), random.record()),
            75..85 => Operation::Grow(random.key(rows)),
            85..95 => {
                let mut keys: Vec<_> = (0..random.below(60)).map(|_| random.key(rows)).collect();
                keys.sort_unstable();
                Operation::Remove(keys)
            }
            _ => Operation::Thin(random.key(rows)),
        }
    }

    /// Does it, and says what must hold afterwards.
    fn run(&self, tree: &Tree<'_, MemoryPages>, oracle: &mut Oracle) -> Outcome<()> {
        match self {
            Operation::Insert(key, record) => {
                let is_new = !oracle.contains_key(key);
                assert_eq!(tree.insert(key, record)?, is_new);
                oracle.entry(*key).or_insert_with(|| record.clone());
            }
            Operation::Replace(key, record) => {
                let is_there = oracle.contains_key(key);
                assert_eq!(tree.replace(key, record)?, is_there);
                oracle.entry(*key).and_modify(|old| old.clone_from(record));
            }
            Operation::Grow(key) => {
                let old = oracle.get(key).cloned();
                tree.update(key, |found| {
                    assert_eq!(found, old.as_deref());
                    Ok(grown(found))
                })?;
                oracle.entry(*key).and_modify(|old| *old = grown(Some(old)).unwrap_or_else(|| old.clone()));
            }
            Operation::Remove(keys) => {
                let there = oracle.len();
                let removed = tree.remove(keys)?;
                keys.iter().for_each(|key| drop(oracle.remove(key)));
                assert_eq!(removed, there - oracle.len());
            }
            Operation::Thin(from) => {
                let (mut leaves, mut gone) = (0, Vec::new());
                tree.change_leaves(from, |leaf, slots| {
                    slots.extend((leaf.first()..leaf.count()).step_by(3));
                    slots.iter().for_each(|&slot| gone.push(leaf.key(slot).unwrap()));
                    leaves += 1;
                    Ok(if leaves == 4 { Walk::Stop } else { Walk::Go })
                })?;
                gone.iter().for_each(|key| assert!(oracle.remove(key).is_some() && key >= from));
            }
        }
        Ok(())
    }

    /// Whether a tree after a crash may hold this record of a key, or none.
    fn may_leave(&self, key: &Key, before: Option<&Vec<u8>>, found: Option<&Vec<u8>>) -> bool {
        before == found
            || match self {
                Operation::Insert(changed, record) => changed == key && before.is_none() && found == Some(record),
                Operation::Replace(changed, record) => changed == key && before.is_some() && found == Some(record),
                Operation::Grow(changed) => changed == key && before.and_then(|old| grown(Some(old))).as_ref() == found,
                Operation::Remove(keys) => keys.contains(key) && found.is_none(),
                Operation::Thin(from) => key >= from && found.is_none(),
            }
    }
}

fn grown(record: Option<&[u8]>) -> Option<Vec<u8>> {
    let record = record.filter(|record| record.len() < super::MAX_RECORD)?;
    Some([record, b"+"].concat())
}

/// Runs a history; one in `crashes` operations crashes at one of its first commits. Returns the greatest number of
/// missing downlinks.
fn run_history(seed: u64, operations: u64, rows: u64, crashes: u64) -> u64 {
    let (mut random, pages, mut oracle) = (Random(seed), empty_index(), Oracle::new());
    let mut roots = vec![Root { block: 1, level: 0 }];
    let (mut met, mut missing) = (0, 0);
    for step in 0..operations {
        let operation = Operation::any(&mut random, rows);
        // Sessions may have read the metapage at any earlier time.
        let tree = Tree::at(&pages, roots[random.below(roots.len() as u64) as usize]);
        if random.below(crashes) == 0 {
            pages.crash_after(random.below(4));
        }
        let before = oracle.clone_if(crashes);
        let done = operation.run(&tree, &mut oracle);
        assert_eq!(done.is_err(), pages.has_crashed(), "{done:?}");
        pages.restart();
        if done.is_err() {
            met += 1;
            let tree = Tree::open(&pages).unwrap();
            missing = missing.max(check(&pages).unwrap().missing_downlinks);
            let found: Oracle = records(&tree, &Key::MIN).into_iter().collect();
            for key in before.keys().chain(found.keys()) {
                let (before, found) = (before.get(key), found.get(key));
                assert!(operation.may_leave(key, before, found), "seed {seed}, step {step}, {key:?}");
            }
            oracle = found;
        }
        if !roots.contains(&tree.root()) {
            roots.push(tree.root());
        }
        if step % 3_000 == 0 || step + 1 == operations {
            let (statistics, tree) = (check(&pages).unwrap(), Tree::open(&pages).unwrap());
            assert_eq!(statistics.records, oracle.len() as u64, "seed {seed}, step {step}");
            assert!(records(&tree, &Key::MIN).iter().map(|(key, record)| (key, record)).eq(oracle.iter()));
            let from = random.key(rows);
            let rest = records(&tree, &from);
            assert!(rest.iter().map(|(key, record)| (key, record)).eq(oracle.range(from..)));
        }
        let key = random.key(rows);
        let found = tree.get(&key, |record| Ok(record.to_vec())).unwrap();
        assert_eq!(found.as_ref(), oracle.get(&key), "seed {seed}, step {step}, {key:?}");
    }
    assert_eq!(met > 0, crashes < operations);
    missing
}

trait CloneIf {
    /// A copy to compare with after a crash. Without crashes it would only take time.
    fn clone_if(&self, crashes: u64) -> Oracle;
}

impl CloneIf for Oracle {
    fn clone_if(&self, crashes: u64) -> Oracle {
        if crashes == u64::MAX { Oracle::new() } else { self.clone() }
    }
}

#[test]
fn a_long_history_leaves_the_records_of_the_naive_tree() {
    for (seed, rows) in [(1, 300), (2, 3_000), (3, 60_000)] {
        run_history(seed, 100_000, rows, u64::MAX);
    }
}

#[test]
fn a_crash_at_any_commit_leaves_a_sound_tree_with_whole_records() {
    let missing: u64 = (0..60).map(|seed| run_history(1_000 + seed, 1_500, 200 + 20 * seed, 12)).max().unwrap();
    assert!(missing > 0, "no crash came between a split and its downlink");
}

/// Crashes each insert at each of its commits, so that most splits stay unfinished, until the tree has three levels.
#[test]
fn splits_that_crash_again_and_again_keep_every_record() {
    let (mut random, pages, mut oracle) = (Random(5), empty_index(), Oracle::new());
    let mut unfinished = 0;
    for step in 0..6_000 {
        let key = random.key(10_000);
        let record = vec![step as u8; 1_200];
        let is_new = !oracle.contains_key(&key);
        let tree = Tree::open(&pages).unwrap();
        pages.crash_after(1);
        if tree.insert(&key, &record).is_err() {
            unfinished += 1;
            pages.restart();
        }
        if is_new && tree.get(&key, |found| Ok(found == record)).unwrap() == Some(true) {
            oracle.insert(key, record);
        }
    }
    pages.restart();
    let statistics = check(&pages).unwrap();
    assert!(unfinished > 500 && statistics.levels.len() >= 3 && statistics.missing_downlinks > 0);
    assert!(statistics.records > 4_000);
    let tree = Tree::open(&pages).unwrap();
    assert!(records(&tree, &Key::MIN).into_iter().eq(oracle.clone()));
    // Later writers complete the splits that the crash left.
    for key in oracle.keys() {
        tree.update::<&[u8]>(key, |_| Ok(None)).unwrap();
    }
    assert_eq!(check(&pages).unwrap().missing_downlinks, 0);
}
