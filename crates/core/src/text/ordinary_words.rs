//! Words that are also names, and words of names that name nobody.

/// Words that occur in questions without naming a person, although a person may have this name: they are names only if
/// the question writes them with a capital letter that their place does not require.
const ALSO_ORDINARY: &str = "\
    a all am an and any are art as at autumn baker banks baron basil be bill black bob brook brooke brown bud buddy bush \
    but by can candy carol chance charity chase cherry chip christian chuck clay cliff cook coral could crystal daisy \
    dale dawn day dean destiny dick did do does don done drew duke earl eve faith field fisher for forest frank from \
    gale gene ginger glen grace grant gray green grey guy had happy harmony has have hazel he heath heather her hill \
    him his holly honor hope how hunter i if in iris is it its ivy jack jade jasmine jay joy june august april may march \
    king kit kitty lake lance lily little long major mark max me melody mercy merry might miles misty must my next no \
    not of off olive on one or our out page park pat patience pearl penny pepper poppy price prince prudence ray red \
    reed rice rich river rob robin rod rose rosemary ruby rusty sage sandy she short should sierra skip sky small so \
    some star stone stormy storm sue summer sun that the them they this to trinity two up us van victor victory violet \
    wade was we were what when where which white who why will winter with wolf wood woods would yes you young your \
    account answer client customer error fact guest idea important info item log member memo message name note notes \
    plan question re reminder reply result service summary support system task team test title todo topic update \
    warning";

/// Words of ids and titles: as a part of a name they name nobody, as a whole name they do.
const OF_MANY: &str = "\
    account admin administrator agent ai anonymous app assistant bot chatbot client customer default demo dev dr guest \
    human id llm member model mr mrs ms operator org person prod prof service session sir staff support system team \
    tenant test thread uid unknown user users usr";

pub fn is_also_ordinary(word: &str) -> bool {
    holds(ALSO_ORDINARY, word)
}

pub fn is_of_many(word: &str) -> bool {
    holds(OF_MANY, word)
}

fn holds(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}
