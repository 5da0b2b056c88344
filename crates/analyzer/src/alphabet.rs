//! The letters with marks that are letters of their own. Dictionaries of a language show them: Swedish sorts `å`, `ä`
//! and `ö` after `z`, Spanish `ñ` after `n`; there the mark distinguishes unrelated words (`får` and `far`). In other
//! languages (`café`, `Łódź`, `ёлка`) people omit marks that a keyboard lacks, and mean the same word.

/// The letters of a language that are not folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// No language: every mark is left out.
    Plain,
    /// å ä ö æ ø.
    Nordic,
    /// ñ.
    Spanish,
    /// ç ğ ı İ ö ş ü.
    Turkish,
    /// ö ő ü ű.
    Hungarian,
    /// ä ö õ ü š ž.
    Estonian,
}

/// All but [`Alphabet::Plain`], in the order of their numbers, from 1.
const WITH_LETTERS_OF_THEIR_OWN: [Alphabet; 5] =
    [Alphabet::Nordic, Alphabet::Spanish, Alphabet::Turkish, Alphabet::Hungarian, Alphabet::Estonian];

impl Alphabet {
    /// The alphabet of a text search configuration's language, from its name: `pg_catalog.swedish`, `my_swedish`.
    pub fn of_configuration(name: &str) -> Self {
        // A schema may have the name of a language.
        let name = name.rsplit('.').next().unwrap_or_default();
        let is_of = |alphabet: &Alphabet| alphabet.languages().iter().any(|language| name.contains(language));
        WITH_LETTERS_OF_THEIR_OWN.into_iter().find(is_of).unwrap_or(Alphabet::Plain)
    }

    fn languages(self) -> &'static [&'static str] {
        match self {
            Alphabet::Plain => &[],
            Alphabet::Nordic => &["swedish", "finnish", "danish", "norwegian"],
            Alphabet::Spanish => &["spanish", "basque"],
            Alphabet::Turkish => &["turkish"],
            Alphabet::Hungarian => &["hungarian"],
            Alphabet::Estonian => &["estonian"],
        }
    }

    /// Its name in a store's definition.
    pub fn name(self) -> &'static str {
        match self {
            Alphabet::Plain => "none",
            Alphabet::Nordic => "nordic",
            Alphabet::Spanish => "spanish",
            Alphabet::Turkish => "turkish",
            Alphabet::Hungarian => "hungarian",
            Alphabet::Estonian => "estonian",
        }
    }

    /// Whether a letter with a mark is its own.
    pub(crate) fn keeps_marked(self, letter: char, mark: char) -> bool {
        match (self, mark) {
            (Alphabet::Nordic, '\u{030a}') => "Aa".contains(letter),
            (Alphabet::Nordic, '\u{0308}') => "AaOo".contains(letter),
            (Alphabet::Spanish, '\u{0303}') => "Nn".contains(letter),
            (Alphabet::Turkish, '\u{0327}') => "CcSs".contains(letter),
            (Alphabet::Turkish, '\u{0306}') => "Gg".contains(letter),
            (Alphabet::Turkish, '\u{0308}') => "OoUu".contains(letter),
            (Alphabet::Turkish, '\u{0307}') => letter == 'I',
            (Alphabet::Hungarian, '\u{0308}' | '\u{030b}') => "OoUu".contains(letter),
            (Alphabet::Estonian, '\u{0308}') => "AaOoUu".contains(letter),
            (Alphabet::Estonian, '\u{0303}') => "Oo".contains(letter),
            (Alphabet::Estonian, '\u{030c}') => "SsZz".contains(letter),
            _ => false,
        }
    }

    /// Whether a letter that no mark can be taken from is its own.
    pub(crate) fn keeps(self, letter: char) -> bool {
        match self {
            Alphabet::Nordic => "æÆøØ".contains(letter),
            Alphabet::Turkish => letter == 'ı',
            _ => false,
        }
    }

    /// Its number, from 0.
    pub fn number(self) -> i64 {
        WITH_LETTERS_OF_THEIR_OWN.iter().zip(1..).find(|(alphabet, _)| **alphabet == self).map_or(0, |(_, n)| n)
    }

    /// The one with a number.
    pub fn of_number(number: i64) -> Self {
        let place = usize::try_from(number - 1).ok();
        place.and_then(|place| WITH_LETTERS_OF_THEIR_OWN.get(place).copied()).unwrap_or(Alphabet::Plain)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        [Alphabet::Plain].into_iter().chain(WITH_LETTERS_OF_THEIR_OWN)
    }
}
