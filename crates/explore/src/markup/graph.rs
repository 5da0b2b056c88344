//! A picture of an entry and the entries that links lead to, as SVG: the entry in the middle, the others on rings by
//! their number of links from it. Numbers and letters refer to a table beside it, and shapes show the rings, so that
//! colours carry no information.

use std::f64::consts::{PI, TAU};

use maud::{Markup, html};

/// Between the centres of two entries on a ring: their shapes never touch.
const SPACE: f64 = 44.0;

/// Between two rings.
const STEP: f64 = 84.0;

/// From the centre of a shape to its edge.
const RADIUS: f64 = 16.0;

/// The widest sector of an entry. In a wider one, lines would cross the middle.
const WIDEST: f64 = 1.5 * PI;

/// An entry of a picture. The first one is in the middle; each other one comes after the entry from which it is
/// reached.
#[derive(Debug, Clone)]
pub struct Node {
    /// The number of links from the middle to it.
    pub hops: usize,
    /// The place of the entry from which a link leads to it.
    pub via: usize,
    /// The letter of that link's kind.
    pub letter: String,
    /// The beginning of its text, for the pointer.
    pub title: String,
}

/// The letters of kinds in the order of their number: a to z, then aa.
pub fn letter(number: usize) -> String {
    let of = |number: usize| char::from(b'a' + (number % 26) as u8);
    if number < 26 { of(number).to_string() } else { format!("{}{}", letter(number / 26 - 1), of(number)) }
}

/// The picture. `id` begins the ids of its parts; `title` and `description` are for users who cannot see it.
pub fn graph(id: &str, title: &str, description: &str, nodes: &[Node]) -> Markup {
    let places = places(nodes);
    let [left, top, right, bottom] = bounds(&places);
    let (width, height) = (right - left, bottom - top);
    let number = |value: f64| format!("{value:.1}");
    let (title_id, description_id) = (format!("{id}-title"), format!("{id}-description"));
    html! {
        svg.graph role="img" aria-labelledby=(title_id) aria-describedby=(description_id)
            viewBox=(format!("{left:.1} {top:.1} {width:.1} {height:.1}"))
            width=(format!("{width:.0}")) height=(format!("{height:.0}")) {
            title id=(title_id) { (plain(title)) }
            desc id=(description_id) { (plain(description)) }
            // Lines come first: a browser draws later elements over earlier ones.
            @for (node, (x, y)) in nodes.iter().zip(&places).skip(1) {
                @let (from_x, from_y) = places[node.via];
                line x1=(number(from_x)) y1=(number(from_y)) x2=(number(*x)) y2=(number(*y)) {}
            }
            @for (node, (x, y)) in nodes.iter().zip(&places).skip(1) {
                @let (from_x, from_y) = places[node.via];
                @let (at_x, at_y) = on_line((from_x, from_y), (*x, *y));
                text.kind x=(number(at_x)) y=(number(at_y)) dy="0.35em" text-anchor="middle" { (node.letter) }
            }
            @for (place, (node, (x, y))) in nodes.iter().zip(&places).enumerate() {
                g {
                    title { (place) ": " (plain(&node.title)) }
                    (shape(node.hops, *x, *y))
                    text x=(number(*x)) y=(number(*y)) dy="0.35em" text-anchor="middle" { (place) }
                }
            }
        }
    }
}

/// A square in the middle, a circle one link away, a diamond farther off.
fn shape(hops: usize, x: f64, y: f64) -> Markup {
    match hops {
        0 => html! {
            rect x=(format!("{:.1}", x - RADIUS)) y=(format!("{:.1}", y - RADIUS))
                width=(format!("{:.0}", 2.0 * RADIUS)) height=(format!("{:.0}", 2.0 * RADIUS)) {}
        },
        1 => html! { circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(format!("{RADIUS:.0}")) {} },
        _ => {
            let far = RADIUS + 3.0;
            let corners = [(x, y - far), (x + far, y), (x, y + far), (x - far, y)];
            let points: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            html! { polygon points=(points.join(" ")) {} }
        }
    }
}

/// The place of a line's letter: nearer to the outer end, where lines are farther from each other.
fn on_line(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    const PART: f64 = 0.58;
    (from.0 + PART * (to.0 - from.0), from.1 + PART * (to.1 - from.1))
}

/// The rectangle that encloses all shapes.
fn bounds(places: &[(f64, f64)]) -> [f64; 4] {
    const MARGIN: f64 = RADIUS + 10.0;
    let least = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(f64::INFINITY, f64::min) - MARGIN;
    let most = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(f64::NEG_INFINITY, f64::max) + MARGIN;
    [least(|place| place.0), least(|place| place.1), most(|place| place.0), most(|place| place.1)]
}

/// A text without the characters that XML forbids.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) { ' ' } else { c }).collect()
}

/// The place of each entry: around the middle, in the sector of the entry from which it is reached, on a ring that has
/// room for all. The same entries always have the same places.
fn places(nodes: &[Node]) -> Vec<(f64, f64)> {
    let angles = angles(nodes);
    let farthest = nodes.iter().map(|node| node.hops).max().unwrap_or(0);
    let mut radii = vec![0.0];
    for hops in 1..=farthest {
        let mut ring: Vec<f64> =
            nodes.iter().zip(&angles).filter(|(node, _)| node.hops == hops).map(|(_, angle)| *angle).collect();
        ring.sort_by(f64::total_cmp);
        let around = ring.first().map(|first| first + TAU);
        let nearest = ring.iter().zip(ring.iter().skip(1).chain(&around)).map(|(a, b)| b - a).fold(PI, f64::min);
        radii.push((SPACE / (2.0 * (nearest / 2.0).sin())).max(radii[hops - 1] + STEP));
    }
    nodes
        .iter()
        .zip(&angles)
        .map(|(node, angle)| (radii[node.hops] * angle.cos(), radii[node.hops] * angle.sin()))
        .collect()
}

/// The angle of each entry, clockwise. A sector is as wide as the number of entries that it ends in.
fn angles(nodes: &[Node]) -> Vec<f64> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (place, node) in nodes.iter().enumerate().skip(1) {
        children[node.via].push(place);
    }
    let mut ends = vec![0_usize; nodes.len()];
    for place in (0..nodes.len()).rev() {
        ends[place] = children[place].iter().map(|child| ends[*child]).sum::<usize>().max(1);
    }
    // The first entry is at the top.
    let first = children
        .first()
        .and_then(|children| children.first())
        .map_or(0.0, |first| TAU * ends[*first] as f64 / ends[0] as f64);
    let mut angles = vec![-PI / 2.0; nodes.len()];
    let mut sectors = vec![(-PI / 2.0 - first / 2.0, TAU); nodes.len()];
    for place in 0..nodes.len() {
        let (mut begin, width) = sectors[place];
        for child in &children[place] {
            let share = width * ends[*child] as f64 / ends[place] as f64;
            angles[*child] = begin + share / 2.0;
            let own = share.min(WIDEST);
            sectors[*child] = (angles[*child] - own / 2.0, own);
            begin += share;
        }
    }
    angles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(hops: usize, via: usize) -> Node {
        Node { hops, via, letter: letter(via), title: format!("entry via {via}") }
    }

    fn nodes(vias: &[usize]) -> Vec<Node> {
        let mut nodes = vec![node(0, 0)];
        for via in vias {
            let hops = nodes[*via].hops + 1;
            nodes.push(node(hops, *via));
        }
        nodes
    }

    /// The least distance between two shapes.
    fn nearest(nodes: &[Node]) -> f64 {
        let places = places(nodes);
        let mut least = f64::INFINITY;
        for (at, a) in places.iter().enumerate() {
            for b in &places[at + 1..] {
                least = least.min((a.0 - b.0).hypot(a.1 - b.1));
            }
        }
        least
    }

    #[test]
    fn letters_go_on_behind_z() {
        assert_eq!([0, 25, 26, 51, 52].map(letter), ["a", "z", "aa", "az", "ba"]);
    }

    #[test]
    fn the_first_entry_stands_at_the_top_and_a_chain_goes_straight_up() {
        let places = places(&nodes(&[0, 1]));
        assert!(places.iter().all(|(x, _)| x.abs() < 1e-9) && places[2].1 < places[1].1 && places[1].1 < places[0].1);
    }

    #[test]
    fn a_picture_of_forty_entries_fits_a_screen() {
        for vias in [vec![0; 40], [vec![0; 20], (1..21).collect()].concat(), [vec![0], vec![1; 39]].concat()] {
            let [left, top, right, bottom] = bounds(&places(&nodes(&vias)));
            assert!(right - left < 900.0 && bottom - top < 900.0, "{} x {}", right - left, bottom - top);
        }
    }

    #[test]
    fn a_text_cannot_leave_its_place_and_no_character_breaks_xml() {
        let mut hostile = nodes(&[0]);
        hostile[1].title = "</title></svg><script>\u{1}\u{ffff} & \"'".to_owned();
        let picture = graph("map", "<b>", "a & b", &hostile).into_string();
        assert!(!picture.contains("<script") && !picture.contains("<b>") && picture.contains("a &amp; b"), "{picture}");
        assert!(!picture.contains(['\u{1}', '\u{ffff}']) && picture.matches("</svg>").count() == 1);
    }

    #[test]
    fn each_ring_has_a_shape_of_its_own() {
        let picture = graph("map", "t", "d", &nodes(&[0, 1])).into_string();
        for shape in ["<rect", "<circle", "<polygon"] {
            assert_eq!(picture.matches(shape).count(), 1, "{picture}");
        }
    }

    /// In 2,000 random trees no shape touches another, and the same entries make the same picture.
    #[test]
    fn shapes_never_touch() {
        let mut random = 1_u64;
        let mut below = |most: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % most
        };
        for _ in 0..2_000 {
            let near = 1 + below(40);
            let far = below(41 - near);
            let vias = std::iter::repeat_n(0, near).chain((0..far).map(|_| 1 + below(near))).collect::<Vec<_>>();
            let nodes = nodes(&vias);
            assert!(nearest(&nodes) > 2.0 * (RADIUS + 3.0), "{} in {vias:?}", nearest(&nodes));
            let picture = || graph("map", "t", "d", &nodes).into_string();
            assert_eq!(picture(), picture());
        }
    }
}
