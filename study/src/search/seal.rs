//! The seal of a checkpoint's text: a digest of all that stands before it, so that an altered text is not taken for a search.

/// How the seal begins; its digits and [`END`] follow.
const BEGIN: &str = ",\n  \"seal\": \"";
/// What follows the digits.
const END: &str = "\"\n}\n";
/// Digits of a seal.
const DIGITS: usize = 32;

/// The text of a JSON object with a seal as its last field.
pub fn sealed(text: &str) -> String {
    let text = text.trim_end();
    let content = text.strip_suffix('}').unwrap_or(text).trim_end();
    format!("{content}{BEGIN}{:032x}{END}", digest(content.as_bytes()))
}

/// Whether a text ends with the seal of what stands before it.
pub fn is_sealed(text: &str) -> bool {
    let Some(at) = text.len().checked_sub(BEGIN.len() + DIGITS + END.len()) else { return false };
    // Where the seal would begin there may be half a character.
    let Some(content) = text.get(..at) else { return false };
    text == sealed(&format!("{content}\n}}"))
}

/// FNV-1a with 128 bits (Fowler, Noll & Vo 1991). Texts of the same length that differ in one byte never have the same.
fn digest(bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    bytes.iter().fold(START, |digest, &byte| (digest ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_literature() {
        // Test vectors of draft-eastlake-fnv.
        assert_eq!(digest(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(digest(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(digest(b"foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn a_sealed_text_is_still_json_and_every_alteration_shows() {
        let text = sealed("{\n  \"a\": 1,\n  \"b\": \"é\"\n}\n");
        assert!(is_sealed(&text), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["a"], read["seal"].as_str().map(str::len)), (&1.into(), Some(DIGITS)));
        for at in 0..text.len() {
            for other in [1, 2, 32, 128] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= other;
                let altered = String::from_utf8_lossy(&bytes);
                assert!(!is_sealed(&altered), "byte {at}: {altered}");
            }
        }
        for short in ["", "{}", "}", &text[1..], &text[..text.len() - 1]] {
            assert!(!is_sealed(short), "{short}");
        }
    }
}
