//! The words by which texts are found: each example of docs/guide/languages.md, and the rules beside them.

use memory_search_analyzer::{Kind, Token, has_blankless, is_blankless, tokens};

fn all(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    tokens(text, |token| {
        all.push(token);
        true
    });
    all
}

fn words(text: &str) -> String {
    all(text).iter().map(|token| token.text.as_ref()).collect::<Vec<_>>().join(" ")
}

/// Each text, and its words in their order.
fn are(examples: &[(&str, &str)]) {
    for (text, expected) in examples {
        assert_eq!(words(text), *expected, "of {text}");
    }
}

#[test]
fn plain_words_end_at_blanks_and_apostrophes() {
    are(&[
        ("", ""),
        ("Lunch with Müller at the café in Łódź.", "Lunch with Müller at the café in Łódź"),
        ("don't l'eau l’eau", "don t l eau l eau"),
        ("\"Yes,\" (she) said: ok!", "Yes she said ok"),
        ("Vec<String> </div>", "Vec String div"),
        ("@ana #topic", "ana topic"),
        ("12:30 std::vec 100% a=b", "12 30 std vec 100 a b"),
        ("wait... what -- x--y --flag", "wait what x y flag"),
        ("m² ½ Ⅷ", "m² ½ Ⅷ"),
    ]);
}

#[test]
fn numbers_are_whole() {
    are(&[
        ("3.14 1e5 1.5e-3 -5 1,000", "3.14 1e5 1.5e-3 5 1 000"),
        ("10.0.0.1 1.2.3 10.0.0.1:80", "10.0.0.1 1.2.3 10.0.0.1 80"),
        ("v3.2.10 PG18.1", "v3.2.10 3.2.10 PG18.1 18.1"),
        ("3.5mm", "3.5mm 3.5 mm"),
        ("PG18.1-rc1", "PG18.1-rc1 PG18.1 18.1 rc1"),
        ("postgresql-18.1", "postgresql-18.1 postgresql 18.1"),
        ("app-1.2.tar.gz", "app-1.2.tar.gz app 1.2.tar.gz 1.2 tar.gz tar gz"),
    ]);
}

#[test]
fn dashes_join_words() {
    are(&[
        ("long-term", "long-term long term"),
        ("db-17 ORA-00942", "db-17 db 17 ORA-00942 ORA 00942"),
        ("2024-05-03", "2024-05-03 2024 05 03"),
        ("2024-05-03T10:00Z", "2024-05-03T10 2024-05-03 2024 05 03 10 00Z"),
        ("PROJ-12-34", "PROJ-12-34 PROJ 12-34 12 34"),
        ("ABC-1234-XY", "ABC-1234-XY ABC 1234 XY"),
        ("state-of-the-art", "state-of-the-art state of the art"),
        ("a_b-c", "a_b-c a_b a b c"),
    ]);
}

#[test]
fn identifiers_have_parts() {
    are(&[
        ("memory_search a__b __init__ _x", "memory_search memory search a__b a b init x"),
        ("getUserName parseJSON élanVital", "getUserName get User Name parseJSON parse JSON élanVital élan Vital"),
        ("McDonald iPhone eBay getX myVar", "McDonald iPhone eBay getX myVar"),
        ("user_getName", "user_getName user getName get Name"),
    ]);
}

#[test]
fn paths_are_the_first_name_and_the_rest() {
    are(&[
        (
            "/etc/postgresql/18/main/postgresql.conf",
            "/etc/postgresql/18/main/postgresql.conf etc postgresql 18/main/postgresql.conf 18 \
             main/postgresql.conf main postgresql.conf postgresql conf",
        ),
        ("src/index/row.rs:12", "src/index/row.rs src index/row.rs index row.rs row rs 12"),
        ("~/bin/run.sh", "~/bin/run.sh bin/run.sh bin run.sh run sh"),
        ("./a/b ../../x", "./a/b a/b a b ../../x x"),
        (r"C:\a\b.txt", r"C:\a\b.txt C a\b.txt a b.txt b txt"),
        ("C:/a/b", "C:/a/b C a/b a b"),
        ("he/she /etc and/ // x//y", "he/she he she /etc etc and x//y x y"),
        ("src/index/.", "src/index src index"),
    ]);
}

#[test]
fn dots_part_names() {
    are(&[
        ("www.example.net", "www.example.net www example.net example net"),
        ("app.core.ranking.score", "app.core.ranking.score app core.ranking.score core ranking.score ranking score"),
        ("finished.Then", "finished.Then finished Then"),
        ("db-17.example.net", "db-17.example.net db-17 db 17 example.net example net"),
        ("e.g. U.S. a.b.c", "e.g e g U.S U S a.b.c a b.c b c"),
        ("(row.rs). .bashrc", "row.rs row rs bashrc"),
        ("app.call.method()", "app.call.method app call.method call method"),
    ]);
}

#[test]
fn addresses_have_a_person_a_host_and_a_path() {
    are(&[
        ("joe.doe@example.org", "joe.doe@example.org joe.doe joe doe example.org example org"),
        ("joe+tag@x.org joe@localhost", "joe+tag@x.org joe tag x.org x org joe localhost"),
        ("a@b@c.d", "a b@c.d b c.d c d"),
        (
            "https://example.com:8080/a/b?x=1&y=2#frag",
            "example.com:8080/a/b?x=1&y=2#frag example.com example com 8080 /a/b a/b a b x 1 y 2 frag",
        ),
        ("http://x.org. <https://x.org/>", "x.org x org x.org x org"),
        ("file:///etc/hosts http:// x", "/etc/hosts etc/hosts etc hosts http x"),
    ]);
}

#[test]
fn signs_behind_letters_make_words() {
    are(&[
        ("C++ C# F# g++ i++", "C Cplusplus C Csharp F Fsharp g gplusplus i iplusplus"),
        ("c++11 C#x C++, std/C++", "c 11 C x C Cplusplus std/C std C Cplusplus"),
        ("AT&T R&D", "ATandT AT T RandD R D"),
        ("a&amp;b x&#39;s &lt;p&gt; A&B&C ?x&y", "a b x s p A B C x y"),
    ]);
}

#[test]
fn scripts_without_blanks_are_split() {
    are(&[
        ("我喜欢", "我 喜 欢"),
        ("東京タワーの", "東 京 タ ワ ー の"),
        ("か\u{3099}", "が"),
        ("Tシャツ3枚", "T シ ャ ツ 3 枚"),
        ("สวัสดี เก่า", "ส วั ส ดี เก่า"),
        ("ខ្មែរ", "ខ្មែ រ"),
        ("한국어 단어", "한국어 단어"),
        ("👍🏽❤️ok 🇩🇪", "👍🏽 ❤ ok 🇩🇪"),
        ("हिन्दी", "हिन्दी"),
    ]);
}

#[test]
fn words_are_composed_and_keep_their_places() {
    let text = "cafe\u{301}.txt";
    let seen: Vec<_> = all(text).into_iter().map(|token| (token.text.into_owned(), token.start, token.end)).collect();
    let expected = [("café.txt", 0, 10), ("café", 0, 6), ("txt", 7, 10)];
    assert_eq!(seen, expected.map(|(word, start, end)| (word.to_owned(), start, end)));
    are(&[("\u{301}\u{302} \u{301}a", "a")]);
}

#[test]
fn words_are_respelt_as_people_see_them() {
    are(&[
        ("Donau\u{ad}dampf\u{ad}schiff k\u{2060}m \u{feff}hi a\u{34f}b", "Donaudampfschiff km hi ab"),
        ("long\u{2011}term wi\u{2010}fi", "long-term long term wi-fi wi fi"),
        ("ＰｏｓｔｇｒｅＳＱＬ ２０２４", "PostgreSQL Postgre SQL 2024"),
        ("ｶﾌｪ ｶﾞ", "カ フ ェ ガ"),
        ("ﬁle 5 µm", "file 5 μm"),
        ("за\u{301}мок г\u{301}", "замок ѓ"),
        ("می\u{200c}خواهم क\u{94d}\u{200d}ष", "میخواهم क\u{94d}ष"),
        ("葛\u{e0100}城 A\u{fe0f}", "葛 城 A"),
        ("1\u{fe0f}\u{20e3} ⏰ ⌚ ▶\u{fe0f} ▶ ‼\u{fe0f} ↔ #\u{fe0f}", "1 ⏰ ⌚ ▶ ‼"),
        ("❤\u{fe0e} 👨\u{200d}👩\u{200d}👧", "❤ 👨\u{200d}👩\u{200d}👧"),
        // Marks are in their canonical order, in emoji too.
        ("❤\u{fe0f}\u{301}\u{17d2} ❤\u{17d2}\u{301}", "❤\u{17d2}\u{301} ❤\u{17d2}\u{301}"),
    ]);
    let text = "x Ａ\u{ad}ｂ\u{fe0f}1.ﬁx\u{ad} y";
    let seen: Vec<_> =
        all(text).into_iter().map(|token| (token.text.into_owned(), &text[token.start..token.end])).collect();
    let expected =
        [("x", "x"), ("Ab1.fix", "Ａ\u{ad}ｂ\u{fe0f}1.ﬁx"), ("Ab1", "Ａ\u{ad}ｂ\u{fe0f}1"), ("fix", "ﬁx"), ("y", "y")];
    assert_eq!(seen, expected.map(|(word, place)| (word.to_owned(), place)));
}

#[test]
fn parts_by_case_are_distinguished_from_other_parts() {
    let by_case =
        |text| Vec::from_iter(all(text).iter().filter(|token| token.by_case).map(|token| token.text.to_string()));
    assert_eq!(by_case("on GitHub/getUser_name x-y iPhone"), ["Git", "Hub", "get", "User"]);
    assert!(by_case("memory_search a/b.c AT&T C++").is_empty());
}

#[test]
fn kinds_are_the_same_as_the_servers_parser_has() {
    let examples = [
        ("word", Kind::AsciiWord),
        ("Wörter", Kind::Word),
        ("a1", Kind::NumWord),
        ("12", Kind::UInt),
        ("1.5", Kind::Float),
        ("1e5", Kind::SFloat),
        ("1.2.3", Kind::Version),
        ("v1.2", Kind::Version),
        ("row.rs", Kind::Host),
        ("a@b.de", Kind::Email),
        ("a/b", Kind::File),
        ("http://a.de/b", Kind::Url),
        ("long-term", Kind::AsciiHword),
        ("Über-ich", Kind::Hword),
        ("db-17", Kind::NumHword),
        ("2024-05-03", Kind::NumHword),
        ("memory_search", Kind::NumWord),
        ("日", Kind::Word),
    ];
    for (text, kind) in examples {
        assert_eq!(all(text)[0].kind, kind, "of {text}");
    }
    let kinds = |text| all(text).iter().map(|token| token.kind).collect::<Vec<_>>();
    assert_eq!(kinds("Über-ich-2a"), [Kind::NumHword, Kind::HwordPart, Kind::HwordAsciiPart, Kind::HwordNumPart]);
    assert_eq!(kinds("http://a.de/b/c")[4..6], [Kind::UrlPath, Kind::UrlPath]);
    assert_eq!(kinds("finished.Then"), [Kind::Host, Kind::AsciiWord, Kind::AsciiWord]);
}

#[test]
fn the_taker_stops() {
    let mut taken = 0;
    tokens("/a/b.c-d_e https://x.org/y?z f g", |_| {
        taken += 1;
        taken < 3
    });
    assert_eq!(taken, 3);
}

#[test]
fn long_compounds_have_parts_alone_and_long_words_are_left_out() {
    let names = ["name"; 50].join("/");
    assert_eq!(words(&names), ["name"; 50].join(" "));
    let word = "a".repeat(2046);
    assert_eq!(words(&format!("x {word} {word}b y")), format!("x {word} y"));
    let almost = format!("{}/b", "ä".repeat(198));
    assert_eq!(all(&almost).len(), 3);
    assert_eq!(all(&format!("ä{almost}")).len(), 2);
}

#[test]
fn the_words_of_a_part_are_adjacent_in_the_words_of_the_whole() {
    let parts = [
        ("src/index/row.rs:12", "src/index/row.rs"),
        ("src/index/row.rs:12", "index/row.rs"),
        ("src/index/row.rs:12", "row.rs"),
        ("/etc/postgresql/18/main/postgresql.conf", "main/postgresql.conf"),
        ("/etc/postgresql", "etc/postgresql"),
        ("docs/app.core.ranking.score", "ranking.score"),
        ("db-17.example.net", "example.net"),
        ("db-17.example.net", "db-17"),
        ("joe.doe@db-17.example.net", "joe.doe"),
        ("joe.doe@db-17.example.net", "db-17.example.net"),
        ("https://www.example.com:80/a/b.txt?x=1", "www.example.com"),
        ("https://www.example.com:80/a/b.txt?x=1", "b.txt"),
        ("PG18.1-rc1", "PG18.1"),
        ("PROJ-12-34", "12-34"),
        ("get_userName", "userName"),
        ("AT&T", "AT"),
    ];
    for (whole, part) in parts {
        let (whole, part) = (words(whole), words(part));
        assert!(format!(" {whole} ").contains(&format!(" {part} ")), "{part} in {whole}");
    }
}

#[test]
fn characters_of_scripts_without_blanks_are_distinguished_from_other_words() {
    let alone =
        |text| Vec::from_iter(all(text).iter().filter(|token| is_blankless(token)).map(|token| token.text.to_string()));
    assert_eq!(alone("a東b京c é😀 30号 น้ำ"), ["東", "京", "号", "น้ำ"]);
    assert!(alone("Müller's café 한국어 ١٢ привет").is_empty());
    assert!(has_blankless("café 東") && !has_blankless("café 한국어") && !has_blankless(""));
}
