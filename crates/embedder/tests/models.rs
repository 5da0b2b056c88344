//! The tests of models in one program: with several programs the compiler would compile the tokenizer's generic code
//! again for each, which takes longer than any of these tests runs. A test that must be alone in its process has a file
//! of its own.

mod any_text;
mod cross_encoder;
mod damaged_encoders;
mod damaged_files;
mod encoder;
mod model2vec;
mod reference_vectors;
mod tiny_encoder;
mod tiny_models;
mod wordllama;
mod xlm_roberta;

/// Targets of Cargo.toml, each a program.
const PROGRAMS: [&str; 2] = ["models", "no_threads"];

#[test]
fn each_file_of_tests_is_a_part_of_a_program() {
    let own = include_str!("models.rs");
    let mut files = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        files += 1;
        let name = path.file_stem().unwrap().to_str().unwrap();
        let named = PROGRAMS.contains(&name) || own.lines().any(|line| line == format!("mod {name};"));
        assert!(named, "tests/{name}.rs is compiled into no program: write `mod {name};` into tests/models.rs");
    }
    assert!(files > PROGRAMS.len(), "{files} files");
}
