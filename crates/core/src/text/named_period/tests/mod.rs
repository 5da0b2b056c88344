//! Questions, and days that are and are not in the periods they name.

mod forms;
mod languages;

use proptest::prelude::*;

use super::*;

/// A Wednesday.
const NOW: &str = "2024-05-15T10:00:00Z";

fn at(text: &str) -> Micros {
    crate::timestamp::parse("t", &format!("{text}T12:00:00Z")).unwrap()
}

fn named_periods(question: &str, now: Micros) -> Vec<NamedPeriod> {
    named_times(question, now).periods
}

fn named(question: &str) -> Vec<NamedPeriod> {
    named_periods(question, crate::timestamp::parse("now", NOW).unwrap())
}

fn holds(question: &str, day: &str) -> bool {
    named(question).iter().any(|period| period.holds(at(day)))
}

#[test]
fn a_day_a_month_and_a_year_are_found_as_people_write_them() {
    for question in [
        "what happened on 7 May 2023?",
        "on May 7th, 2023",
        "the 7th of May 2023",
        "notes of 2023-05-07",
        "what did she do in May 2023",
        "in 2023",
        "on May 7",
        "anything in May?",
        "spring 2023",
        "in the spring of 2023",
        "spring of 2023",
        "at 2023-05-07T09:30:00Z",
    ] {
        assert!(holds(question, "2023-05-07"), "{question}");
        assert!(!holds(question, "2022-09-25"), "{question}");
    }
}

#[test]
fn days_after_it_still_belong_to_a_period_and_days_before_do_not() {
    assert!(holds("on 7 May 2023", "2023-05-10") && !holds("on 7 May 2023", "2023-05-11"));
    assert!(!holds("on 7 May 2023", "2023-05-06"));
    assert!(
        holds("in winter", "2021-01-20") && holds("last winter", "2023-12-05") && !holds("in winter", "2021-06-05")
    );
}

#[test]
fn times_told_from_today_are_measured_from_it() {
    for (question, day) in [
        ("what did I say yesterday?", "2024-05-14"),
        ("the day before yesterday", "2024-05-13"),
        ("today", "2024-05-15"),
        ("last week", "2024-05-08"),
        ("this week", "2024-05-13"),
        ("last month", "2024-04-20"),
        ("last year", "2023-02-01"),
        ("last Friday", "2024-05-10"),
        ("two weeks ago", "2024-05-02"),
        ("3 days ago", "2024-05-12"),
        ("a couple of months ago", "2024-03-10"),
        ("a year ago", "2023-05-01"),
        ("the last 10 days", "2024-05-07"),
    ] {
        assert!(holds(question, day), "{question}: {:?}", named(question));
        assert!(!holds(question, "2020-01-01"), "{question}");
    }
}

#[test]
fn words_that_only_look_like_times_are_none() {
    for question in [
        "may I ask who will march in the fall of Rome",
        "what does dec mean",
        "how many days",
        "a week",
        "version 3 of model 12",
        "twenty-one days ago",
        "half a year ago",
        "1.5 years ago",
        "call 2024000",
        "spring framework",
        "last but not least",
        "did I pay 2021 dollars or 2021 €, or was it € 2021",
        "call +49 2021 5555 or 0171 2022 3344 or 030 2021 2022",
        "room 2021, zip 2022, HTTP 2023 on Windows 2019, after 2020 steps",
        "",
    ] {
        let found = named(question);
        // "in the fall" is a time at every place of a question.
        assert!(found.is_empty() || question.contains("in the fall"), "{question}: {found:?}");
    }
}

#[test]
fn a_year_beside_days_and_years_is_one() {
    for question in ["7 5 2023", "2022, 2023", "7 May 2023, 3 people", "in 2023 euros were spent? no: in 2023"] {
        assert!(holds(question, "2023-05-07"), "{question}");
    }
}

#[test]
fn of_very_many_periods_the_first_count() {
    let years: Vec<String> = (1950..2050).map(|year| year.to_string()).collect();
    assert_eq!(named(&years.join(" ")).len(), MOST_PERIODS);
    assert!(holds(&years.join(" "), "1950-06-01"));
}

#[test]
fn instants_beyond_all_calendars_are_in_no_period() {
    assert!(!NamedPeriod::months(1, 12).holds(i64::MAX) && !NamedPeriod::months(1, 12).holds(i64::MIN));
    assert_eq!(named_periods("yesterday", i64::MAX), Vec::new());
}

/// Each question holds the first day and not the second.
fn assert_holds(cases: &[(&str, &str, &str)]) {
    for (question, inside, outside) in cases {
        assert!(holds(question, inside), "{question} holds {inside}: {:?}", named(question));
        assert!(!holds(question, outside), "{question} does not hold {outside}: {:?}", named(question));
    }
}

fn assert_no_periods(questions: &[&str]) {
    for question in questions {
        assert_eq!(named(question), [], "{question}");
    }
}

const TIME_WORDS: &str = "((last|this|next|past|the|[0-9]{1,4}|two|few|may|May|fall|mars|days|ago|vor|weeks|il y a|between|\
    and|from|to|since|before|after|until|until the|Friday|Easter|New Year|beginning of|Q3|week|weekend|of|in|-|–|dernier|\
    [0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|February 29|winter|90s|ich|je|het|ontem|KW 23|woche|week 9|before last|vorletzte|April|'21|and|in der) ?){0,12}";

proptest! {
    #[test]
    fn any_question_at_any_time_is_read(question in "[a-z0-9 -]{0,40}|\\PC{0,60}", now: i64) {
        for period in named_periods(&question, now) {
            period.holds(now);
        }
    }

    #[test]
    fn words_of_time_in_any_order_are_read(question in TIME_WORDS, now: i64, seconds in -377_705_116_800i64..=253_402_207_200) {
        for now in [now, seconds * 1_000_000] {
            let periods = named_periods(&question, now);
            prop_assert!(periods.len() <= MOST_PERIODS);
            for period in periods {
                period.holds(now);
                if let NamedPeriod::Days(first, last) = period {
                    prop_assert!(first <= last, "{question}: {first} to {last}");
                }
            }
        }
    }

    #[test]
    fn a_question_without_any_time_word_names_no_period(question in "(what|did|she|say|about|the|boat|in|of|and|to|from|12| |, |[.?]){0,20}") {
        prop_assert_eq!(named(&question), []);
    }
}
