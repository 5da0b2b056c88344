//! SQL text from templates.

/// A statement from a template, in one line: the template's indentation and comments are for its readers. A comment has
/// lines of its own, and no literal has a line break, which `tests/layers` checks.
pub fn filled(template: &str, marks: &[(&str, &str)]) -> String {
    let mut in_one_line = String::with_capacity(template.len());
    for line in template.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--")) {
        if !in_one_line.is_empty() && !in_one_line.ends_with('(') {
            in_one_line.push(' ');
        }
        in_one_line.push_str(line);
    }
    filled_as_written(&in_one_line, marks)
}

/// The template with its marks replaced, each mark once: inserted text is not searched for marks again, so that a store
/// may be called `{fits_index}`. With the lines of the template: for definitions, which people read in the catalog.
pub fn filled_as_written(template: &str, marks: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        match marks.iter().find(|(mark, _)| rest.starts_with(mark)) {
            Some((mark, value)) => {
                filled.push_str(value);
                rest = &rest[mark.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}
