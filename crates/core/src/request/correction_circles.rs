//! Corrections of imported entries in a circle.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result, out_of_memory};

/// The correction of an entry.
#[derive(Debug, Clone, Copy)]
pub struct Correction<'a> {
    /// The line that has it, for errors: `lines[7]`.
    pub line: &'a str,
    /// The id of the entry.
    pub corrected: &'a str,
    /// The id of the entry that corrects it.
    pub by: &'a str,
}

/// Refuses entries that correct each other in a circle, or themselves: no search would find any of them.
pub fn refuse(corrections: &[Correction<'_>]) -> Result<()> {
    let mut by_id: HashMap<Cow<str>, (Cow<str>, &str)> = HashMap::new();
    let mut followed: HashSet<&str> = HashSet::new();
    by_id.try_reserve(corrections.len()).map_err(|_| out_of_memory())?;
    by_id.extend(corrections.iter().map(|given| (lowered(given.corrected), (lowered(given.by), given.line))));
    followed.try_reserve(corrections.len()).map_err(|_| out_of_memory())?;
    for first in corrections {
        let (mut passed, mut at) = (HashSet::new(), by_id.get_key_value(&lowered(first.corrected)));
        while let Some((id, (by, line))) = at
            && !followed.contains(&**id)
        {
            passed.try_reserve(1).map_err(|_| out_of_memory())?;
            if !passed.insert(&**id) {
                return Err(Error::invalid(format!(
                    "{line}: entry {id} is superseded by itself, directly or over other entries of the lines"
                ))
                .hint("Leave supersededBy and supersededTime out in one of these lines."));
            }
            at = by_id.get_key_value(by);
        }
        followed.extend(passed);
    }
    Ok(())
}

/// An id in lower case, in which most ids come: those are not copied.
fn lowered(id: &str) -> Cow<'_, str> {
    match id.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(id.to_ascii_lowercase()),
        false => Cow::Borrowed(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(corrections: &[(&str, &str)]) -> Option<String> {
        let lines: Vec<String> = (0..corrections.len()).map(|at| format!("lines[{at}]")).collect();
        let of_lines = corrections.iter().zip(&lines);
        let corrections: Vec<_> = of_lines.map(|(&(corrected, by), line)| Correction { line, corrected, by }).collect();
        refuse(&corrections).err().map(|refusal| refusal.message)
    }

    #[test]
    fn corrections_in_a_circle_are_refused() {
        let circles: [(&[(&str, &str)], &str); 5] = [
            (&[("a", "A")], "lines[0]: entry a is"),
            (&[("a", "b"), ("B", "A")], "lines[0]: entry a is"),
            (&[("a", "b"), ("c", "d"), ("d", "e"), ("e", "c")], "lines[1]: entry c is"),
            (&[("x", "a"), ("a", "b"), ("b", "a")], "lines[1]: entry a is"),
            (&[("x", "y"), ("y", "z"), ("w", "y"), ("z", "y")], "lines[1]: entry y is"),
        ];
        for (circle, beginning) in circles {
            let message = refusal(circle).unwrap_or_default();
            assert!(message.starts_with(beginning), "{circle:?}: {message}");
        }
    }

    #[test]
    fn chains_and_shared_corrections_are_not() {
        assert_eq!(refusal(&[]), None);
        assert_eq!(refusal(&[("a", "c"), ("b", "c"), ("c", "d"), ("d", "elsewhere")]), None);
        assert_eq!(refusal(&[("d", "elsewhere"), ("c", "d"), ("a", "c")]), None);
    }
}
