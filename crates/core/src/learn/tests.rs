use proptest::prelude::*;

use super::*;
use crate::rank::candidate::Candidate;
use crate::rank::choices::Strategy;
use crate::rank::ranking::Basis;
use crate::rank::scoring::RankingRules;
use crate::rank::signals::Signals;
use crate::request::presets::Preset;

const DAY: i64 = 86_400_000_000;

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// A question with twenty candidates of random signals, of which the one that `helps` judges best helped.
fn question(number: usize, numbers: &mut Numbers, helps: impl Fn(&Candidate, f64) -> f64) -> JudgedQuestion {
    let mut candidates: Vec<Candidate> = (0..20)
        .map(|at| Candidate {
            id: format!("{number}-{at}"),
            created: (1_000 - (numbers.next() * 400.0) as i64) * DAY,
            importance: 50.0,
            text_bytes: Some(200),
            signals: Signals {
                cosine: Some(numbers.next()),
                bm25: Some(10.0 * numbers.next()),
                words: Some(10.0 * numbers.next()),
                semantic_rank: Some(at + 1),
                keyword_rank: Some(at + 1),
            },
            ..Candidate::default()
        })
        .collect();
    candidates.iter_mut().for_each(|candidate| candidate.signals.bm25 = candidate.signals.words);
    let judged: Vec<f64> = candidates.iter().map(|candidate| helps(candidate, numbers.next())).collect();
    let best = (0..20).max_by(|&a, &b| judged[a].total_cmp(&judged[b])).unwrap();
    let rules = RankingRules {
        scoring: Preset::Default.scoring(),
        min_similarity: None,
        min_score: None,
        relevant_only: false,
    };
    JudgedQuestion {
        query: format!("question {number}"),
        strategy: Strategy::Hybrid,
        basis: Basis { now: 1_000 * DAY, ..Basis::default() },
        rules,
        helpful: [candidates[best].id.clone()].into(),
        candidates,
    }
}

fn questions(count: usize, seed: u64, helps: impl Fn(&Candidate, f64) -> f64) -> Vec<JudgedQuestion> {
    let mut numbers = Numbers(seed);
    (0..count).map(|number| question(number, &mut numbers, &helps)).collect()
}

fn learned(questions: &[JudgedQuestion]) -> Learned {
    learn(questions, questions.len(), Preset::Default.scoring(), &|| ())
}

/// The share of a candidate by meaning, noise in a tenth.
fn by_meaning(candidate: &Candidate, noise: f64) -> f64 {
    candidate.signals.cosine.unwrap() + 0.1 * noise
}

#[test]
fn where_meaning_alone_helps_its_weight_grows_and_the_gain_is_certain() {
    let result = learned(&questions(120, 7, by_meaning));
    assert_eq!(result.verdict, Verdict::Learned, "{result:?}");
    let weight = result.changes.iter().find(|change| change.option == "weights.semantic").unwrap();
    assert!(weight.after > weight.before && result.gain > 0.05 && result.interval.0 > 0.0, "{result:?}");
}

#[test]
fn where_the_newest_helps_recency_grows() {
    let newest = |candidate: &Candidate, noise: f64| candidate.created as f64 / DAY as f64 + noise;
    let result = learned(&questions(120, 9, newest));
    let recency = result.changes.iter().find(|change| change.option == "boosts.recency").unwrap();
    assert!(result.verdict == Verdict::Learned && recency.after > recency.before, "{result:?}");
}

#[test]
fn where_chance_alone_decides_nothing_is_learned() {
    // At most one of twelve sets of questions without any order may look like a gain: the interval is one of 95 %.
    let wrong = (0..12).filter(|seed| {
        let result = learned(&questions(100, 1_000 + seed, |_, noise| noise));
        assert!(result.verdict == Verdict::Learned || result.changes.is_empty());
        result.verdict == Verdict::Learned
    });
    assert!(wrong.count() <= 1);
}

#[test]
fn too_few_questions_teach_nothing() {
    let result = learned(&questions(LEAST_QUESTIONS - 1, 7, by_meaning));
    assert_eq!((result.verdict, result.changes.len()), (Verdict::TooFewQuestions, 0));
    assert_eq!(learned(&questions(LEAST_QUESTIONS, 7, by_meaning)).verdict, Verdict::Learned);
}

#[test]
fn one_question_that_is_asked_again_and_again_teaches_nothing() {
    let one = &questions(1, 7, |candidate, _| -candidate.signals.cosine.unwrap())[0];
    let result = learned(&vec![one.clone(); 100]);
    assert_eq!((result.verdict, result.different), (Verdict::TooFewQuestions, 1), "{result:?}");
}

/// The number of sets of questions with random answers from which something is learned; one question could only teach
/// its like.
fn falsely_learned(sets: u64, vary: impl Fn(&mut Vec<JudgedQuestion>)) -> usize {
    let is_learned = |seed: &u64| {
        let mut questions = questions(60, 7_000 + seed, |_, noise| noise);
        vary(&mut questions);
        learned(&questions).verdict == Verdict::Learned
    };
    (0..sets).filter(is_learned).count()
}

#[test]
fn a_question_in_other_words_or_with_another_sign_at_its_end_does_not_foretell_itself() {
    let endings = ["", "?", " ?", ".", "??"];
    let again = |questions: &mut Vec<JudgedQuestion>| {
        let twelve = questions.drain(..).take(12).collect::<Vec<_>>();
        let asked = |n: usize| JudgedQuestion {
            query: format!("{}{}", twelve[n % 12].query, endings[n / 12]),
            ..twelve[n % 12].clone()
        };
        questions.extend((0..60).map(asked));
    };
    assert_eq!(falsely_learned(5, again), 0);
    let reworded = |questions: &mut Vec<JudgedQuestion>| {
        again(questions);
        for (number, question) in questions.iter_mut().enumerate() {
            question.query = format!("wording {number} of {}", question.query);
        }
    };
    assert_eq!(falsely_learned(5, reworded), 0, "the same entry helped");
}

#[test]
fn what_holds_for_all_questions_is_learned_from_different_ones() {
    assert_eq!(groups::of(&questions(60, 1, by_meaning)).1, 60);
    let mut chained = questions(3, 1, by_meaning);
    let helped = chained[0].helpful.clone();
    chained[1].helpful.extend(helped);
    chained[2].query = chained[1].query.to_uppercase() + "?!";
    assert_eq!(groups::of(&chained), (vec![0, 0, 0], 1));
}

#[test]
fn an_id_of_two_memories_helps_once() {
    let mut one = questions(1, 3, by_meaning).remove(0);
    let twins: Vec<Candidate> = one.candidates.iter().map(|c| Candidate { memory: 1, ..c.clone() }).collect();
    one.candidates.extend(twins);
    assert!(one.ndcg(&Preset::Default.scoring()) <= 1.0);
    one.candidates.retain(|candidate| one.helpful.contains(&candidate.id));
    assert_eq!(one.ndcg(&Preset::Default.scoring()), 1.0);
}

#[test]
fn a_question_teaches_if_some_candidates_helped_and_others_did_not() {
    let mut one = questions(1, 3, by_meaning).remove(0);
    assert!(one.can_teach());
    let helpful = std::mem::take(&mut one.helpful);
    assert!(!one.can_teach(), "nothing helped");
    one.candidates.retain(|candidate| helpful.contains(&candidate.id));
    one.helpful = helpful;
    assert!(!one.can_teach(), "there is no other order");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn on_the_questions_that_it_saw_ascent_never_loses(seed: u64) {
        let questions = questions(30, seed, |candidate, noise| candidate.signals.words.unwrap() + 20.0 * noise);
        let (start, all) = (Preset::Default.scoring(), (0..30).collect::<Vec<_>>());
        let mut scores = ascent::Scores::new(&questions, &|| ());
        let best = ascent::ascend(&mut scores, start, &all);
        prop_assert!(ndcg::mean(&scores.of(&best)) >= ndcg::mean(&scores.of(&start)));
        prop_assert!(best.check_boosts().is_ok());
    }

    #[test]
    fn the_order_of_candidates_does_not_matter(seed: u64, turn in 0..20usize) {
        let questions = questions(1, seed, by_meaning);
        let mut turned = questions[0].clone();
        turned.candidates.rotate_left(turn);
        let scoring = Preset::Default.scoring();
        prop_assert_eq!(questions[0].ndcg(&scoring), turned.ndcg(&scoring));
    }
}
