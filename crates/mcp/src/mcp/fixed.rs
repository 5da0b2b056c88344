//! The arguments that the model does not choose, and their source: the configuration, or the headers of a request if
//! the configuration allows them. A header that it does not allow is refused, not ignored.

use http::HeaderMap;
use memory_search_client::database::scope::Caller;

use crate::command_line::{CallerArguments, Fixed, FixedArguments};
use crate::mcp::scope::Scope;

/// The headers, and the argument of each.
const HEADERS: [(&str, Fixed); 5] = [
    ("memory-search-memory", Fixed::Memory),
    ("memory-search-store", Fixed::Store),
    ("memory-search-user", Fixed::User),
    ("memory-search-agent", Fixed::Agent),
    ("memory-search-role", Fixed::Role),
];

/// The arguments of the configuration.
#[derive(Debug, Clone)]
pub struct Base {
    memory: Option<String>,
    store: Option<String>,
    user: Option<String>,
    agent: Option<String>,
    role: Option<String>,
    from_headers: Vec<Fixed>,
}

impl Base {
    /// Refuses a configuration that does not fix the memory, or gives an argument twice.
    pub fn of(arguments: FixedArguments, from_headers: &[Fixed]) -> Result<Self, String> {
        let FixedArguments { memory, agent, caller: CallerArguments { store, user, role, .. } } = arguments;
        let mut base = Base { memory, store, user, agent, role, from_headers: from_headers.to_vec() };
        for (header, fixed) in HEADERS {
            let twice = base.from_headers.contains(&fixed) && base.place(fixed).is_some();
            if twice {
                return Err(format!(
                    "{header} is both fixed by the configuration and left to headers: give only one of the two"
                ));
            }
            if base.place(fixed).as_deref() == Some("") {
                return Err(format!("{header} must not be empty"));
            }
        }
        if base.memory.is_none() && !base.from_headers.contains(&Fixed::Memory) {
            return Err("no memory is named; name one with --memory, or with --http let the client do it: \
                        --from-headers memory"
                .to_owned());
        }
        Ok(base)
    }

    fn place(&mut self, fixed: Fixed) -> &mut Option<String> {
        match fixed {
            Fixed::Memory => &mut self.memory,
            Fixed::Store => &mut self.store,
            Fixed::User => &mut self.user,
            Fixed::Agent => &mut self.agent,
            Fixed::Role => &mut self.role,
        }
    }

    /// The fixed arguments for a request with these headers. All arguments that are left to headers must be there,
    /// except the store: a missing user would otherwise be every user.
    pub fn with_headers(&self, headers: &HeaderMap) -> Result<Scope, String> {
        let mut said = self.clone();
        for (header, fixed) in HEADERS {
            let mut values = headers.get_all(header).iter();
            let (value, another) = (values.next(), values.next());
            let left = self.from_headers.contains(&fixed);
            match value {
                None if left && fixed != Fixed::Store => return Err(format!("the header {header} is missing")),
                None => continue,
                Some(_) if !left => {
                    return Err(format!(
                        "the header {header} is refused: --from-headers of the server does not name it"
                    ));
                }
                Some(_) if another.is_some() => return Err(format!("the header {header} is given more than once")),
                Some(value) => match std::str::from_utf8(value.as_bytes()) {
                    Ok(text) if !text.is_empty() => *said.place(fixed) = Some(text.to_owned()),
                    _ => return Err(format!("the header {header} is empty or not UTF-8")),
                },
            }
        }
        said.scope()
    }

    /// The fixed arguments without headers.
    pub fn scope(self) -> Result<Scope, String> {
        let Base { memory, store, user, agent, role, .. } = self;
        let memory = memory.ok_or_else(|| "no memory is named".to_owned())?;
        Ok(Scope { memory, agent, caller: Caller { store, user, role } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(memory: Option<&str>, user: Option<&str>) -> FixedArguments {
        let text = |value: Option<&str>| value.map(str::to_owned);
        let setting = String::new();
        let caller = CallerArguments { store: None, user: text(user), role: None, setting };
        FixedArguments { memory: text(memory), agent: None, caller }
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, http::HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn a_header_gives_an_argument_that_is_left_to_headers() {
        let base = Base::of(arguments(Some("m"), None), &[Fixed::User]).unwrap();
        let scope = base.with_headers(&headers(&[("memory-search-user", "ann")])).unwrap();
        assert_eq!((scope.memory.as_str(), scope.caller.user.as_deref()), ("m", Some("ann")));
    }

    #[test]
    fn an_argument_fixed_by_configuration_is_refused_as_a_header() {
        let base = Base::of(arguments(Some("m"), Some("ann")), &[]).unwrap();
        for (name, _) in HEADERS {
            assert!(base.with_headers(&headers(&[(name, "other")])).unwrap_err().contains(name));
        }
        assert_eq!(base.with_headers(&headers(&[])).unwrap().caller.user.as_deref(), Some("ann"));
    }

    #[test]
    fn a_missing_an_empty_or_a_repeated_header_is_nobody() {
        let base = Base::of(arguments(Some("m"), None), &[Fixed::User]).unwrap();
        let name = "memory-search-user";
        for wrong in [headers(&[]), headers(&[(name, "")]), headers(&[(name, "ann"), (name, "bo")])] {
            assert!(base.with_headers(&wrong).is_err());
        }
    }

    #[test]
    fn a_configuration_without_a_memory_or_with_two_is_refused() {
        assert!(Base::of(arguments(None, None), &[]).is_err());
        assert!(Base::of(arguments(Some("m"), None), &[Fixed::Memory]).is_err());
        assert!(Base::of(arguments(Some(""), None), &[]).is_err());
        assert!(Base::of(arguments(None, None), &[Fixed::Memory]).is_ok());
    }
}
