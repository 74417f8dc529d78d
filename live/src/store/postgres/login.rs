//! Proving a password to a server without telling it: SCRAM-SHA-256 (RFC 5802, RFC 7677).

use hmac_sha256::{HMAC, Hash};

/// The mechanism, by its name.
pub(super) const MECHANISM: &str = "SCRAM-SHA-256";

/// More rounds than this are not done: a server that asks for them keeps the client busy for minutes.
const MOST_ROUNDS: u32 = 10_000_000;

/// An exchange with a server.
pub(super) struct Exchange {
    password: String,
    /// The client's first message without its head.
    first: String,
    nonce: String,
    /// What the server has to sign with, once that is known.
    expected: Option<[u8; 32]>,
}

impl Exchange {
    /// Begins with a random nonce.
    pub(super) fn with(password: String, random: [u8; 18]) -> Exchange {
        let nonce = base64(&random);
        Exchange { password, first: format!("n=,r={nonce}"), nonce, expected: None }
    }

    /// The client's first message.
    pub(super) fn begin(&self) -> String {
        format!("n,,{}", self.first)
    }

    /// The client's answer to the server's first message.
    pub(super) fn answer(&mut self, server: &str) -> Result<String, String> {
        let attribute = |name: &str| {
            let found = server.split(',').find_map(|part| part.strip_prefix(name));
            found.ok_or_else(|| format!("its login lacks {name}"))
        };
        let (nonce, salt, rounds) = (attribute("r=")?, attribute("s=")?, attribute("i=")?);
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err("its login does not go on with the client's nonce".to_owned());
        }
        let salt = of_base64(salt).ok_or("its login has a salt that is no base64")?;
        let rounds: u32 = rounds
            .parse()
            .ok()
            .filter(|&rounds| rounds > 0 && rounds <= MOST_ROUNDS)
            .ok_or("its login asks for a number of rounds that is none")?;
        let salted = salted(self.password.as_bytes(), &salt, rounds);
        let client = HMAC::mac(b"Client Key", salted);
        let proof_less = format!("c=biws,r={nonce}");
        let signed = format!("{},{server},{proof_less}", self.first);
        let signature = HMAC::mac(signed.as_bytes(), Hash::hash(&client));
        let proof: Vec<u8> = client.iter().zip(signature).map(|(key, sign)| key ^ sign).collect();
        self.expected = Some(HMAC::mac(signed.as_bytes(), HMAC::mac(b"Server Key", salted)));
        Ok(format!("{proof_less},p={}", base64(&proof)))
    }

    /// Whether the server's last message shows that it knows the password too.
    pub(super) fn is_signed(&self, server: &str) -> bool {
        let signature = server.split(',').find_map(|part| part.strip_prefix("v=")).and_then(of_base64);
        signature.is_some_and(|signature| self.expected.is_some_and(|expected| signature == expected))
    }
}

/// PBKDF2 with one block of HMAC-SHA-256.
fn salted(password: &[u8], salt: &[u8], rounds: u32) -> [u8; 32] {
    let mut last = HMAC::mac([salt, &[0, 0, 0, 1]].concat(), password);
    let mut all = last;
    for _ in 1..rounds {
        last = HMAC::mac(last, password);
        all.iter_mut().zip(last).for_each(|(all, last)| *all ^= last);
    }
    all
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

fn of_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in digits.bytes() {
        let value = LETTERS.iter().position(|letter| *letter == digit)?;
        bits = (bits << 6 | value as u32) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677, section 3, whose user is named in the message.
    #[test]
    fn the_exchange_of_the_standard_comes_out() {
        let mut exchange = Exchange::with("pencil".to_owned(), [0; 18]);
        exchange.nonce = "rOprNGfwEbeRWgbNEkqO".to_owned();
        exchange.first = format!("n=user,r={}", exchange.nonce);
        let server = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let expected = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
        assert_eq!(exchange.answer(server).unwrap(), expected);
        assert!(exchange.is_signed("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
        assert!(!exchange.is_signed("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
        assert!(!exchange.is_signed("e=other-error"));
    }

    #[test]
    fn a_server_that_does_not_follow_the_standard_is_refused() {
        let mut exchange = Exchange::with("pencil".to_owned(), [7; 18]);
        let nonce = exchange.nonce.clone();
        for server in [
            "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".to_owned(),
            format!("r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"),
            format!("r={nonce}x,s=W22*aJ0SNY7soEsUEjb6gQ==,i=4096"),
            format!("r={nonce}x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0"),
            format!("r={nonce}x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4294967295"),
            "garbage".to_owned(),
        ] {
            assert!(exchange.answer(&server).is_err(), "{server}");
        }
        assert!(!exchange.is_signed("v="), "no answer, no signature");
    }

    #[test]
    fn base64_goes_there_and_back() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xff\xfe\xfd\xfc", "//79/A=="),
        ] {
            assert_eq!((base64(bytes).as_str(), of_base64(text).as_deref()), (text, Some(bytes)));
        }
        assert_eq!((of_base64("a"), of_base64("====")), (None, None));
    }
}
