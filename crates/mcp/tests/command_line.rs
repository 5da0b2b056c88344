//! The program as a shell starts it: its output, and its exit codes for scripts.

use std::process::{Command, Output};

fn memory_search(arguments: &[&str]) -> Output {
    // Without the environment, which may name a database.
    Command::new(env!("CARGO_BIN_EXE_memory-search")).args(arguments).env_clear().output().expect("it starts")
}

#[test]
fn help_names_each_command() {
    let output = memory_search(&["--help"]);
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success());
    for command in ["mcp", "explore", "watch", "search", "follow", "unfollow", "up", "down", "backup"] {
        assert!(said.lines().any(|line| line.trim_start().starts_with(command)), "{command} is missing in: {said}");
    }
}

#[test]
fn a_misspelt_command_is_refused_with_the_nearest_one() {
    let output = memory_search(&["exlpore"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("explore"), "{said}");
}

#[test]
fn a_missing_database_is_reported_before_anything_is_tried() {
    let output = memory_search(&["search", "m", "tea"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success());
    assert!(said.contains("--database"), "{said}");
}
