//! What a request must bring: a token, or the user that a trusted proxy names.

use std::hint::black_box;
use std::net::{Ipv4Addr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::{HeaderMap, HeaderName, StatusCode};

use crate::refused::Refused;

/// What a request must bring.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// A token, as `Authorization: Bearer TOKEN`.
    pub token: Option<Vec<u8>>,
    /// The header in which a trusted proxy names the user.
    pub user_header: Option<HeaderName>,
}

/// Why an address is not listened on as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessError {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// An address to listen on, and its port: `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
///
/// # Errors
/// If it is none.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let of_this_machine = |port: &str| Some(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port.parse().ok()?));
    let named = text.strip_prefix("localhost:").and_then(of_this_machine);
    named.map_or_else(|| text.parse(), Ok).map_err(|_| {
        "give an address and a port: 127.0.0.1:8080 for this machine alone, 0.0.0.0:8080 for all of its addresses".to_owned()
    })
}

/// A shorter token can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// The token in the text of a file: its first line.
///
/// # Errors
/// If it is too short, or has characters that a header cannot have.
pub fn read_token(file: &str, text: &str) -> Result<Vec<u8>, AccessError> {
    let token = text.lines().next().unwrap_or_default().trim();
    let wrong = |what: &str| AccessError {
        what: format!("{file}: {what}"),
        hint: "make one with: head -c 24 /dev/urandom | base64 > FILE; chmod 600 FILE".to_owned(),
    };
    if token.len() < SHORTEST_TOKEN {
        return Err(wrong("its first line is to be a token of at least 16 characters"));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(wrong("the token has characters other than letters, digits and signs"));
    }
    Ok(token.as_bytes().to_vec())
}

impl Access {
    /// Refuses to listen where other machines can ask, unless requests must bring something.
    ///
    /// # Errors
    /// If the address is not of this machine alone, and there is neither a token nor a trusted proxy.
    pub fn check(&self, address: &SocketAddr) -> Result<(), AccessError> {
        if address.ip().is_loopback() || self.token.is_some() || self.user_header.is_some() {
            return Ok(());
        }
        Err(AccessError {
            what: format!("{address}: other machines could ask without a token"),
            hint: "give --token-file FILE, or --proxy-user-header NAME behind a proxy that sets it; or listen on 127.0.0.1".to_owned(),
        })
    }

    /// Refuses a request that brings neither the token nor, where a proxy names users, a user; and without either, one that a page of another host
    /// makes a browser send to this machine.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> Result<(), Refused> {
        if self.user_header.is_some() && self.user(headers).is_some() {
            return Ok(());
        }
        match (&self.token, &self.user_header) {
            (Some(token), _) => self.admit_by_token(token, headers),
            (None, Some(name)) => Err(Refused::unknown_asker(
                format!("the header {name} names no user"),
                "ask by way of the proxy that signs users in and sets it",
                NO_TOKEN,
            )),
            (None, None) => is_of_this_machine(headers),
        }
    }

    fn admit_by_token(&self, token: &[u8], headers: &HeaderMap) -> Result<(), Refused> {
        const SEND: &str = "send it as Authorization: Bearer TOKEN";
        let refused = |what: &str, hint: &str, challenge| {
            let proxied = self.user_header.as_ref().map_or("", |_| "; or ask by way of the proxy");
            Refused::unknown_asker(what, format!("{hint}{proxied}"), challenge)
        };
        let Some(given) = headers.get(AUTHORIZATION).map(|value| value.as_bytes().trim_ascii()) else {
            return Err(refused("this service asks for a token", SEND, "Bearer"));
        };
        let end = given.iter().position(|byte| *byte == b' ').unwrap_or(given.len());
        let (scheme, given) = given.split_at(end);
        if !scheme.eq_ignore_ascii_case(b"Bearer") {
            return Err(refused("this service asks for a token, and Authorization has none", SEND, "Bearer"));
        }
        if is_equal(given.trim_ascii(), token) {
            return Ok(());
        }
        let hint = "ask the administrator for it; it may have been changed";
        Err(refused("the token is not the one of this service", hint, WRONG_TOKEN))
    }

    /// The user that a trusted proxy names.
    pub(crate) fn user(&self, headers: &HeaderMap) -> Option<String> {
        let named = std::str::from_utf8(headers.get(self.user_header.as_ref()?)?.as_bytes()).ok()?.trim();
        (!named.is_empty()).then(|| named.to_owned())
    }
}

/// What a refusal asks for by `WWW-Authenticate`: another token (RFC 6750), and a user of the proxy.
const WRONG_TOKEN: &str = "Bearer error=\"invalid_token\"";
const NO_TOKEN: &str = "Proxy";

/// A service without a token answers for names of this machine only, so that no name that an attacker lets point here is asked.
fn is_of_this_machine(headers: &HeaderMap) -> Result<(), Refused> {
    let Some(host) = headers.get(HOST) else { return Ok(()) };
    let host = host.to_str().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_loopback || name.eq_ignore_ascii_case("localhost") {
        return Ok(());
    }
    Err(Refused::new(
        StatusCode::MISDIRECTED_REQUEST,
        format!("{host}: without a token this service answers for localhost only"),
        "ask for localhost; a proxy sends Host: localhost, or the service is given --proxy-user-header",
    ))
}

/// Whether two texts are equal, in a time that does not tell where they differ.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut different = one.len() ^ other.len();
    for (place, expected) in other.iter().enumerate() {
        let byte = one.get(place).copied().unwrap_or(0);
        different |= usize::from(black_box(byte ^ expected));
    }
    black_box(different) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_need_a_token_or_a_proxy() {
        let (here, anywhere) = ("127.0.0.1:80".parse().unwrap(), "0.0.0.0:80".parse().unwrap());
        let open = Access::default();
        assert!(open.check(&here).is_ok() && open.check(&"[::1]:80".parse().unwrap()).is_ok());
        assert!(open.check(&anywhere).unwrap_err().hint.contains("--token-file"));
        let by_token = Access { token: Some(b"0123456789abcdef".to_vec()), user_header: None };
        assert!(by_token.check(&anywhere).is_ok());
        assert!(read_token("f", "short\n").is_err() && read_token("f", "0123456789abcde\u{e4}").is_err());
        assert_eq!(read_token("f", " 0123456789abcdef \nx").unwrap(), b"0123456789abcdef");
    }

    #[test]
    fn an_address_has_a_port() {
        for (text, expected) in
            [("127.0.0.1:8080", "127.0.0.1:8080"), ("localhost:81", "127.0.0.1:81"), ("[::]:0", "[::]:0")]
        {
            assert_eq!(listen_address(text).unwrap().to_string(), expected);
        }
        for text in ["8080", ":8080", "localhost", "localhost:", "127.0.0.1", "hpc1:8080", "::1:80", ""] {
            assert!(
                listen_address(text).unwrap_err().contains("127.0.0.1:8080 for this machine alone"),
                "{text}"
            );
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        let access = Access { token: Some(b"0123456789abcdef".to_vec()), user_header: None };
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            access.admit(&headers)
        };
        assert!(with("Bearer 0123456789abcdef").is_ok());
        for wrong in
            ["Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Basic x", ""]
        {
            assert_eq!(with(wrong).unwrap_err().status, StatusCode::UNAUTHORIZED, "{wrong}");
        }
        // The word before it is read as HTTP has it; a token that is missing is told apart from a wrong one.
        assert!(with("bearer  0123456789abcdef").is_ok() && with("BEARER 0123456789abcdef").is_ok());
        let said = |headers: &HeaderMap| access.admit(headers).unwrap_err().json();
        assert!(said(&HeaderMap::new()).contains("asks for a token"));
        assert!(with("Basic x").unwrap_err().json().contains("Authorization has none"));
        assert!(with("Bearer no").unwrap_err().json().contains("not the one of this service"));
    }

    #[test]
    fn behind_a_proxy_a_request_has_a_user_or_the_token() {
        let named = Some("x-remote-user".parse().unwrap());
        let by_proxy = Access { token: None, user_header: named };
        let with_token = Access { token: Some(b"0123456789abcdef".to_vec()), ..by_proxy.clone() };
        let headers = |pairs: &[(&str, &str)]| -> HeaderMap {
            let pair =
                |(name, value): &(&str, &str)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
            pairs.iter().map(pair).collect()
        };
        let (user, token) = (("x-remote-user", "ada"), ("authorization", "Bearer 0123456789abcdef"));
        let wrong = ("authorization", "Bearer 0123456789abcdeX");
        for (pairs, proxy_alone, both) in [
            (&[user][..], true, true),
            (&[token], false, true),
            (&[user, token], true, true),
            (&[], false, false),
            (&[("x-remote-user", " ")], false, false),
            (&[wrong], false, false),
            (&[("host", "localhost")], false, false),
        ] {
            let given = headers(pairs);
            assert_eq!(by_proxy.admit(&given).is_ok(), proxy_alone, "{pairs:?}");
            assert_eq!(with_token.admit(&given).is_ok(), both, "{pairs:?}");
        }
        let refused = by_proxy.admit(&headers(&[token])).unwrap_err();
        assert_eq!((refused.status, refused.challenge), (StatusCode::UNAUTHORIZED, NO_TOKEN));
        assert!(refused.json().contains("x-remote-user names no user"), "{}", refused.json());
    }

    #[test]
    fn names_of_other_machines_are_not_answered_without_a_token() {
        let with = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            Access::default().admit(&headers).is_ok()
        };
        assert!(["localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080"].into_iter().all(with));
        assert!(!["evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""].into_iter().any(with));
    }
}
