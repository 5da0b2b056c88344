//! The bounds of cosines by codes, and the number of rows that a search then reads.
//!
//! ```sh
//! cargo run --release -p memory-search-index --example quantization_study -- synthetic [dimensions ...]
//! cargo run --release -p memory-search-index --example quantization_study -- npy entries.npy queries.npy ...
//! cargo run --release -p memory-search-index --example quantization_study -- speed
//! ```
//!
//! For each set, with rows coded against zero and against the mean of each 2,000, it prints the deviation of exact
//! cosines from estimates in estimated standard deviations (root mean square over all pairs, greatest over all pairs,
//! greatest where the row is among the 100 nearest and beyond its upper bound), then for each multiple of the standard
//! deviation the rows read (mean, greatest) for k = 10, 75, 100, and how many of the nearest were missed.

use std::error::Error;
use std::time::Instant;

use memory_search_index::quantization::*;

const MULTIPLES: [f32; 7] = [2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0];
const WANTED: [usize; 3] = [10, 75, 100];
const ROWS: usize = 6000;
const QUERIES: usize = 60;
const GROUP: usize = 2000;

type Vectors = Vec<Vec<f32>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((what, dimensions)) if what == "synthetic" => {
            let given: Vec<usize> = dimensions.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
            let all = if given.is_empty() { vec![8, 64, 128, 256, 768, 1536] } else { given };
            header();
            for dimensions in all {
                for kind in KINDS {
                    let (rows, queries) = synthetic(kind, dimensions);
                    study(&format!("{kind} {dimensions}"), &rows, &queries);
                }
            }
        }
        Some((what, files)) if what == "npy" => {
            header();
            for pair in files.chunks_exact(2) {
                study(&pair[0], &read_npy(&pair[0])?, &read_npy(&pair[1])?);
            }
        }
        Some((what, _)) if what == "speed" => speed(),
        _ => return Err("synthetic [dimensions ...], npy entries queries ..., or speed".into()),
    }
    Ok(())
}

fn header() {
    print!("set | coded against | rms | greatest | greatest of nearest");
    for multiple in MULTIPLES {
        print!(" | {multiple}: read for {WANTED:?} (missed)");
    }
    println!();
}

/// Prints the lines of one set.
fn study(name: &str, rows: &[Vec<f32>], queries: &[Vec<f32>]) {
    let Some(rotation) = Rotation::new(rows[0].len()) else { return };
    let rows: Vec<&Vec<f32>> = rows.iter().filter(|row| rotation.unit(row).is_some()).collect();
    let queries: Vec<(Query, Vec<f64>)> = queries
        .iter()
        .filter_map(|query| Some((Query::new(query)?, rows.iter().map(|row| cosine(query, row)).collect())))
        .collect();
    for centred in [false, true] {
        let groups: Vec<Group> = rows.chunks(GROUP).map(|rows| Group::new(&rotation, rows, centred)).collect();
        let mut result = Measured::default();
        for (query, exact) in &queries {
            result.add(&estimates(query, &groups), exact);
        }
        result.print(name, if centred { "mean" } else { "zero" }, queries.len());
    }
}

/// Rows coded against one mean, or against zero.
struct Group {
    mean: Option<Mean>,
    codes: Vec<u8>,
}

impl Group {
    fn new(rotation: &Rotation, rows: &[&Vec<f32>], centred: bool) -> Group {
        let units: Vectors = rows.iter().filter_map(|row| rotation.unit(row)).collect();
        let mean = if centred { Mean::of(&units) } else { None };
        let codes = units.iter().filter_map(|unit| encode_rotated(unit, mean.as_ref())).flatten().collect();
        Group { mean, codes }
    }
}

fn estimates(query: &Query, groups: &[Group]) -> Vec<Estimate> {
    let mut estimates = Vec::new();
    for group in groups {
        if let Some(prepared) = query.against(group.mean.as_ref()) {
            prepared.scan(&group.codes, prepared.code_bytes(), |_, estimate| estimates.extend(estimate));
        }
    }
    estimates
}

/// The figures of the queries of one set.
#[derive(Default)]
struct Measured {
    squares: f64,
    pairs: usize,
    greatest: f64,
    greatest_of_nearest: f64,
    /// By multiple and number wanted: rows read in all, and by one query at most; rows missed.
    read: [[(usize, usize, usize); WANTED.len()]; MULTIPLES.len()],
}

impl Measured {
    fn add(&mut self, estimates: &[Estimate], exact: &[f64]) {
        assert_eq!(estimates.len(), exact.len(), "one estimate of each row");
        let hundredth = least_of_nearest(exact, 100);
        for (estimate, &exact) in estimates.iter().zip(exact) {
            let off = (exact - f64::from(estimate.cosine)) / f64::from(estimate.error);
            self.squares += off * off;
            self.greatest = self.greatest.max(off.abs());
            if exact >= hundredth {
                self.greatest_of_nearest = self.greatest_of_nearest.max(off);
            }
        }
        self.pairs += exact.len();
        for (multiple, results) in MULTIPLES.iter().zip(&mut self.read) {
            for (&k, result) in WANTED.iter().zip(results) {
                let (read, missed) = search(estimates, exact, k, multiple / DEVIATIONS);
                *result = (result.0 + read, result.1.max(read), result.2 + missed);
            }
        }
    }

    fn print(&self, name: &str, against: &str, queries: usize) {
        let rms = (self.squares / self.pairs as f64).sqrt();
        print!("{name} | {against} | {rms:.2} | {:.2} | {:.2}", self.greatest, self.greatest_of_nearest);
        for results in &self.read {
            print!(" |");
            for (all, most, missed) in results {
                print!(" {:.0}/{most}", *all as f64 / queries as f64);
                if *missed > 0 {
                    print!(" ({missed})");
                }
            }
        }
        println!();
    }
}

/// The cosine of the `k`-th nearest row.
fn least_of_nearest(exact: &[f64], k: usize) -> f64 {
    let mut sorted = exact.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.get(k - 1).copied().unwrap_or(f64::NEG_INFINITY)
}

/// The number of rows that are read, in steps of 8 after the first `k`, and of the nearest, or as near, that are not
/// found.
fn search(estimates: &[Estimate], exact: &[f64], k: usize, widened: f32) -> (usize, usize) {
    let mut nearest = Nearest::new(k);
    for (document, estimate) in estimates.iter().enumerate() {
        let estimate = Estimate { error: estimate.error * widened, ..*estimate };
        nearest.add(document as u32, estimate).expect("memory");
    }
    let (mut read, mut step) = (0, k);
    loop {
        let next = nearest.next(step).expect("memory");
        if next.is_empty() {
            break;
        }
        (read, step) = (read + next.len(), 8);
        for document in next {
            nearest.learn(document, Some(exact[document as usize])).expect("memory");
        }
    }
    let least = least_of_nearest(exact, k);
    let (wanted, found) = (exact.iter().filter(|&&cosine| cosine >= least).count(), nearest.found());
    (read, wanted - found.iter().filter(|row| row.1 >= least).count())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for (lane, (&a, &b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += f64::from(a) * f64::from(b);
        }
    }
    lanes.iter().sum()
}

const KINDS: [&str; 13] = [
    "gaussian",
    "non-negative",
    "mean cosine 0.5",
    "mean cosine 0.8",
    "one-hot",
    "sparse",
    "zeros and ones",
    "clusters",
    "tight clusters",
    "duplicates",
    "heavy tails",
    "low rank",
    "few wide dimensions",
];

/// Rows and queries of a kind, the queries being of the same kind.
fn synthetic(kind: &str, dimensions: usize) -> (Vectors, Vectors) {
    let mut random = Random(dimensions as u64 * 1000 + kind.len() as u64);
    let gaussian = |random: &mut Random| -> Vec<f32> { (0..dimensions).map(|_| random.normal()).collect() };
    let around = |centre: &[f32], spread: f32, random: &mut Random| -> Vec<f32> {
        centre.iter().map(|value| value + spread * random.normal()).collect()
    };
    let centres: Vectors = (0..60).map(|_| gaussian(&mut random)).collect();
    // With a coordinate that all share, and own ones of variance 1, the cosine is shared^2 / (shared^2 + 1).
    let shifted =
        |cosine: f32, random: &mut Random| around(&vec![(cosine / (1.0 - cosine)).sqrt(); dimensions], 1.0, random);
    let mut all: Vectors = Vec::new();
    while all.len() < ROWS + QUERIES {
        let random = &mut random;
        let centre = &centres[random.below(centres.len())];
        all.push(match kind {
            "gaussian" => gaussian(random),
            "non-negative" => gaussian(random).into_iter().map(|value| value.max(0.0)).collect(),
            "mean cosine 0.5" => shifted(0.5, random),
            "mean cosine 0.8" => shifted(0.8, random),
            "one-hot" => {
                let mut vector: Vec<f32> = (0..dimensions).map(|_| 0.01 * random.normal()).collect();
                vector[random.below(dimensions)] += 1.0;
                vector
            }
            "sparse" => {
                let mut vector = vec![0.0; dimensions];
                (0..4).for_each(|_| vector[random.below(dimensions)] += 1.0 + random.normal().abs());
                vector
            }
            "zeros and ones" => {
                let mut vector = vec![0.0; dimensions];
                (0..8).for_each(|_| vector[random.below(dimensions)] = 1.0);
                vector
            }
            "clusters" => around(centre, 0.5, random),
            "tight clusters" => around(centre, 0.02, random),
            "duplicates" => match all.len() % 4 {
                0 => gaussian(random),
                _ => all[random.below(all.len())].clone(),
            },
            "heavy tails" => {
                (0..dimensions).map(|_| random.normal().powi(3) / random.normal().abs().max(0.01)).collect()
            }
            "low rank" => {
                let mut vector = around(&vec![0.0; dimensions], 0.01, random);
                for axis in &centres[..5] {
                    let weight = random.normal();
                    vector.iter_mut().zip(axis).for_each(|(value, axis)| *value += weight * axis);
                }
                vector
            }
            _ => gaussian(random).iter().enumerate().map(|(at, v)| if at < 4 { 20.0 * v } else { *v }).collect(),
        });
    }
    let queries = all.split_off(ROWS);
    (all, queries)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    fn normal(&mut self) -> f32 {
        let mut uniform = || ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        ((-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()) as f32
    }
}

/// A matrix of half or single precision, as NumPy saves it.
fn read_npy(path: &str) -> Result<Vectors, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let header_end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(&bytes[10..header_end]);
    let shape = header.split("'shape': (").nth(1).and_then(|rest| rest.split(')').next()).ok_or("no shape")?;
    let dimensions: usize = shape.split(',').nth(1).ok_or("not a matrix")?.trim().parse()?;
    let values: Vec<f32> = if header.contains("'<f2'") {
        bytes[header_end..].as_chunks().0.iter().map(|&pair| half::f16::from_le_bytes(pair).to_f32()).collect()
    } else {
        bytes[header_end..].as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
    };
    Ok(values.chunks_exact(dimensions).map(<[f32]>::to_vec).collect())
}

/// Prints what coding and comparing take, least of 40 runs.
fn speed() {
    let least = |mut work: Box<dyn FnMut() -> usize>| {
        let run = |_| {
            let start = Instant::now();
            let count = work();
            start.elapsed().as_secs_f64() / count as f64
        };
        (0..40).map(run).fold(f64::MAX, f64::min)
    };
    println!("dimensions | encode, us | prepare, us | estimate, ns a row | with choosing 75, ns a row");
    for dimensions in [8, 32, 64, 100, 128, 256, 384, 768, 1536] {
        let (rows, queries) = synthetic("gaussian", dimensions);
        let Some(rotation) = Rotation::new(dimensions) else { continue };
        let mean = Mean::of(rows.iter().take(2000).filter_map(|row| rotation.unit(row)));
        let codes: Vec<u8> = rows.iter().filter_map(|row| encode(&rotation, row, mean.as_ref())).flatten().collect();
        let Some(query) = Query::new(&queries[0]) else { continue };
        let Some(prepared) = query.against(mean.as_ref()) else { continue };
        let (prepared_too, codes_too) = (prepared.clone(), codes.clone());
        let encode = least(Box::new({
            let mean = mean.clone();
            move || rows.iter().filter_map(|row| encode(&rotation, row, mean.as_ref())).count()
        }));
        let prepare = least(Box::new(move || (0..100).filter_map(|_| query.against(mean.as_ref())).count()));
        let estimate = least(Box::new(move || {
            let mut sum = 0.0;
            prepared.scan(&codes, prepared.code_bytes(), |_, estimate| sum += estimate.map_or(0.0, Estimate::upper));
            std::hint::black_box(sum);
            ROWS
        }));
        let choose = least(Box::new(move || {
            let mut nearest = Nearest::new(75);
            prepared_too.scan(&codes_too, prepared_too.code_bytes(), |row, estimate| {
                if let Some(estimate) = estimate {
                    nearest.add(row as u32, estimate).expect("memory");
                }
            });
            std::hint::black_box(nearest);
            ROWS
        }));
        println!(
            "{dimensions} | {:.2} | {:.2} | {:.1} | {:.1}",
            encode * 1e6,
            prepare * 1e6,
            estimate * 1e9,
            choose * 1e9
        );
    }
}
