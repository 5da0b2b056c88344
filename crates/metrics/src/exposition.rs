//! The text format of Prometheus: families of samples, each with its help and its type.

use std::fmt::Write;

/// The type of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A value that goes up and down.
    Gauge,
    /// A value that only grows, until the counting process restarts.
    Counter,
}

/// The one label of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// A store.
    Store,
    /// A function of the extension.
    Function,
}

/// A family: its name, and its meaning.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Its meaning, in one line.
    pub help: &'static str,
}

/// An exposition that is being written.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Writes a family with one value.
    pub fn value(&mut self, family: &Family, value: f64) {
        self.head(family);
        let _ = writeln!(self.0, "{} {value}", family.name);
    }

    /// Writes a family with a value for each store or function; nothing if there is none.
    pub fn values<'a>(&mut self, family: &Family, label: Label, values: impl IntoIterator<Item = (&'a str, f64)>) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_none() {
            return;
        }
        self.head(family);
        let label = match label {
            Label::Store => "store",
            Label::Function => "function",
        };
        for (of, value) in values {
            let _ = writeln!(self.0, "{}{{{label}=\"{}\"}} {value}", family.name, escaped(of));
        }
    }

    /// Writes a line for people.
    pub fn comment(&mut self, text: &str) {
        let _ = writeln!(self.0, "# {}", text.replace(['\n', '\r'], " "));
    }

    /// The text.
    pub fn text(self) -> String {
        self.0
    }

    fn head(&mut self, family: &Family) {
        let kind = match family.kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
        };
        let _ = writeln!(self.0, "# HELP {} {}\n# TYPE {} {kind}", family.name, family.help, family.name);
    }
}

/// A label's value in the syntax of the format.
fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: Family = Family { name: "a_total", kind: Kind::Counter, help: "What it is." };

    #[test]
    fn a_value_of_a_label_cannot_end_it() {
        let mut exposition = Exposition::default();
        exposition.values(&FAMILY, Label::Store, [("a\"} 1\n\\x", 2.0)]);
        let wanted = "# HELP a_total What it is.\n# TYPE a_total counter\na_total{store=\"a\\\"} 1\\n\\\\x\"} 2\n";
        assert_eq!(exposition.text(), wanted);
    }

    #[test]
    fn a_family_without_samples_is_not_there() {
        let mut exposition = Exposition::default();
        exposition.values(&FAMILY, Label::Store, []);
        assert_eq!(exposition.text(), "");
    }
}
