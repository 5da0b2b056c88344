//! The parts of a score as bars, each with its number, and the values from which they were computed. Widths are
//! attributes of SVG, not styles, which the pages' policy forbids.

use maud::{Markup, html};
use serde_json::Value;

/// The parts, as memory_explain names them and as people read them.
pub const PARTS: [(&str, &str); 5] = [
    ("semantic", "meaning"),
    ("keyword", "words"),
    ("recency", "recency"),
    ("importance", "importance"),
    ("popularity", "use"),
];

/// The value of a full bar: the best score of the page.
pub fn full_bar(rows: &[Value]) -> f64 {
    let most = rows.iter().filter_map(|row| row["score"].as_f64()).fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

/// The parts of one score, a bar each. `whose` names the scored thing, for readers who cannot see the place.
pub fn parts(row: &Value, full: f64, whose: &str) -> Markup {
    html! {
        table.parts {
            caption { "What adds to the score of " (whose) }
            tbody {
                @for (key, name) in PARTS {
                    @let adds = row[key].as_f64().unwrap_or(0.0);
                    tr class=(if adds.abs() < 0.0005 { "none" } else { "some" }) {
                        th scope="row" { (name) }
                        td.bar { (bar(key, adds, full)) }
                        td.number { (number(adds, 3)) }
                    }
                }
            }
        }
    }
}

/// All parts in one bar, for lists.
pub fn in_one_bar(row: &Value, full: f64) -> Markup {
    let mut from = 0.0;
    let pieces: Vec<(&str, f64, f64)> = PARTS
        .iter()
        .map(|(key, _)| {
            let width = percent(row[*key].as_f64().unwrap_or(0.0).max(0.0), full).min(100.0 - from);
            let piece = (*key, from, width);
            from += width;
            piece
        })
        .collect();
    html! {
        svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.track width="100" height="8" {}
            @for (key, from, width) in pieces {
                rect class=(key) x=(format!("{from:.2}")) width=(format!("{width:.2}")) height="8" {}
            }
        }
    }
}

fn bar(key: &str, adds: f64, full: f64) -> Markup {
    let width = format!("{:.2}", percent(adds.abs(), full));
    html! {
        svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.track width="100" height="8" {}
            rect class=(if adds < 0.0 { "less" } else { key }) width=(width) height="8" {}
        }
    }
}

fn percent(part: f64, full: f64) -> f64 {
    (100.0 * part / full).clamp(0.0, 100.0)
}

/// A number with so many digits behind the point, and a minus that can be told from a hyphen.
pub fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.trim_start_matches('-').bytes().all(|byte| byte == b'0' || byte == b'.') {
        return text.trim_start_matches('-').to_owned();
    }
    text.replace('-', "\u{2212}")
}

/// The raw values, ranks, weights and factors behind the parts, as memory_explain's `details` has them.
pub fn details(row: &Value) -> Markup {
    let Some(details) = row["details"].as_object() else { return html! {} };
    html! {
        details.numbers {
            summary { "How these were made" }
            dl {
                @for (key, value) in details {
                    dt { (key) }
                    dd {
                        @match value.as_object() {
                            Some(inner) => ul { @for (key, value) in inner { li { (key) " " b { (plain(value)) } } } },
                            None => b { (plain(value)) },
                        }
                    }
                }
            }
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => self::number(float, 4),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_full_bar_is_the_best_score() {
        let rows = [json!({"score": 0.2}), json!({"score": 0.4, "semantic": 0.1}), json!({"score": null})];
        assert_eq!(full_bar(&rows), 0.4);
        assert!(parts(&rows[1], 0.4, "entry 2").into_string().contains(r#"class="semantic" width="25.00""#));
        assert_eq!(full_bar(&[]), 1.0);
    }

    #[test]
    fn pieces_of_one_bar_stand_behind_each_other_and_within_it() {
        let row = json!({"semantic": 0.3, "keyword": 0.9, "recency": 0.1, "importance": -0.2});
        let bar = in_one_bar(&row, 1.0).into_string();
        assert!(bar.contains(r#"class="keyword" x="30.00" width="70.00""#), "{bar}");
    }

    #[test]
    fn a_number_of_nothing_has_no_sign() {
        assert_eq!((number(-0.0001, 3), number(-0.25, 2)), ("0.000".to_owned(), "\u{2212}0.25".to_owned()));
    }
}
