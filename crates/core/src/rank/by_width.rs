//! Loops over the lexemes of a query, which are few: compiled for each usual number of lexemes, they are unrolled and
//! vectorised.

/// Calls a function whose first constant is the number of lexemes if that is a usual one, else 0.
macro_rules! with_width {
    ($lexemes:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $lexemes {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            6 => $function::<6>($($argument),*),
            7 => $function::<7>($($argument),*),
            8 => $function::<8>($($argument),*),
            _ => $function::<0>($($argument),*),
        }
    };
}

pub(super) use with_width;
