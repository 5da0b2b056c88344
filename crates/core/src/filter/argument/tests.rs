use super::*;
use crate::bounds_and_defaults;

fn names(text: &str) -> Vec<String> {
    Filters::parse(text).unwrap().conditions().iter().map(|(name, _)| name.clone()).collect()
}

fn one(text: &str) -> Condition {
    let filters = Filters::parse(text).unwrap();
    let [(_, condition)] = filters.conditions() else { panic!("{filters:?}") };
    condition.clone()
}

#[test]
fn a_number_means_equality_and_an_object_bounds() {
    let number = |comparison, bound| Condition::Number(NumberField::AccessCount, comparison, bound);
    assert_eq!(one(r#"{"accessCount": 70}"#), number(Comparison::Equal, 70.0));
    let bounds = [number(Comparison::GreaterOrEqual, 2.0), number(Comparison::Less, 9.0)];
    assert_eq!(one(r#"{"accessCount": {"$lt": 9, "$gte": 2}}"#), Condition::All(bounds.to_vec()));
}

#[test]
fn a_list_means_one_of_several_and_a_text_equality() {
    let among = Condition::IsAmong(TextField::AgentId, vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(one(r#"{"agentId": ["a", "b"]}"#), among);
    assert_eq!(one(r#"{"agentId": {"$in": ["a", "b"]}}"#), among);
    assert_eq!(one(r#"{"agentId": {"$nin": ["a", "b"]}}"#), among.is_not_true());
    assert_eq!(one(r#"{"source.type": "mail"}"#), Condition::Equals(TextField::SourceType, "mail".to_owned()));
}

#[test]
fn trees_hold_trees() {
    let user = |user: &str| Condition::Equals(TextField::UserId, user.to_owned());
    assert_eq!(
        one(r#"{"$or": [{"userId": "a"}, {"$not": {"userId": "b"}}]}"#),
        Condition::Any(vec![
            Condition::All(vec![user("a")]),
            Condition::All(vec![Condition::Any(vec![Condition::All(vec![user("b")])]).is_not_true()]),
        ])
    );
    assert_eq!(
        names(r#"{"userId": "a", "$or": [{"tags": ["x"]}], "metadata.page": {"$gt": 5}}"#),
        ["userId", "$or", "metadata.page"]
    );
}

#[test]
fn who_wrote_it_is_asked_of_contexts_too() {
    let users = |text: &str| Filters::parse(text).unwrap().user().cloned();
    let among = Condition::IsAmong(TextField::UserId, vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(users(r#"{"userId": ["a", "b"], "agentId": "c"}"#), Some(Condition::All(vec![among.clone()])));
    assert_eq!(users(r#"{"$and": [{"$and": [{"userId": ["a", "b"]}]}]}"#), Some(Condition::All(vec![among])));
    let user = |user: &str| Condition::Equals(TextField::UserId, user.to_owned());
    let each = |user| Condition::All(vec![user]);
    assert_eq!(
        users(r#"{"$or": [{"userId": "a", "tags": "x"}, {"userId": "b"}]}"#),
        Some(each(Condition::Any(vec![each(user("a")), each(user("b"))])))
    );
    let either = Condition::Any(vec![each(user("b"))]);
    assert_eq!(users(r#"{"$not": {"userId": "b"}}"#), Some(each(either.is_not_true())));
    assert_eq!(
        users(r#"{"$not": [{"userId": "b"}, {"agentId": "c"}]}"#),
        Some(each(each(each(user("b")).is_not_true())))
    );
    for any_user in [
        r#"{"agentId": "c"}"#,
        "{}",
        r#"{"$or": [{"userId": "a"}, {"metadata.userId": "b"}]}"#,
        r#"{"$or": [{"userId": "a"}, {}]}"#,
        r#"{"$not": {"userId": "a", "tags": "x"}}"#,
        r#"{"importance": {"$in": []}}"#,
    ] {
        assert_eq!(users(any_user), None, "{any_user}");
    }
}

#[test]
fn what_does_not_filter_is_no_condition() {
    assert_eq!(names(r#"{"userId": null, "tags": [], "sourceType": [], "importance": {}, "metadata": null}"#), [""; 0]);
    assert_eq!(one(r#"{"ids": []}"#), Condition::Id(Vec::new()), "an empty list of ids is none of them");
    let id = "00000000-0000-0000-0000-0000000000AB";
    assert_eq!(one(&format!(r#"{{"ids": ["{id}"]}}"#)), Condition::Id(vec![id.to_owned()]));
}

#[test]
fn contradictions_are_named() {
    for bad in [
        r#"{"importance": {"$gt": 50, "$lt": 40}}"#,
        r#"{"importance": {"$gt": 50, "$lte": 50}}"#,
        r#"{"importance": {"$lt": 40}, "minImportance": 70}"#,
        r#"{"createdAfter": "2025-02-01T00:00:00Z", "createdBefore": "2025-01-01T00:00:00Z"}"#,
        r#"{"sourceType": "chat", "source.type": "mail"}"#,
        r#"{"accessCount": {"$between": [9, 2]}}"#,
        r#"{"accessCount": -1}"#,
        r#"{"accessCount": {"$lt": 0}}"#,
        r#"{"importance": {"$gt": 100}}"#,
        r#"{"importance": 101}"#,
        r#"{"importance": [101, -1]}"#,
        r#"{"importance": {"$lt": 0}}"#,
        r#"{"importance": {"$between": [101, 200]}}"#,
        r#"{"metadata.a": {"$between": [4, 0]}}"#,
        r#"{"metadata.a": {"$between": ["b", "a"]}}"#,
        r#"{"metadata.a": {"$between": [1, "b"]}}"#,
        r#"{"createdAt": {"$gt": "2025-02-01T00:00:00Z", "$lt": "2025-01-01T00:00:00Z"}}"#,
        r#"{"expiresAt": {"$between": ["2025-02-01T00:00:00Z", "2025-01-01T00:00:00Z"]}}"#,
    ] {
        assert!(Filters::parse(bad).is_err(), "{bad}");
    }
    for good in [
        r#"{"importance": {"$gte": 50, "$lte": 50}}"#,
        r#"{"importance": {"$gte": 0, "$lte": -0.0, "$eq": 0.0}}"#,
        r#"{"importance": {"$lt": 70}, "minImportance": 40}"#,
        r#"{"createdAt": {"$gte": "2025-01-01T00:00:00Z", "$lte": "2025-01-01T00:00:00Z"}}"#,
        r#"{"importance": {"$between": [-10, 200]}}"#,
        r#"{"importance": [50, 101]}"#,
        r#"{"importance": {"$in": []}}"#,
        r#"{"importance": {"$ne": 101}}"#,
        r#"{"importance": {"$exists": true}}"#,
        r#"{"accessCount": {"$gte": 0, "$lt": 1e300}}"#,
        r#"{"metadata.a": {"$between": [4, 4.0]}}"#,
        r#"{"metadata.a": {"$between": ["", "a"]}}"#,
        // A list may meet them, each bound by another element.
        r#"{"metadata": {"a": {"$gt": 5, "$lt": 3}}}"#,
    ] {
        assert!(Filters::parse(good).is_ok(), "{good}");
    }
}

#[test]
fn metadata_keeps_digits_that_no_double_holds() {
    let Condition::Metadata(part) = one(r#"{"metadata": {"id": 123456789012345678901234567890}}"#) else { panic!() };
    assert_eq!(part.json(), r#"{"id": 123456789012345678901234567890}"#);
    for (filter, variables) in [
        (
            r#"{"metadata": {"id": {"$gt": 123456789012345678901234567890}}}"#,
            r#"{"v0":123456789012345678901234567890}"#,
        ),
        (r#"{"metadata.id": 0.12345678901234567890}"#, r#"{"v0":0.12345678901234567890}"#),
        (
            r#"{"metadata": {"id": {"$between": [1.00000000000000000001, 2]}}}"#,
            r#"{"v0":1.00000000000000000001,"v1":2}"#,
        ),
        (r#"{"metadata": {"id": {"$in": [1.00000000000000000001]}}}"#, r#"{"v0":[1.00000000000000000001]}"#),
    ] {
        let mut condition = one(filter);
        if let Condition::All(parts) = &mut condition {
            condition = parts.remove(0);
        }
        let Condition::MetadataPath(path) = condition else { panic!("{condition:?}") };
        assert_eq!(path.variables(), variables);
    }
}

#[test]
fn operators_in_metadata_stand_for_their_path() {
    for (filter, path) in [
        (r#"{"metadata": {"page": {"$gt": 5}}}"#, r#"$."page" ? (@ > $v0)"#),
        (r#"{"metadata": {"a": {"b": {"$in": [1]}}}}"#, r#"$."a"."b" ? (@ == $v0[*])"#),
        (r#"{"metadata.a.b": 5}"#, r#"$."a"."b" ? (@ == $v0)"#),
        (r#"{"metadata": {"$or": [{"a": {"$exists": true}}]}}"#, r#"$."a""#),
    ] {
        let text = format!("{:?}", one(filter));
        assert!(text.contains(&format!("{path:?}")), "{filter}: {text}");
    }
    let both = one(r#"{"metadata": {"kind": "a", "page": {"$gte": 1, "$lt": 9}}}"#);
    assert!(matches!(&both, Condition::All(parts) if parts.len() == 3), "{both:?}");
    assert!(Filters::parse(r#"{"metadata": {"price": "5 $", "us$": 5}}"#).is_ok());
}

#[test]
fn what_no_operator_means_is_refused() {
    for (bad, word) in [
        (r#"{"metadata": {"page": {"$gtt": 5}}}"#, "$gtt"),
        (r#"{"metadata": {"pages": [{"of": {"$in": [1]}}]}}"#, "list"),
        (r#"{"metadata": {"$gt": 5}}"#, "needs a key of the metadata"),
        (r#"{"metadata": {"a": {"$eq": {"b": 1}}}}"#, "$eq"),
        (r#"{"metadata": {"a": {"$gt": null}}}"#, "$gt"),
        (r#"{"metadata": {"a": {"$between": [1]}}}"#, "two bounds"),
        (r#"{"metadata": {"a": {"$like": "x\\"}}}"#, "backslash"),
        (r#"{"metadata.a": {"$between": [1]}}"#, "not of 1"),
        (r#"{"userId": {"$in": ["a", null]}}"#, "userId.$in[1] must be a text, not null"),
        (r#"{"importance": {"$in": ["x"]}}"#, "importance.$in[0] must be a number"),
        (r#"{"$not": {}}"#, "$not has no condition"),
        (r#"{"$not": {"userId": null, "metadata": {}}}"#, "$not has no condition"),
        (r#"{"$not": [{"userId": "a"}, {}]}"#, "$not[1] has no condition"),
        (r#"{"metadata": {"$not": {}}}"#, "$not has no condition"),
        (r#"{"metadata": {"a": {"$not": {}}}}"#, "$not has no condition"),
        (r#"{"metadata.$gt": 1}"#, "metadata.$gt"),
        (r#"{"metadata.a.$gt": 1}"#, "$gt"),
        (r#"{"metadata.": 1}"#, "empty key"),
        (r#"{"metadata..a": 1}"#, "empty key"),
        (r#"{"metadata.a.": 1}"#, "empty key"),
        (r#"{"$or": []}"#, "$or must be a list of filters, not an empty one"),
        (r#"{"metadata": {"$and": []}}"#, "$and must be a list of conditions, not an empty one"),
        (r#"{"$or": {"userId": "a"}}"#, "$or"),
        (r#"{"$and": ["a"]}"#, "$and[0]"),
        (r#"{"rawEntry": "x"}"#, "operators"),
        (r#"{"ids": "x"}"#, "list"),
        (r#"{"importance": {"$in": ["x"]}}"#, "number"),
    ] {
        let refusal = Filters::parse(bad).unwrap_err();
        assert_eq!(refusal.kind, crate::ErrorKind::InvalidArgument);
        assert!(refusal.message.contains(word), "{bad}: {refusal:?}");
    }
}

#[test]
fn patterns_of_metadata_have_a_bound() {
    for operator in ["$like", "$ilike"] {
        let of = |characters| format!(r#"{{"metadata.a": {{"{operator}": "{}"}}}}"#, "é".repeat(characters));
        assert!(Filters::parse(&of(bounds_and_defaults::MAX_METADATA_PATTERN_CHARACTERS)).is_ok());
        let refusal = Filters::parse(&of(bounds_and_defaults::MAX_METADATA_PATTERN_CHARACTERS + 1)).unwrap_err();
        assert_eq!(refusal.kind, crate::ErrorKind::LimitExceeded);
        assert!(refusal.hint.is_some());
    }
}

#[test]
fn conditions_within_metadata_count() {
    let most = bounds_and_defaults::MAX_FILTER_CONDITIONS;
    for (start, one, end) in [
        (r#"{"metadata": {"$or": ["#, r#"{"n": {"$gt": 5}}"#, "]}}"),
        (r#"{"metadata": {"$and": ["#, r#"{"n": 5}"#, r#"], "k": {"$exists": true}}}"#),
        (r#"{"metadata": {"$not": ["#, r#"{"n": 5, "m": {"$lt": 2}}"#, "]}}"),
        (r#"{"metadata.n": {"$or": ["#, r#"{"$eq": 5}"#, "]}}"),
        (r#"{"metadata": {"$or": ["#, "{}", "]}}"),
        (r#"{"$or": ["#, r#"{"metadata": {"n": 5}}"#, "]}"),
        (r#"{"$or": ["#, r#"{"metadata.n": 5}"#, "]}"),
        (r#"{"$or": ["#, r#"{"metadata": {"n": {"$gt": 5}}}"#, "]}"),
    ] {
        let many = |count| Filters::parse(&format!("{start}{}{end}", vec![one; count].join(",")));
        let fitting = (1..=most).rev().find(|count| many(*count).is_ok()).unwrap();
        assert!([most, most - 1, most / 2].contains(&fitting), "{fitting} {one}");
        for too_many in [fitting + 1, 40_000] {
            assert_eq!(many(too_many).unwrap_err().kind, crate::ErrorKind::LimitExceeded, "{too_many} {one}");
        }
    }
}

#[test]
fn a_match_of_tags_without_tags_is_refused() {
    for bad in [
        r#"{"tagMatch": "all"}"#,
        r#"{"tags": null, "tagMatch": "all"}"#,
        r#"{"tags": {"$in": ["a", "b"]}, "tagMatch": "all"}"#,
        r#"{"$or": [{"tags": ["a", "b"]}], "tagMatch": "all"}"#,
    ] {
        let refusal = Filters::parse(bad).unwrap_err();
        assert!(refusal.message.ends_with("tagMatch has no list of tags beside it"), "{refusal}");
    }
    let any = r#"{"tagMatch": "any"}"#;
    for good in [r#"{"tags": "a", "tagMatch": "all"}"#, r#"{"tags": ["a"], "tagMatch": null}"#, any] {
        assert!(Filters::parse(good).is_ok(), "{good}");
    }
}

#[test]
fn an_operator_without_a_value_is_refused() {
    for (bad, hint) in [
        (r#"{"userId": {"$eq": null}}"#, "$exists"),
        (r#"{"userId": {"$ne": null}}"#, "$exists"),
        (r#"{"importance": {"$gte": null, "$lt": 5}}"#, "$exists"),
        (r#"{"createdAt": {"$exists": null}}"#, "$exists"),
        (r#"{"tags": {"$all": null}}"#, "Leave"),
    ] {
        let refusal = Filters::parse(bad).unwrap_err();
        assert!(refusal.message.ends_with("must not be null"), "{refusal}");
        assert!(refusal.hint.unwrap().contains(hint), "{bad}");
    }
}

#[test]
fn a_dollar_and_a_digit_in_a_pattern_are_what_they_are() {
    for (filter, predicate) in [
        (r#"{"metadata.a": {"$contains": "$5"}}"#, r#"@ like_regex "$5" flag "q""#),
        (r#"{"metadata.a": {"$like": "$1%"}}"#, r#"@ like_regex "^\\$1.*$" flag "s""#),
        (r#"{"metadata.a": {"$ilike": "$0"}}"#, r#"@ like_regex "^\\$0$" flag "is""#),
    ] {
        let Condition::All(parts) = one(filter) else { panic!() };
        let [Condition::MetadataPath(path)] = parts.as_slice() else { panic!() };
        assert!(path.path().contains(predicate), "{filter}: {}", path.path());
    }
}

#[test]
fn a_tree_has_an_end() {
    for of in ["$or", "$and", "$not"] {
        for one in [r#"{"userId": "a"}"#, "{}"] {
            if of == "$not" && one == "{}" {
                continue;
            }
            let many = |count| format!(r#"{{"{of}": [{}]}}"#, vec![one; count].join(","));
            let refusal = Filters::parse(&many(bounds_and_defaults::MAX_FILTER_CONDITIONS + 1)).unwrap_err();
            assert_eq!(refusal.kind, crate::ErrorKind::LimitExceeded);
            assert!(Filters::parse(&many(bounds_and_defaults::MAX_FILTER_CONDITIONS)).is_ok(), "{of} of {one}");
        }
    }
}

#[test]
fn every_option_among_the_filters_is_answered_with_its_place() {
    for option in option_names::OPTION_NAMES {
        for filters in [format!(r#"{{"{option}": 1}}"#), format!(r#"{{"$or": [{{"{option}": 1}}]}}"#)] {
            let hint = Filters::parse(&filters).unwrap_err().hint.unwrap_or_default();
            let wanted =
                format!(r#"{option} is an option of searches, not a filter: write {{"{option}": ...}} into options."#);
            assert_eq!(hint, wanted, "{filters}");
        }
    }
}

#[test]
fn an_unknown_filter_is_answered_with_the_nearest_one() {
    let refusal = Filters::parse(r#"{"user_id": "u1"}"#).unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"userId\"?"));
    let refusal = Filters::parse(r#"{"importance": {"gte": 5}}"#).unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"$gte\"?"));
    let refusal = Filters::parse(r#"{"$or": [{"agentID": "x"}]}"#).unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("Did you mean \"agentId\"?"));
}

/// So many bytes take about a second at the greatest depth, in a build for tests a few times as long.
#[test]
fn more_bytes_than_the_limit_are_refused_before_they_are_read() {
    let filters = |bytes: usize| format!(r#"{{"metadata": {{"a": "{}"}}}}"#, "x".repeat(bytes));
    assert!(Filters::parse(&filters(bounds_and_defaults::MAX_FILTERS_BYTES - 100)).is_ok());
    let refusal = Filters::parse(&filters(bounds_and_defaults::MAX_FILTERS_BYTES)).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::LimitExceeded);
    assert!(refusal.message.starts_with("filters has 2097"), "{refusal}");
}
