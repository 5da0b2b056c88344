//! Histories with readers and writers between any two steps, and crashes at any step.

use super::passages::compare_nearest;
use super::world::{Others, Share, Shared, World, bulk_delete, clean_up, insert, let_act, load, seal};
use super::world::{compare, compare_at_the_end, compare_estimates};
use crate::fault::Outcome;
use crate::memory::check;
use crate::memory_pages::MemoryPages;

fn step(pages: &MemoryPages, world: &Shared, crashes: bool) -> Outcome<()> {
    let (choice, memory, one_in, crash) = {
        let mut world = world.borrow_mut();
        let one_in = if world.random.below(4) == 0 { 6 } else { 60 };
        (world.random.below(100), world.any_memory(), one_in, crashes && world.random.below(6) == 0)
    };
    let others = match choice {
        _ if crash => Others::Readers,
        0..50 => Others::All,
        50..70 => Others::Sealers(Some(memory)),
        _ => Others::Sealers(None),
    };
    let_act(pages, world, others, one_in);
    if crash {
        let commits = world.borrow_mut().random.below(12);
        pages.crash_after(commits);
    }
    let done = match choice {
        0..50 => {
            let rows = 1 + world.borrow_mut().random.below(8);
            (0..rows).try_for_each(|_| insert(pages, world, memory))
        }
        50..70 => seal(pages, world, memory),
        70..90 => {
            world.borrow_mut().delete();
            bulk_delete(pages, world)
        }
        _ => clean_up(pages, world),
    };
    pages.alone();
    done
}

fn run(seed: u64, steps: u64, loaded: u64, crashes: bool) -> u64 {
    let (pages, world) = World::new(seed);
    if loaded > 0 {
        load(&pages, &world, loaded).unwrap();
        check(&pages).unwrap();
    }
    let mut met = 0;
    for number in 0..steps {
        let done = step(&pages, &world, crashes);
        assert_eq!(done.is_err(), pages.has_crashed(), "{done:?}");
        world.borrow_mut().restart(&pages);
        met += u64::from(done.is_err());
        let memory = world.borrow_mut().any_memory();
        compare(&pages, &world.borrow(), memory);
        if done.is_err() || number % 32 == 0 {
            check(&pages).unwrap();
            compare_estimates(&pages, &mut world.borrow_mut(), memory);
            compare_nearest(&pages, &mut world.borrow_mut(), memory);
        }
    }
    assert_eq!(met > 0, crashes);
    let Share { found, wanted } = world.borrow().by_signs;
    assert!(found * 100 >= wanted * 98, "{found} of {wanted}");
    compare_at_the_end(&pages, &world);
    world.borrow().operations
}

#[test]
fn a_history_leaves_the_rows_of_the_table() {
    let operations: u64 = (0..40).map(|seed| run(seed, 500, 0, false)).sum();
    assert!(operations > 100_000, "a short history: {operations}");
}

#[test]
fn a_history_with_crashes_at_any_commit_leaves_the_rows_of_the_table() {
    let operations: u64 = (100..140).map(|seed| run(seed, 500, 0, true)).sum();
    assert!(operations > 100_000, "a short history: {operations}");
}

#[test]
fn a_history_of_a_built_index_leaves_the_rows_of_the_table() {
    for seed in 200..230 {
        run(seed, 200, 10 + seed % 7 * 30, seed % 2 == 0);
    }
}
