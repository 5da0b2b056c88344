//! Which letters with marks are letters of their own. A language's dictionaries say so: Swedish sorts `å`, `ä` and `ö`
//! behind `z`, Spanish `ñ` behind `n`; there the mark tells words apart that have nothing in common (`får` and `far`).
//! Elsewhere (`café`, `Łódź`, `ёлка`) people leave marks out where a keyboard lacks them, and mean the same word.

/// The letters of a language that are not folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// Every mark is left out.
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
    /// Of the language of a text search configuration, which its name says: `pg_catalog.swedish`, `my_swedish`.
    pub fn of_configuration(name: &str) -> Self {
        // A schema may be called as a language is.
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

    /// What the body of a function says of it.
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

    /// Those of its letters that are a letter and a mark, taken apart, as a condition of a regular expression.
    pub fn unless_kept(self) -> &'static str {
        match self {
            Alphabet::Plain => "",
            Alphabet::Nordic => r"(?![Aa]\u030a|[AaOo]\u0308)",
            Alphabet::Spanish => r"(?![Nn]\u0303)",
            Alphabet::Turkish => r"(?![CcSs]\u0327|[Gg]\u0306|[OoUu]\u0308|I\u0307)",
            Alphabet::Hungarian => r"(?![OoUu][\u0308\u030b])",
            Alphabet::Estonian => r"(?![AaOoUu]\u0308|[Oo]\u0303|[SsZz]\u030c)",
        }
    }

    /// Whether a letter that no mark can be taken from is its own.
    pub fn keeps(self, letter: char) -> bool {
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
