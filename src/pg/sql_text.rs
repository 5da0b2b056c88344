//! SQL text from templates.

/// The template with its marks replaced, each mark once: inserted text is not searched for marks again, so that a store
/// may be called `{fits_index}`.
pub fn filled(template: &str, marks: &[(&str, &str)]) -> String {
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
