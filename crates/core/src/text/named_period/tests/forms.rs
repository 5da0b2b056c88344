//! Forms of English and of digits. Questions are asked on Wednesday, 15 May 2024.

use super::{NOW, assert_holds, assert_no_periods, holds, named, named_times};

#[test]
fn months_and_seasons_told_from_today_are_those_of_one_year() {
    assert_holds(&[
        ("what did we do last summer", "2023-07-10", "2022-07-10"),
        ("last May", "2023-05-10", "2024-05-10"),
        ("last March", "2024-03-10", "2023-03-10"),
        ("last winter", "2024-02-20", "2023-02-20"),
        ("last spring", "2023-04-10", "2024-04-10"),
        ("this spring", "2024-04-10", "2023-04-10"),
        ("this winter", "2024-01-10", "2024-12-10"),
        ("this August", "2024-08-10", "2023-08-10"),
        ("next March", "2025-03-10", "2024-03-10"),
        ("this May", "2024-05-10", "2023-05-10"),
        ("notes from May", "2019-05-10", "2019-04-10"),
        ("in May", "2019-05-10", "2019-04-10"),
        ("last fall", "2023-10-10", "2022-10-10"),
    ]);
}

#[test]
fn days_and_weekends_told_from_today_are_the_last_ones() {
    assert_holds(&[
        ("what did I say on Friday", "2024-05-10", "2024-05-09"),
        ("Wednesday's meeting", "2024-05-15", "2024-05-08"),
        ("last Wednesday", "2024-05-08", "2024-05-14"),
        ("this Friday", "2024-05-17", "2024-05-10"),
        ("next Monday", "2024-05-20", "2024-05-15"),
        ("last night", "2024-05-14", "2024-05-13"),
        ("this morning", "2024-05-15", "2024-05-14"),
        ("last weekend", "2024-05-11", "2024-05-10"),
        ("this weekend", "2024-05-18", "2024-05-12"),
        ("the other day", "2024-05-10", "2024-05-01"),
        ("earlier this year", "2024-01-10", "2023-12-30"),
        ("earlier this month", "2024-05-02", "2024-04-30"),
        ("next week", "2024-05-21", "2024-05-19"),
    ]);
}

#[test]
fn the_one_before_the_last_is_that_one_alone() {
    assert_holds(&[
        ("what did we decide the week before last", "2024-05-01", "2024-04-28"),
        ("the week before last", "2024-05-05", "2024-05-09"),
        ("the month before last", "2024-03-10", "2024-04-10"),
        ("the year before last", "2022-06-10", "2023-06-10"),
        ("the weekend before last", "2024-05-04", "2024-05-11"),
        ("the summer before last", "2022-07-10", "2023-07-10"),
        ("the March before last", "2023-03-10", "2024-03-10"),
        ("Friday before last", "2024-05-03", "2024-05-10"),
        ("the night before last", "2024-05-13", "2024-05-12"),
        ("at the end of the month before last", "2024-03-25", "2024-03-15"),
        ("the week before last Friday", "2024-05-04", "2024-04-30"),
        ("the month before last summer", "2023-05-10", "2023-09-10"),
    ]);
}

#[test]
fn a_year_of_two_digits_behind_an_apostrophe_is_a_year() {
    assert_holds(&[
        ("what happened in May '21", "2021-05-10", "2022-05-21"),
        ("May ’21", "2021-05-30", "2020-05-21"),
        ("7 May '21", "2021-05-07", "2022-05-07"),
        ("May 7th ‘99", "1999-05-07", "2021-05-07"),
        ("the summer of '79", "1979-07-10", "2021-07-10"),
        ("Q3 '21", "2021-08-10", "2022-08-10"),
        ("late '21", "2021-11-10", "2021-06-10"),
        ("in '21", "2021-06-10", "2022-06-10"),
        ("'21-'23 and since '20", "2022-06-10", "2019-06-10"),
        ("between May '21 and July '22", "2021-12-10", "2022-09-10"),
        ("in March, when we were in Rome, in '21", "2021-03-10", "2022-03-10"),
    ]);
    assert_no_periods(&["did we watch '21 Jump Street'?", "he is 5'11 tall", "the class's '21"]);
    assert!(holds("May 21", "2019-05-21") && !holds("May 21", "2021-05-10"), "without an apostrophe it is a day");
}

#[test]
fn a_month_that_is_a_name_is_a_time_only_where_a_time_stands() {
    assert_no_periods(&[
        "What did April say about the boat?",
        "Does June like tea, and may August come?",
        "Was hat August gesagt?",
        "April and June and August went home",
        "Tell April that May is here",
    ]);
    assert_holds(&[
        ("what did Ben say in April", "2019-04-10", "2019-05-10"),
        ("since this June", "2024-06-20", "2023-06-20"),
        ("last August", "2023-08-10", "2022-08-10"),
        ("the April report", "2019-04-10", "2019-05-10"),
        ("June 2023", "2023-06-10", "2022-06-10"),
        ("on August the 7th", "2019-08-07", "2019-08-20"),
        ("7 April", "2019-04-07", "2019-04-20"),
        ("in March, April and May", "2019-05-10", "2019-06-10"),
        ("from April to June", "2019-05-10", "2019-08-10"),
        ("January and June", "2019-06-10", "2019-08-10"),
    ]);
}

#[test]
fn a_word_in_a_time_says_whether_it_can_be_a_name() {
    let places = |question: &str| -> Vec<String> {
        let times = named_times(question, crate::timestamp::parse("now", NOW).unwrap());
        times.places.into_iter().map(|place| question[place].to_owned()).collect()
    };
    assert_eq!(places("What did April say in April, and last June?"), ["April", "last June"]);
    assert_eq!(places("a letter from April, of May 2023"), ["May 2023"]);
    assert_eq!(places("before June, until August"), ["until August"]);
    assert_eq!(places("José war im August da"), ["August"]);
}

#[test]
fn several_units_reach_back_from_today() {
    assert_holds(&[
        ("the past few weeks", "2024-04-20", "2024-04-10"),
        ("the past few days", "2024-05-12", "2024-05-10"),
        ("over the last few months", "2024-02-01", "2024-01-10"),
        ("in the last weeks", "2024-05-01", "2024-04-10"),
        ("a few days ago", "2024-05-10", "2024-05-01"),
        ("several months ago", "2024-01-10", "2024-05-10"),
        ("the past week", "2024-05-14", "2024-05-01"),
        ("a couple weeks ago", "2024-05-01", "2024-05-13"),
    ]);
}

#[test]
fn a_part_of_a_month_or_a_year_is_a_third_of_it() {
    assert_holds(&[
        ("at the end of May 2023", "2023-05-25", "2023-05-15"),
        ("at the beginning of May 2023", "2023-05-05", "2023-05-20"),
        ("in mid-March", "2021-03-15", "2021-03-05"),
        ("in early June 2023", "2023-06-03", "2023-06-20"),
        ("late 2022", "2022-11-10", "2022-07-10"),
        ("early in the summer of 2021", "2021-06-10", "2021-08-10"),
        ("at the end of last month", "2024-04-25", "2024-04-15"),
        ("beginning of last year", "2023-02-10", "2023-08-10"),
        ("end of the year 2023", "2023-06-01", "2022-12-01"),
        ("the beginning of the 7/7/2023", "2023-07-07", "2023-07-06"),
    ]);
}

#[test]
fn feasts_are_days_of_any_year_or_of_that_year() {
    assert_holds(&[
        ("at Christmas", "2020-12-25", "2020-12-20"),
        ("what did we eat for Christmas 2022", "2022-12-25", "2021-12-25"),
        ("on New Year's Eve", "2021-12-31", "2021-12-30"),
        ("New Year 2023", "2023-01-01", "2023-12-31"),
        ("on Halloween", "2019-10-31", "2019-10-30"),
        ("Easter 2023", "2023-04-09", "2023-04-06"),
        ("at Easter", "2024-03-31", "2023-04-09"),
    ]);
}

#[test]
fn ranges_reach_from_one_time_to_the_other() {
    assert_holds(&[
        ("between March and May 2023", "2023-04-10", "2023-06-10"),
        ("between March and May", "2021-04-10", "2021-06-10"),
        ("between November and February 2024", "2023-12-20", "2022-12-20"),
        ("from 3 to 9 May", "2022-05-06", "2022-05-02"),
        ("3-9 May 2023", "2023-05-06", "2023-05-14"),
        ("3 – 9 May 2023", "2023-05-06", "2023-05-02"),
        ("May 3rd-9th", "2020-05-06", "2020-05-13"),
        ("May 3-9, 2023", "2023-05-06", "2022-05-06"),
        ("from the 3rd to the 9th of May 2023", "2023-05-06", "2023-05-02"),
        ("2021-2023", "2022-06-10", "2020-06-10"),
        ("from 2019 to 2021", "2020-06-10", "2022-06-10"),
        ("from 2023-05-01 to 2023-05-07", "2023-05-04", "2023-04-30"),
        ("March-May 2023", "2023-04-10", "2023-02-10"),
        ("from May 2023 to January", "2023-12-10", "2024-02-10"),
        ("from last Monday to yesterday", "2024-05-13", "2024-05-12"),
    ]);
}

#[test]
fn an_open_range_reaches_to_today_or_a_year_back() {
    assert_holds(&[
        ("since 2022", "2023-08-10", "2021-12-10"),
        ("since March", "2024-04-10", "2023-04-10"),
        ("since last week", "2024-05-14", "2024-05-01"),
        ("after 7 May 2023", "2023-09-10", "2023-05-07"),
        ("before June 2023", "2023-03-10", "2023-06-10"),
        ("before June 2023", "2022-06-01", "2022-05-20"),
        ("until March", "2024-03-20", "2024-04-10"),
        ("before 2022", "2021-06-10", "2022-06-10"),
        ("two weeks before August 11, 2023", "2023-07-30", "2023-07-10"),
        ("last weekend before April 10, 2023", "2023-04-08", "2023-04-01"),
        ("the week after Christmas 2023", "2023-12-30", "2023-12-20"),
        ("since 2030", "2030-06-10", "2024-05-01"),
    ]);
}

#[test]
fn decades_quarters_and_weeks_are_found() {
    assert_holds(&[
        ("in the 1990s", "1995-06-10", "2000-06-10"),
        ("in the 90s", "1995-06-10", "1989-06-10"),
        ("Q3 2023", "2023-08-10", "2023-06-10"),
        ("the third quarter of 2023", "2023-08-10", "2023-06-10"),
        ("week 23 of 2023", "2023-06-06", "2023-06-04"),
        ("2023-W23", "2023-06-06", "2023-06-04"),
        ("calendar week 23", "2022-06-07", "2022-06-05"),
    ]);
}

#[test]
fn dates_in_digits_are_read_in_each_way_that_they_can_be() {
    assert_holds(&[
        ("on 7/5/2023", "2023-05-07", "2023-06-07"),
        ("on 7/5/2023", "2023-07-05", "2023-06-07"),
        ("on 25/5/2023", "2023-05-25", "2023-05-07"),
        ("on 5/25/2023", "2023-05-25", "2023-05-07"),
        ("on 25/5/23", "2023-05-25", "2023-05-07"),
        ("2023/05/07", "2023-05-07", "2023-07-05"),
        ("in 05/2023", "2023-05-20", "2023-06-20"),
        ("in 2023-05", "2023-05-20", "2023-06-20"),
        ("am 07.05.2023", "2023-05-07", "2023-07-05"),
        ("on 07-05-2023", "2023-05-07", "2023-06-05"),
        ("7-May-2023", "2023-05-07", "2023-05-17"),
        ("the first of May 2023", "2023-05-01", "2023-05-10"),
        ("Tuesday, May 7, 2024", "2024-05-07", "2024-05-14"),
        ("May 7 at 10:30", "2022-05-07", "2022-05-30"),
        ("at 10:30 May 7", "2022-05-07", "2022-05-30"),
    ]);
}

#[test]
fn numbers_of_other_things_are_no_dates() {
    assert_no_periods(&[
        "it cost $1999, see #2021 of v2023.1",
        "the price was €2020 or 2020€",
        "call 555-2023 or 030-2021-2022-11 or +49 30 2023-555",
        "open 192.168.1.12 and 10.0.0.1:2023",
        "version 1.2.2023 of it",
        "2/3 of 24/7 and 13/2023 or 1.5",
        "40/40/2023 and 31.02.2023",
        "covid-19 of gpt-4 in a boeing-747",
        "issue user-2023 at ana@2023.example",
        "1990s-style 7s and 5s",
    ]);
}

#[test]
fn words_that_may_be_others_are_times_only_where_a_time_stands() {
    assert_no_periods(&[
        "this may help",
        "this march is long",
        "every Friday",
        "on Black Friday",
        "what I said recently",
        "quarter of an hour",
        "week 3",
        "in week 3 of the course",
        "motors of 5 kw 23",
        "the end of the story",
        "before bed",
        "after the accident",
        "since when",
        "between a rock and a boat",
        "from here to there",
        "until now",
        "next of kin",
        "the last of us",
        "few weeks",
        "in his 90s",
        "Friday the 13th",
        "the weekend",
        "a year or two",
    ]);
    assert!(holds("The report of this May", "2024-05-10") && !holds("last May", "2024-05-10"));
}

#[test]
fn a_year_elsewhere_in_the_question_is_that_of_the_month() {
    assert_holds(&[
        ("in March, when we were in Rome, in 2021", "2021-03-10", "2022-03-10"),
        ("in May 2023 or in 2019", "2019-08-10", "2023-08-10"),
    ]);
    assert_eq!(named("7 May 2023 and 7 May 2023").len(), 1);
}
