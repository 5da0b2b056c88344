//! Forms of other languages. Questions are asked on Wednesday, 15 May 2024.

use super::super::language::phrase;
use super::super::languages::ALL;
use super::super::words::words;
use super::{assert_holds, assert_no_periods};

#[test]
fn german_is_read() {
    assert_holds(&[
        ("Was habe ich am 7. Mai 2023 gesagt?", "2023-05-07", "2023-05-20"),
        ("was war im Mai", "2021-05-10", "2021-06-10"),
        ("im letzten Sommer", "2023-07-10", "2022-07-10"),
        ("letzten Sommer", "2023-07-10", "2022-07-10"),
        ("vor zwei Wochen", "2024-05-02", "2024-05-13"),
        ("was war vor einem Jahr", "2023-05-10", "2024-05-10"),
        ("vor ein paar Tagen", "2024-05-10", "2024-05-01"),
        ("letzte Woche", "2024-05-08", "2024-05-01"),
        ("in den letzten 3 Wochen", "2024-04-30", "2024-04-20"),
        ("gestern", "2024-05-14", "2024-05-13"),
        ("vorgestern", "2024-05-13", "2024-05-12"),
        ("heute", "2024-05-15", "2024-05-14"),
        ("am Freitag", "2024-05-10", "2024-05-09"),
        ("was ist seit 2022 passiert", "2023-08-10", "2021-08-10"),
        ("zwischen März und Mai 2023", "2023-04-10", "2023-06-10"),
        ("vom 3. bis 9. Mai 2023", "2023-05-06", "2023-05-02"),
        ("ich war Anfang Oktober 2023 da", "2023-10-05", "2023-10-20"),
        ("zu Weihnachten 2022", "2022-12-25", "2021-12-25"),
        ("was war vorletzte Woche", "2024-05-01", "2024-05-09"),
        ("im vorletzten Sommer, wann", "2022-07-10", "2023-07-10"),
        ("was war im Mai '21", "2021-05-10", "2022-05-21"),
        ("was stand im August an", "2019-08-10", "2019-07-10"),
    ]);
}

#[test]
fn a_week_by_its_number_is_that_of_any_year_or_of_the_year_that_is_said() {
    // Mondays of week 23: 6 June 2022, 5 June 2023, 3 June 2024.
    assert_holds(&[
        ("Was war in der Woche 23?", "2023-06-05", "2023-06-04"),
        ("Was war in der Woche 23?", "2022-06-06", "2022-06-05"),
        ("was haben wir in KW 23 gesagt", "2023-06-11", "2023-06-15"),
        ("Notizen KW 23", "2023-06-06", "2023-06-04"),
        ("in der 23. Kalenderwoche", "2023-06-06", "2023-06-04"),
        ("Notizen der 23. KW", "2023-06-06", "2023-06-04"),
        ("KW 23 2022", "2022-06-07", "2023-06-06"),
        ("in der Woche 23 im Jahr 2022", "2022-06-07", "2023-06-06"),
        ("was stand 2022 in der KW 23 an", "2022-06-07", "2023-06-06"),
        ("wann in KW 53", "2020-12-30", "2021-12-30"),
        ("zwischen KW 20 und KW 23", "2023-05-24", "2023-06-20"),
        ("zwischen KW 50 und KW 2", "2024-01-02", "2024-02-10"),
        ("seit KW 10, was ist passiert", "2024-04-10", "2024-02-20"),
        ("wat gebeurde er in week 23", "2023-06-06", "2023-06-04"),
        ("qu'avons-nous dit en semaine 23", "2023-06-06", "2023-06-04"),
        ("¿qué pasó en la semana 23?", "2023-06-06", "2023-06-04"),
    ]);
    assert_no_periods(&[
        "was war in Woche 23 der Schwangerschaft",
        "Woche 3 ist vorbei",
        "in der Woche 54",
        "ein Motor von 5 kW 23",
        "¿qué pasó en la semana 3 del curso?",
    ]);
}

#[test]
fn french_spanish_italian_portuguese_and_dutch_are_read() {
    assert_holds(&[
        ("qu'avons-nous dit le 7 mai 2023 ?", "2023-05-07", "2023-05-20"),
        ("quand en mars", "2021-03-10", "2021-05-10"),
        ("le 1er mars 2023, dans la ville", "2023-03-01", "2023-03-10"),
        ("la semaine dernière", "2024-05-08", "2024-05-01"),
        ("il y a deux semaines", "2024-05-02", "2024-05-13"),
        ("avant-hier", "2024-05-13", "2024-05-12"),
        ("je l'ai vu l'été dernier", "2023-07-10", "2022-07-10"),
        ("les trois derniers mois", "2024-03-10", "2024-01-10"),
        ("¿qué hice el 7 de mayo de 2023?", "2023-05-07", "2023-05-20"),
        ("la semana pasada", "2024-05-08", "2024-05-01"),
        ("hace dos semanas", "2024-05-02", "2024-05-13"),
        ("¿Dónde estuve ayer?", "2024-05-14", "2024-05-13"),
        ("che cosa ho detto il 7 maggio 2023", "2023-05-07", "2023-05-20"),
        ("la settimana scorsa", "2024-05-08", "2024-05-01"),
        ("due settimane fa", "2024-05-02", "2024-05-13"),
        ("l'altro ieri", "2024-05-13", "2024-05-12"),
        ("o que eu disse em 7 de maio de 2023", "2023-05-07", "2023-05-20"),
        ("na semana passada", "2024-05-08", "2024-05-01"),
        ("há duas semanas", "2024-05-02", "2024-05-13"),
        ("sexta-feira ou no domingo", "2024-05-12", "2024-05-11"),
        ("wat heb ik op 7 mei 2023 gezegd", "2023-05-07", "2023-05-20"),
        ("vorige week", "2024-05-08", "2024-05-01"),
        ("twee weken geleden", "2024-05-02", "2024-05-13"),
        ("eergisteren", "2024-05-13", "2024-05-12"),
        ("voorvorige week", "2024-05-01", "2024-05-09"),
        ("la semana antepasada", "2024-05-01", "2024-05-09"),
        ("na semana retrasada", "2024-05-01", "2024-05-09"),
        ("l'avant-dernière semaine, quand", "2024-05-01", "2024-05-09"),
    ]);
}

#[test]
fn words_of_other_languages_are_no_times_in_an_english_question() {
    assert_no_periods(&[
        "is there life on Mars",
        "the mars rover",
        "mayo in Los Angeles",
        "Rio de Janeiro",
        "Ms Mai and Mr Abril",
        "set do die an",
        "what does hier mean",
        "Marco met Julio",
        "Mr Freitag",
        "an hour ago in Natal",
        "die hard on the mar",
        "Ayer and Hoy",
        "sept",
        "the enero project",
    ]);
}

#[test]
fn own_words_of_a_language_are_none_of_english() {
    let english = "the a an and or but if of in on at to from by for with what when where who why how which did do does \
        has have had was were is are be been will would can could may might must say said tell told ago last next this \
        that these those it he she they we you i me my your his her our their not no yes about after before since until \
        week month year day today yesterday monday march mars mayo set die war hat so as there here some any all one two \
        los las san santa van von de la le el del don pour chat pain pay son sin ten once fin come sale fare ad male \
        an am art bad fast gift gut hell kind not rat rock rot see tag wand";
    for known in ALL.iter() {
        // "Del" is a name, and the commonest Spanish word that English lacks.
        let own = |word: &str| word != "del" && phrase(&words(word, |_| false), 0, known.language.own) == Some(1);
        let shared: Vec<&str> = english.split_whitespace().filter(|word| own(word)).collect();
        assert_eq!(shared, [""; 0]);
    }
}
