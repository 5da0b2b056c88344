//! The forms by which a word with signs or digits is a host, a path, an identifier or a ticket, and not a typing error
//! ("fun.then") or a way of writing ("and/or").

/// Endings of hosts that are seldom words of a sentence after a full stop without a blank.
const ENDINGS_OF_HOSTS: &str = "\
    com org net edu gov mil int info biz io dev ai app tech cloud online site store xyz tv co local internal localdomain \
    lan example test invalid onion social blog news shop wiki uk de fr nl ch pl cz ru ua cn jp kr br mx ca au nz eu fi se \
    dk pt hu ro gr tr il sg hk tw za ar cl ie";
/// Endings of files.
const ENDINGS_OF_FILES: &str = "\
    c cc cpp h hpp rs py pyi js mjs ts tsx jsx java kt go rb php pl sh bash zsh ps1 bat sql md rst txt tex csv tsv json \
    jsonl yaml yml toml ini cfg conf xml html htm css scss svg png jpg jpeg gif webp bmp ico pdf doc docx xls xlsx ppt \
    pptx odt ods epub zip tar gz tgz bz2 xz zst 7z rar jar war exe dll so deb rpm iso img bin dat db sqlite log lock env \
    ipynb parquet npy safetensors gguf mp3 mp4 wav flac ogg avi mkv mov webm ttf woff woff2 wasm proto diff patch bak";
/// Standards, models and diseases, which are written like tickets.
const NO_PROJECTS: &str =
    "AES BERT CO COVID CVE DALL DOF EN FIPS GPT HTTP ISO LLAMA MD MP PEP RFC RSA SARS SHA UTC UTF";
/// Endings of the names of errors, which are written like names of products.
const ENDINGS_OF_ERRORS: [&str; 2] = ["Error", "Exception"];
/// The most letters of a project's key.
const LONGEST_PROJECT: usize = 10;
/// The most digits of a ticket's number.
const LONGEST_NUMBER: usize = 7;
/// Letters of the first part of a name in camel case: "iPhone" is a product.
const FIRST_PART: usize = 2;

fn holds(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// `example.org`, `db01.prod.internal`.
pub fn is_host(written: &str) -> bool {
    let Some((name, ending)) = written.rsplit_once('.') else { return false };
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let has_letter = name.contains(char::is_alphabetic);
    let names_itself = written.starts_with("www.") && name.len() > "www.".len();
    has_letter && name.split('.').all(is_label) && (names_itself || holds(ENDINGS_OF_HOSTS, ending))
}

/// `192.0.2.10`.
pub fn is_ip_address(written: &str) -> bool {
    written.parse::<std::net::Ipv4Addr>().is_ok()
}

/// `src/main.rs`, `/etc/hosts`, `~/notes`, `C:\data\a.csv`, `main.rs`.
pub fn is_path(written: &str) -> bool {
    let names = || written.split(['/', '\\']).filter(|name| !matches!(*name, "" | "." | ".." | "~"));
    let is_rooted = ["/", "~/", "./", "../"].iter().any(|root| written.starts_with(root));
    let has_drive = written.as_bytes().get(1..3).is_some_and(|bytes| matches!(bytes, b":\\" | b":/"));
    let has_letter = written.contains(char::is_alphabetic);
    let is_deep = names().nth(2).is_some() && names().any(|name| name.contains(['_', '.']));
    let last = names().next_back().unwrap_or_default();
    let is_file =
        last.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && holds(ENDINGS_OF_FILES, ending));
    let is_long = names().nth(1).is_some() || written.starts_with('~');
    has_letter
        && (is_file && !is_host_and_path(written)
            || is_rooted && is_long
            || has_drive
            || is_deep && !is_host_and_path(written))
}

/// Whether the first name is the name of a host: `example.org/a/b.html`.
fn is_host_and_path(written: &str) -> bool {
    written.split_once('/').is_some_and(|(first, _)| is_host(first))
}

/// `ABC-123`, and not `COVID-19` or the code `ORA-00942`.
pub fn is_ticket(written: &str) -> bool {
    let Some((project, number)) = written.split_once('-') else { return false };
    let is_number =
        !number.is_empty() && number.len() <= LONGEST_NUMBER && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_project = (2..=LONGEST_PROJECT).contains(&project.len())
        && project.starts_with(|c: char| c.is_ascii_uppercase())
        && project.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_number && is_project && !number.starts_with('0') && !holds(NO_PROJECTS, project)
}

/// `memory_search`, `getUserName`, `ConnectionError`.
pub fn is_identifier(written: &str) -> bool {
    let is_word = written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    if !is_word || !written.contains(char::is_alphabetic) {
        return false;
    }
    if written.contains('_') {
        return !written.contains("___") && !written.starts_with('.') && !written.ends_with('.');
    }
    if written.contains('.') {
        return is_qualified(written);
    }
    is_camel_case(written) || is_error(written)
}

/// `com.example.UserService`: names with dots, one of them in camel case.
fn is_qualified(written: &str) -> bool {
    let has_hump =
        |name: &str| name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let names = || written.split('.');
    names().nth(2).is_some() && names().all(|name| name.chars().nth(1).is_some()) && names().any(has_hump)
}

fn is_camel_case(written: &str) -> bool {
    let first = written.chars().take_while(|c| c.is_lowercase()).count();
    let rest: Vec<char> = written.chars().skip(first).take(2).collect();
    first >= FIRST_PART && matches!(rest[..], [upper, lower] if upper.is_uppercase() && lower.is_lowercase())
}

fn is_error(written: &str) -> bool {
    let is_named = |ending: &str| written.strip_suffix(ending).is_some_and(|name| name.ends_with(char::is_lowercase));
    written.starts_with(char::is_uppercase) && ENDINGS_OF_ERRORS.into_iter().any(is_named)
}

/// `E0502`, `ORA-00942`, `0x80070057`.
pub fn is_code(written: &str) -> bool {
    if let Some(digits) = written.strip_prefix("0x") {
        return digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let letters = written.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &written[letters..];
    let digits = rest.strip_prefix('-').filter(|digits| digits.starts_with('0')).unwrap_or(rest);
    (1..=LONGEST_PROJECT).contains(&letters)
        && (3..=8).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A uuid, and the beginning or the whole of a hash as version control shows it: `9fceb02d`.
pub fn is_hash(written: &str) -> bool {
    const CHANGES: usize = 3;
    if uuid::Uuid::try_parse(written).is_ok() {
        return written.contains('-');
    }
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let changes = || written.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
    (7..=64).contains(&written.len()) && written.bytes().all(is_hex) && changes().count() >= CHANGES
}
