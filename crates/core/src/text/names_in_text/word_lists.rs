//! Words that are no names alone, in any spelling.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of grammar, first words of sentences and interjections of English, and the most frequent ones of German,
/// French and Spanish.
const NEVER: &str = "\
    a aber about above absolutely actually after afterwards again against ago ah aha all almost alright als also \
    although always am amazing an and another any anybody anyone anything anyway anyways apparently are aren't \
    around as at au auch auf aus aux avec aw awesome aww based basically be because been before behind bei being \
    below besides best better between bin bis both bro btw but by bye can can't cannot ce celsius ces cette check \
    cheers come comme con congrats congratulations consider cool could da damn dans das db de dear definitely del \
    dem den denn der des did die do doch does doing don't done down du dude during each eh ein eine einem einen \
    einer either el ella elle elles ellos else en enjoy enough er era es especially est esta este esto et even \
    eventually ever every everybody everyone everything exactly excellent excited excuse fahrenheit fair few finally \
    fine first for from further für get getting ghz girl give glad go going gonna good goodbye goodness gosh got \
    gotta great guess guys had haha hahaha happy has hast hat have having hay he hello hence her here hers hey hi \
    him his hmm honestly hope hopefully how however huh i ich idk if ihr il ils im imagine imo in include including \
    indeed instead interesting into is isn't ist it it's its itself ja je just keep kein keine khz kinda kwh la las \
    last lastly later le least les let let's leur like likewise literally lmao lmk lo lol look looking los lots love \
    lovely made mah mais make many mas maybe me mean meanwhile mein mhz mi might mine mit mm mon more moreover most \
    much must muy my myself más nach nah naturally ne near need neither never nevertheless next nice nicht no nobody \
    noch none nope nor nos not note nothing nous now nur ob obviously oder of off often oh ok okay omg on once one \
    only onto ooh oops or original originally other others otherwise ou ouch our ours out over overall own où par \
    para pas people perfect perhaps pero personally ph please plus por possibly pour probably que qui quite rather \
    really recently remember right sa said same sans schon se second see seeing seems sehr sein ses several shall \
    she should si sich sie similarly since sind smh so some somebody somehow someone something sometimes somewhere \
    soon sorry sounds still su such super sur sure sus take takes tan tbh te tell than thank thanks that that's the \
    their theirs them themselves then there there's therefore these they thing things think third this those though \
    through throughout thus till to today together tomorrow tonight too totally toward towards true truly try très \
    tu two tú um un una und under une unfortunately unless unlike uns until up upon us use used using usually very \
    via vom von vor vous wait wanna want was wasn't we well wenn went wer were what what's whatever when whenever \
    where whereas wherever whether which while who who's whoever whole whom whose why wie wir wish with within \
    without woah won't wonderful woohoo would wouldn't wow y ya yay yea yeah yep yes yesterday yet yo you your yours \
    yourself yup zu zum zur über";

/// Things with letters as numbers: the "C" of "vitamin C" is no initial.
const COUNTED_BY_LETTERS: &str = "\
    answer appendix blood class column exhibit figure gate grade group hepatitis level line option part phase plan \
    point row section series size step team terminal type version vitamin zone";

/// Words before a colon at the beginning of a text that name no speaker.
const BEFORE_COLONS: &str = "\
    address attention author background caution cc conclusion contact context cost date deadline description \
    directions due edit email example examples fax from fwd fyi goal goals hint ingredients instructions \
    introduction link location mail mobile nb overview owner phone place pps price priority problem ps re reason \
    remember result results solution source status step steps subject summary time tip tips title to total url via \
    website";

/// The words of these that begin a name of several words inside of a sentence.
const OPENERS_OF_TITLES: &str = "an best fair first good great happy last my no our perfect second third two us";

/// Articles of Spanish and French that begin names of places: "Los Angeles".
const ARTICLES_OF_PLACES: &str = "de del el la las le les los san santa van von";

/// Weekdays and months with their abbreviations: a date is no entity.
const CALENDAR: &str = "\
    apr april aug august autumn dec december dezember dienstag dimanche donnerstag fall feb februar february freitag \
    fri friday fridays jan januar january jeudi jul juli july jun june juni lundi mai mar march mardi may mercredi \
    mittwoch mon monday mondays montag märz nov november oct october oktober samedi samstag sat saturday saturdays \
    sep sept september sonntag spring summer sun sunday sundays thu thur thurs thursday thursdays tue tues tuesday \
    tuesdays vendredi wed wednesday wednesdays winter";

/// Forms of address and titles: no name alone, and not the beginning of one.
const FORMS_OF_ADDRESS: &str = "\
    aunt auntie babe bro brother captain coach cousin dad daddy doc doctor dr father frau grandfather grandma \
    grandmother grandpa granny herr herrn hon honey ma ma'am madam madame mama miss mister mom mommy monsieur mother \
    mr mrs ms mum mummy mx nana officer pa papa prof professor señor señora sir sis sister sweetie uncle";

/// Abbreviations in capital letters that name nothing, or a kind of thing.
const ABBREVIATIONS: &str = "\
    aaa ac ad adhd ai aka am api apr asap atm bbq bc bce bpm brb ca cb ceo cfo coo cpu css csv cto cv da dc debug \
    dept diy dj dm dna dob dui dvd ed eg er error est eta etc eur faq fatal fixme fps fyi gbp gif gmt gpa gps gpu \
    gym hd hiv hoa hp hq hr html http https icu id ide ie info iot iou ip iq iso it iv jk json kg km kph kpi lcd led \
    llc llm ltd mba mc md mfa min ml mm moba mp mpg mph ms n ngo npc ocd odd og okr oop op os ot pc pdf phd pin pm \
    pms pov ppt pr ps pst pto ptsd qa qr ram rip rna roi rpg rpm rsvp rv saas sci sdk sec seo sf sms sos spf sql ssd \
    std suv tba tbd tbsp tech tl tldr tmi todo tsp tv ui uri url usb usd utc uv ux vfx vip vpn vr warn wc xl xml xs \
    xxl yaml";

/// Countries and places with two capital letters, one of which is also a word.
const SHORT_PLACES: &str = "eu la ny nz uk un us";

/// Words that join the parts of a name: "Ludwig van Beethoven", "University of Lisbon".
const PARTICLES: &str = "\
    al alla aux bin d' da das de dei del della delle dem den der des di dos du e el ibn la las le les los of van vom \
    von y zu zum zur";

/// Verbs of people, seldom of things: after a word at the beginning of a sentence, they show that the word is a name.
const DEEDS: &str = "\
    agreed answered asked asks believed believes called decided divorced emailed hated hates lived lives loved loves \
    married met moved phoned plays prefers promised refused replied said says studied studies taught teaches tells \
    texted thinks thought told visited wanted wants works writes wrote";

/// Words that are in any English text of some length.
const OF_ENGLISH: &str = "and are for have in is it my of that the to was with you";
/// Words that are in any German text of some length, including articles and prepositions.
const OF_GERMAN: &str = "\
    am auf das dem den der die ein eine für hat ich im ist mit nicht sie und vom von wir zu zum zur";

/// Words after the hyphen of a word that describes by a name: "Boston-based".
const BEHIND_HYPHEN: &str = "\
    area based born bound centric driven era esque free friendly inspired like made only owned powered ready related \
    speaking style themed type wide";

/// One of the lists.
pub struct WordList(LazyLock<HashSet<&'static str>>);

impl WordList {
    pub fn holds(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

macro_rules! lists {
    ($($name:ident = $words:ident;)*) => {
        $(pub static $name: WordList = WordList(LazyLock::new(|| $words.split_whitespace().collect()));)*
    };
}

lists! {
    NO_NAMES = NEVER;
    TIMES = CALENDAR;
    ADDRESSES = FORMS_OF_ADDRESS;
    NO_ACRONYMS = ABBREVIATIONS;
    PLACES = SHORT_PLACES;
    JOINING = PARTICLES;
    OF_PEOPLE = DEEDS;
    ENGLISH = OF_ENGLISH;
    GERMAN = OF_GERMAN;
    ARTICLES = ARTICLES_OF_PLACES;
    COUNTED = COUNTED_BY_LETTERS;
    LABELS = BEFORE_COLONS;
    OPENING = OPENERS_OF_TITLES;
    SUFFIXES = BEHIND_HYPHEN;
}
