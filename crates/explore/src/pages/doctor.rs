//! The findings of memory_doctor: problems first, each with the SQL that would fix it.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::layout::{Page, Place, failure};
use crate::statements;

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    asked.refuse_unknown(&["store"])?;
    let store = asked.required("store")?;
    let read = reading.of_store(store, &statements::doctor(store)).await;
    let place = Place { store: Some(store.to_owned()), view: "doctor", ..Place::default() };
    let content = html! {
        h1 { "Health of " (store) }
        @match &read {
            Ok(checks) => (shown(checks.as_array().map(Vec::as_slice).unwrap_or_default())),
            Err(error) => (failure(error)),
        }
    };
    Ok(Page::new(format!("Health of {store}"), place, content).after(&read))
}

fn shown(checks: &[Value]) -> Markup {
    let status = |check: &Value| check["status"].as_str().unwrap_or_default().to_owned();
    let with = |wanted: &str| checks.iter().filter(|check| status(check) == wanted).collect::<Vec<_>>();
    let mut problems = with("error");
    problems.extend(with("warning"));
    let fine: Vec<&Value> = with("ok");
    html! {
        p.lead {
            @if problems.is_empty() { "All " (checks.len()) " checks are well." }
            @else {
                (problems.len()) " of " (checks.len()) " checks found something. What fixes it is for the owner of the "
                "store; these pages only show it."
            }
        }
        @for check in &problems {
            article.check.(status(check)) {
                h2 { (check["name"].as_str().unwrap_or_default()) " " span.badge { (status(check)) } }
                p { (check["detail"].as_str().unwrap_or_default()) }
                @if let Some(fix) = check["fix"].as_str() {
                    pre tabindex="0" aria-label="SQL that fixes it" { code { (fix) } }
                }
            }
        }
        section aria-labelledby="fine" {
            h2 #fine { "What is well" }
            div.scroll tabindex="0" role="region" aria-label="Checks that are well" {
                table.list {
                    thead { tr { th scope="col" { "Check" } th scope="col" { "Found" } } }
                    tbody {
                        @for check in &fine {
                            tr {
                                th scope="row" { (check["name"].as_str().unwrap_or_default()) }
                                td { (check["detail"].as_str().unwrap_or_default()) }
                            }
                        }
                    }
                }
            }
        }
    }
}
