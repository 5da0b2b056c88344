use proptest::prelude::*;

use super::*;

fn names(text: &str) -> Vec<&str> {
    names_in(text, &NothingKnown).into_iter().map(|found| found.name).collect()
}

/// The names in the last of some texts; the others are the known texts.
fn names_knowing<'a>(known: &[&str], text: &'a str) -> Vec<&'a str> {
    let mut counts = CaseCounts::default();
    known.iter().for_each(|known| counts.add(known));
    names_in(text, &counts).into_iter().map(|found| found.name).collect()
}

fn kinds(text: &str) -> Vec<(NameKind, &str)> {
    names_in(text, &NothingKnown).into_iter().map(|found| (found.kind, found.name)).collect()
}

fn assert_names(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(names(text), *expected, "{text}");
    }
}

#[test]
fn capital_letters_inside_of_a_sentence_make_a_name() {
    assert_names(&[
        ("we met Sarah Miller at the Golden Gate Bridge", &["Sarah Miller", "Golden Gate Bridge"]),
        ("she studied at the University of Lisbon", &["University of Lisbon"]),
        ("it is the Lord of the Rings again", &["Lord of the Rings"]),
        ("a book by J. R. Tolkien or J.K. Rowling", &["J. R. Tolkien", "J.K. Rowling"]),
        ("with Franklin D. Roosevelt and Malcolm X", &["Franklin D. Roosevelt", "Malcolm X"]),
        ("we saw Conan O'Brien and Conan O\u{2019}Brien", &["Conan O'Brien", "Conan O\u{2019}Brien"]),
        ("with Anna-Maria in Saint-Ouen", &["Anna-Maria", "Saint-Ouen"]),
        ("the work of Ludwig van Beethoven", &["Ludwig van Beethoven"]),
        ("from Los Angeles to Las Vegas", &["Los Angeles", "Las Vegas"]),
        ("on my iPhone, on macOS and on eBay", &["iPhone", "macOS", "eBay"]),
        ("we use VS Code and Claude 3.5 Sonnet on Ubuntu 24.04", &["VS Code", "Claude 3.5 Sonnet", "Ubuntu 24.04"]),
        ("he lives on 5th Avenue", &["5th Avenue"]),
        ("I met Will and Will Smith. Will Maria come?", &["Will", "Will Smith", "Maria"]),
        ("a café of the Bank of America Tower", &["Bank of America Tower"]),
        ("he plays FIFA 23 on Windows 11.", &["FIFA 23", "Windows 11"]),
        ("we watched Formula 1 Grand Prix in St. Moritz", &["Formula 1 Grand Prix", "St. Moritz"]),
        ("the LGBTQ+ group and Disney+ are there", &["LGBTQ+", "Disney+"]),
        ("я видел Анну Каренину в Москве", &["Анну Каренину", "Москве"]),
        ("είδα τον Γιάννη στην Αθήνα", &["Γιάννη", "Αθήνα"]),
        ("we moved to S\u{e3}o Paulo with Zoe\u{308}", &["S\u{e3}o Paulo", "Zoe\u{308}"]),
    ]);
}

#[test]
fn what_a_name_possesses_is_no_part_of_it() {
    assert_names(&[
        ("it is Nina's boat", &["Nina"]),
        ("it is Nina\u{2019}s boat", &["Nina"]),
        ("we read all of Rothfuss' books", &["Rothfuss"]),
        ("we ate at McDonald's again", &["McDonald's"]),
        ("it was Valentine's Day", &["Valentine's Day"]),
        ("a Boston-based friend with a Chicago-style pizza", &["Boston", "Chicago"]),
    ]);
    let known = ["with Dave", "to Dave", "and Dave"];
    assert_eq!(names_knowing(&known, "it was Dave's Boston trip"), ["Dave", "Boston"]);
    let always = ["in Molly's pub", "at Molly's bar", "near Molly's pub"];
    assert_eq!(names_knowing(&always, "we met at Molly's pub"), ["Molly's"]);
}

#[test]
fn titles_before_a_name_are_no_part_of_it() {
    assert_names(&[
        ("Dr. Rose called Mr Smith and aunt Mary", &["Rose", "Smith", "Mary"]),
        ("I told Mom and Grandma and Uncle Bob", &["Bob"]),
    ]);
}

#[test]
fn no_sentence_begins_with_a_name_that_nothing_shows() {
    assert_names(&[
        ("Hopefully it works. Coffee is ready! Storm came? Luxury everywhere", &[]),
        ("So do you and I. Coffee is ready", &[]),
        ("Taking a walk. Visiting Paris was fun", &["Paris"]),
        ("\u{1f600} Great stuff - Thanks", &[]),
        ("1. Fold it in\n2. Knead the dough\n3) Bake it\nA. Rest it\nC. Practical tips", &[]),
        ("\"Hello,\" he said. \"Sorry\"", &[]),
    ]);
}

#[test]
fn a_sentence_begins_with_a_name_that_its_text_or_the_memory_shows() {
    assert_names(&[
        ("Sarah Miller went home", &["Sarah Miller"]),
        ("Maria said no. Maria told us", &["Maria", "Maria"]),
        ("Jean-Luc Picard is here. YouTube is down", &["Jean-Luc Picard", "YouTube"]),
        ("Lisbon is far. We went to Lisbon", &["Lisbon", "Lisbon"]),
    ]);
    assert_eq!(names_knowing(&["I like Lisbon", "in Lisbon"], "Lisbon is far"), ["Lisbon"]);
    assert_eq!(names_knowing(&["I hope so", "we hope", "ask Hope"], "Hope is far"), [""; 0]);
    assert_eq!(names_knowing(&["and Ana", "for Ana", "to Ana"], "Woohoo Ana!"), ["Ana"]);
}

#[test]
fn what_is_mostly_written_without_a_capital_letter_is_no_name() {
    assert_eq!(names_knowing(&["we can", "you can"], "tell me how we Can do it"), [""; 0]);
    assert_eq!(names_knowing(&["the max is 3", "ask Max", "with Max"], "it is for Max"), ["Max"]);
    assert_eq!(names_knowing(&["i hate it"], "i HATE ginger"), [""; 0]);
}

#[test]
fn pronouns_dates_interjections_and_abbreviations_are_no_names() {
    assert_names(&[
        ("so I think I'm late, and I'll go", &[]),
        ("on Monday or next Friday in May, last Sept", &[]),
        ("oh Wow, and then Hi and Thanks, my TV and the PC, LOL", &[]),
        ("the annual recurring revenue (ARR) grew", &[]),
        ("vitamin C. Oysters are good, at 400mAh and pH 7", &[]),
        ("take vitamins like C and D at 70 \u{b0}F. Grease it", &[]),
        ("we visited the US and the UK", &["US", "UK"]),
        ("the RPGs of NASA", &["NASA"]),
    ]);
}

#[test]
fn shouting_and_headings_in_title_case_name_nothing_that_is_not_known() {
    assert_names(&[
        ("THIS IS ALL SHOUTED AT ANNA", &[]),
        ("intro\nTips For Staying Focused\nmore", &[]),
        ("**Garden-Inspired Tableware:** choose one", &[]),
        ("* Data Encryption and Secure Access\n* Low Cost", &[]),
        ("Will It Rain On Mark And On You", &[]),
    ]);
    let known = ["she is in Lisbon", "to Lisbon"];
    assert_eq!(names_knowing(&known, "intro\n# The Best Tips For Lisbon\nmore"), ["Lisbon"]);
}

#[test]
fn where_every_noun_has_a_capital_letter_only_several_in_a_row_are_a_name() {
    let german =
        "Gestern ist die Katze mit dem Hund in den Garten von Sarah Müller gelaufen und hat die Blumen gefressen.";
    assert_eq!(names(german), ["Sarah Müller"]);
    let english = "I met Anna, Ben, Carla, Dave and Eve yesterday evening";
    assert_eq!(names(english), ["Anna", "Ben", "Carla", "Dave", "Eve"]);
}

#[test]
fn who_speaks_a_text_is_a_name() {
    assert_names(&[
        ("Caroline: Hi Mel!", &["Caroline", "Mel"]),
        ("Fahim Khan: yes", &["Fahim Khan"]),
        ("Note: buy milk", &[]),
        ("Total: $950", &[]),
        ("Remember: call", &[]),
        ("so this is it: yes", &[]),
    ]);
    assert_eq!(names_knowing(&["elise: a", "elise: b"], "elise: hello there"), ["elise"]);
}

#[test]
fn a_quotation_in_title_case_is_a_title() {
    assert_names(&[
        (
            "I read \"The Night Circus\" and “A Gentleman in Moscow” twice",
            &["The Night Circus", "A Gentleman in Moscow"],
        ),
        ("he liked 'How I Built This' and *The Great Gatsby* a lot", &["How I Built This", "The Great Gatsby"]),
        ("do you know \"Westworld\"?", &["Westworld"]),
        ("she said \"Come with me now\" and \"Yes\"", &[]),
        ("some rock 'n' roll and the dogs' tails", &[]),
    ]);
}

#[test]
fn signs_make_names_of_other_kinds() {
    use NameKind::*;
    let cases: &[(&str, &[(NameKind, &str)])] = &[
        ("ask @maria or @ben_k.", &[(Handle, "@maria"), (Handle, "@ben_k")]),
        ("on @ana@example.social, @ 7 or @7pm", &[(Handle, "@ana@example.social")]),
        ("mail ana.b+x@example.org now", &[(Mail, "ana.b+x@example.org")]),
        ("see https://user:secret@www.example.org:8080/Foo_Bar/Baz?q=Some_Name now", &[(Host, "www.example.org")]),
        ("see example.org/a/b.html and db01.prod.internal", &[(Host, "example.org"), (Host, "db01.prod.internal")]),
        ("at 192.168.0.10 since version 1.2.3", &[(Host, "192.168.0.10")]),
        ("it was fun.then we left.So yes e.g. now, and/or he/she, 24/7, 5 km/h", &[]),
        (
            "open src/main.rs, /etc/hosts, ~/notes and C:\\data\\a.csv",
            &[(Path, "src/main.rs"), (Path, "/etc/hosts"), (Path, "~/notes"), (Path, "C:\\data\\a.csv")],
        ),
        (
            "call getUserName, memory_search and MAX_SIZE",
            &[(Identifier, "getUserName"), (Identifier, "memory_search"), (Identifier, "MAX_SIZE")],
        ),
        (
            "a ConnectionError, E0502, ORA-00942 or 0x80070057",
            &[
                (Identifier, "ConnectionError"),
                (Identifier, "E0502"),
                (Identifier, "ORA-00942"),
                (Identifier, "0x80070057"),
            ],
        ),
        (
            "commit 9fceb02d1 of 6f9619ff-8b86-d011-b42d-00c04fc964ff in `main`",
            &[(Identifier, "9fceb02d1"), (Identifier, "6f9619ff-8b86-d011-b42d-00c04fc964ff"), (Identifier, "main")],
        ),
        ("fixed ABC-123 and #4711, place #1, on 2024-05-03", &[(Ticket, "ABC-123"), (Ticket, "#4711")]),
        ("it is not ___ or a____b, &#8211; or COVID-19 by GPT-4", &[(Name, "COVID-19"), (Name, "GPT-4")]),
    ];
    for (text, expected) in cases {
        assert_eq!(kinds(text), *expected, "{text}");
    }
}

#[test]
fn scripts_without_capital_letters_show_no_names() {
    assert_names(&[("王小明去了东京", &[]), ("ذهبت مريم إلى القاهرة", &[]), ("", &[]), (" \n ", &[])]);
}

#[test]
fn of_different_names_the_first_sixty_four_are_found_each_time_that_they_stand_there() {
    let letters = |number: usize| ["a", "e", "i", "o", "u", "y", "ai", "oe"][number % 8];
    let text: String = (0..100).map(|n| format!("so B{}n{}r and ", letters(n), letters(n / 8))).collect();
    let found = names_in(&text, &NothingKnown);
    let different: HashSet<&str> = found.iter().map(|found| found.name).collect();
    assert_eq!(different.len(), MAX_ENTITIES);
    assert!(found.len() > different.len());
}

#[test]
fn what_is_longer_than_a_name_is_none() {
    let long = "Anna".repeat(30);
    assert_eq!(names(&format!("it is {long} and {}.", vec!["Anna"; 30].join(" "))), [""; 0]);
    assert_eq!(names(&format!("in /srv/{long}/main.rs")), [""; 0]);
}

/// The parts of hostile texts.
const HOSTILE: [&str; 22] = [
    "A ",
    "a_",
    "@",
    "@a",
    "\"",
    "\"A",
    "'",
    "*A ",
    "A.",
    "A B* ",
    "#1",
    "/a",
    "a.b.",
    "A-",
    "A of ",
    "1 ",
    "A: ",
    "`a",
    "://a@",
    "É\u{301}",
    "\u{1f600}A",
    "Ab's ",
];

#[test]
fn the_time_is_linear_in_the_length_of_the_text() {
    for piece in HOSTILE.into_iter().step_by(2) {
        let text: String = piece.chars().cycle().take(RAW_ENTRY_CHARACTERS).collect();
        let start = std::time::Instant::now();
        names_in(&text, &NothingKnown);
        // Optimized these are some milliseconds; a time that grows with the square would be minutes.
        assert!(start.elapsed().as_secs() < 5, "{piece:?}: {:?}", start.elapsed());
    }
}

proptest! {
    #[test]
    fn names_stand_in_order_in_the_text_and_say_what_is_there(
        text in "\\PC{0,60}|[A-Ca-c \"'’*_.:@#/\\n0-9é\u{301}\u{1f600}İß-]{0,80}",
        known in "[A-Ca-c .]{0,40}",
    ) {
        let mut counts = CaseCounts::default();
        counts.add(&known);
        let found = names_in(&text, &counts);
        let mut behind = 0;
        for name in &found {
            prop_assert!(behind <= name.place.start && name.place.start < name.place.end);
            prop_assert_eq!(&text[name.place.clone()], name.name);
            prop_assert!(name.name.chars().count() <= LONGEST_NAME_FOUND);
            prop_assert_eq!(name.name.trim(), name.name);
            behind = name.place.end;
        }
    }

    #[test]
    fn pieces_in_any_order_are_read(pieces in prop::collection::vec(prop::sample::select(&HOSTILE[..]), 0..40)) {
        let text = pieces.concat();
        names_in(&text, &NothingKnown);
    }

    #[test]
    fn a_name_inside_of_a_sentence_is_found_whatever_it_is(name in "[B-Z][b-z]{6,9}( [B-Z][b-z]{6,9}){0,2}") {
        let text = format!("yesterday we met {name} again");
        prop_assert_eq!(names(&text), [&*name]);
    }
}
