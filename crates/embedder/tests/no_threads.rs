//! Alone in its file, so that no other test's thread comes or goes meanwhile.
#![cfg(target_os = "linux")]

mod tiny_models;

use tiny_models::*;

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn neither_loading_nor_embedding_starts_a_thread() {
    let before = threads();
    let models = [wordllama(), model2vec()];
    for model in &models {
        for text in ["ab a red", &"ab a red ".repeat(5000), &"a".repeat(40_000)] {
            model.embed(text).unwrap();
        }
    }
    assert_eq!(threads(), before);
}
