//! Values as Slurm writes them in its files and prints them.

use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{Allowed, MemoryAmount, Tres, TresWeights};
use queuecast_trace::sacct::seconds;

/// Whether a value says that there is none.
pub(super) fn is_null(text: &str) -> bool {
    let words = ["", "(null)", "n/a", "none", "(null type)", "null"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The words for no limit.
fn is_unlimited(text: &str) -> bool {
    ["UNLIMITED", "INFINITE", "-1"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

pub(super) fn yes_no(text: &str) -> Option<bool> {
    match text.to_ascii_uppercase().as_str() {
        "YES" | "TRUE" | "UP" | "1" => Some(true),
        "NO" | "FALSE" | "DOWN" | "0" => Some(false),
        _ => None,
    }
}

/// A whole number, with K, M, G, T or P for powers of 1024.
pub(super) fn count(text: &str) -> Option<u64> {
    let last = text.chars().last()?;
    let power = match last.to_ascii_uppercase() {
        'K' => 1,
        'M' => 2,
        'G' => 3,
        'T' => 4,
        'P' => 5,
        _ => return digits(text),
    };
    scaled(&text[..text.len() - 1], 1024_f64.powi(power))
}

pub(super) fn count32(text: &str) -> Option<u32> {
    count(text).and_then(|count| u32::try_from(count).ok())
}

/// Digits and nothing else.
pub(super) fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn scaled(number: &str, unit: f64) -> Option<u64> {
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let value = (number.parse::<f64>().ok()? * unit).ceil();
    (value < 9e18).then_some(value as u64)
}

/// A number; `Some(None)` if the value means unlimited.
pub(super) fn limit(text: &str) -> Option<Option<u32>> {
    if is_unlimited(text) || is_null(text) {
        return Some(None);
    }
    // Slurm prints 4294967295 (INFINITE) and 4294967294 (NO_VAL) for a limit that is not set.
    count32(text).map(|count| Some(count).filter(|&count| count < u32::MAX - 1))
}

/// An amount of memory in MB; a bare number is MB.
pub(super) fn memory(text: &str) -> Option<u64> {
    let text = text.strip_suffix(['B', 'b']).filter(|rest| !rest.is_empty()).unwrap_or(text);
    let last = text.chars().last()?;
    let unit = match last.to_ascii_uppercase() {
        'K' => 1.0 / 1024.0,
        'M' => 1.0,
        'G' => 1024.0,
        'T' => 1024.0 * 1024.0,
        'P' => 1024.0 * 1024.0 * 1024.0,
        _ => return digits(text),
    };
    scaled(&text[..text.len() - 1], unit)
}

/// Memory per processor or node; `Some(None)` if a word or zero means unlimited.
pub(super) fn memory_limit(text: &str, amount: fn(u64) -> MemoryAmount) -> Option<Option<MemoryAmount>> {
    if is_unlimited(text) || is_null(text) {
        return Some(None);
    }
    memory(text).map(|mb| Some(mb).filter(|&mb| mb > 0).map(amount))
}

/// The unit of a length of time given without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BareNumber {
    Seconds,
    Minutes,
}

/// A length of time: a number, with or without its unit, or a clock.
pub(super) fn length(text: &str, bare: BareNumber) -> Option<Seconds> {
    let text = text.trim();
    let (number, unit) = match text.split_once(' ') {
        Some((number, "sec" | "secs" | "seconds")) => (number, 1),
        Some((number, "min" | "mins" | "minutes")) => (number, 60),
        Some((number, "hour" | "hours")) => (number, 3_600),
        _ => (text, if bare == BareNumber::Minutes { 60 } else { 1 }),
    };
    if let Some(number) = digits(number) {
        return i64::try_from(number).ok()?.checked_mul(unit).map(Seconds);
    }
    // "2 days 00:00:00" is how other programs write lengths.
    if text.contains(' ') {
        return None;
    }
    seconds(text.as_bytes()).map(Seconds)
}

/// A length of time in seconds; `Some(None)` if a word means unlimited.
pub(super) fn length_limit(text: &str, bare: BareNumber) -> Option<Option<Seconds>> {
    if is_unlimited(text.trim_end_matches(" min").trim_end_matches(" sec")) || is_null(text) {
        return Some(None);
    }
    length(text, bare).map(Some)
}

/// The parts between commas, without empty ones.
pub(super) fn list(text: &str) -> Vec<String> {
    if is_null(text) {
        return Vec::new();
    }
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The names that are allowed, where `ALL` or nothing is all; names after a minus are refused.
pub(super) fn allowed(text: &str) -> Allowed {
    let names = list(text);
    if names.is_empty() || names.iter().any(|name| name.eq_ignore_ascii_case("ALL")) {
        return Allowed::All;
    }
    if names.iter().all(|name| name.starts_with('-')) {
        return Allowed::Except(names.iter().map(|name| name[1..].to_owned()).collect());
    }
    Allowed::Only(names)
}

/// Amounts of resources: `cpu=80,mem=100G,gres/gpu=2`. What is −1 is not limited and left out.
pub(super) fn tres(text: &str) -> Option<Tres> {
    let mut amounts = Tres::default();
    each_amount(text, |name, amount| _ = amounts.0.insert(name.to_ascii_lowercase(), amount))?;
    Some(amounts)
}

/// Amounts of these resources, named in lower case, out of a text such as [`tres`] reads.
pub(super) fn amounts_of<const N: usize>(text: &str, names: [&str; N]) -> Option<[Option<u64>; N]> {
    let mut amounts = [None; N];
    each_amount(text, |name, amount| {
        if let Some(place) = names.iter().position(|one| name.eq_ignore_ascii_case(one)) {
            amounts[place] = Some(amount);
        }
    })?;
    Some(amounts)
}

/// Visits amounts of resources with their names; `None` if a part is none.
fn each_amount(text: &str, mut visit: impl FnMut(&str, u64)) -> Option<()> {
    if is_null(text) {
        return Some(());
    }
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, amount) = part.split_once('=')?;
        let (name, amount) = (name.trim(), amount.trim());
        if name.is_empty() {
            return None;
        }
        if is_unlimited(amount) {
            continue;
        }
        let amount = if name.eq_ignore_ascii_case("mem") { memory(amount)? } else { count(amount)? };
        visit(name, amount);
    }
    Some(())
}

/// Weights of resources: `CPU=1.0,Mem=0.25G,GRES/gpu=2.0`. A unit says what the weight is for; that of memory is MB.
pub(super) fn weights(text: &str) -> Option<TresWeights> {
    let mut weights = TresWeights::default();
    for part in list(text) {
        let (name, weight) = part.split_once('=')?;
        let (name, weight) = (name.trim().to_ascii_lowercase(), weight.trim());
        let power = match weight.chars().last()?.to_ascii_uppercase() {
            'K' => Some(1),
            'M' => Some(2),
            'G' => Some(3),
            'T' => Some(4),
            'P' => Some(5),
            _ => None,
        };
        let number = power.map_or(weight, |_| &weight[..weight.len() - 1]);
        let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
        let power = match power {
            Some(power) if name == "mem" => power - 2,
            Some(power) => power,
            None => 0,
        };
        if name.is_empty() {
            return None;
        }
        weights.0.insert(name, number / 1024_f64.powi(power));
    }
    Some(weights)
}

/// The words of a shell-like text: blanks separate, quotes keep together, a backslash takes the next letter as it is. `None`
/// if a quote does not end.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().push(letters.next()?),
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_memory_have_units() {
        assert_eq!(
            (count("12"), count("1K"), count("1.5K"), count("2M")),
            (Some(12), Some(1024), Some(1536), Some(2 << 20))
        );
        assert_eq!(
            (memory("500000"), memory("62.50G"), memory("437.50G"), memory("352000M")),
            (Some(500_000), Some(64_000), Some(448_000), Some(352_000))
        );
        assert_eq!((memory("1K"), memory("2GB"), memory("1T")), (Some(1), Some(2048), Some(1 << 20)));
        for odd in ["", "K", "-1", "1.2", "é", "1é", "1e5", "99999999999999999999", "9999999999999999999P"]
        {
            assert_eq!((count(odd), memory(odd)), (None, None), "{odd}");
        }
    }

    #[test]
    fn lengths_have_units_of_their_own() {
        use BareNumber::{Minutes, Seconds as Bare};
        assert_eq!(length("30 sec", Minutes), Some(Seconds(30)));
        assert_eq!(length("5", Minutes), Some(Seconds(300)));
        assert_eq!(length("5", Bare), Some(Seconds(5)));
        assert_eq!(
            (length("00:30:00", Minutes), length("0-4", Minutes)),
            (Some(Seconds(1800)), Some(Seconds(14_400)))
        );
        assert_eq!(
            (length_limit("UNLIMITED", Minutes), length_limit("0 min", Minutes)),
            (Some(None), Some(Some(Seconds(0))))
        );
        for odd in ["", "x", "5 weeks", "-5", "9999999999999999999"] {
            assert_eq!(length(odd, Minutes), None, "{odd}");
        }
    }

    #[test]
    fn amounts_and_weights_of_resources() {
        let amounts = tres("cpu=80,mem=2G,gres/gpu:a100=4,node=-1").unwrap();
        assert_eq!((amounts.cpu(), amounts.mem(), amounts.node()), (Some(80), Some(2048), None));
        assert_eq!(amounts.amount("gres/gpu:a100"), Some(4));
        let weights = weights("CPU=1.0,Mem=0.25G,GRES/gpu=2.0").unwrap();
        assert_eq!((weights.weight("cpu"), weights.weight("gres/gpu")), (1.0, 2.0));
        assert_eq!(weights.weight("mem") * 4096.0, 1.0);
        assert_eq!(
            (tres("cpu"), tres("=4"), tres("cpu=x"), super::weights("cpu=nan")),
            (None, None, None, None)
        );
    }

    #[test]
    fn amounts_by_name_are_those_of_all() {
        for text in [
            "cpu=80,mem=2G,node=-1,energy=9",
            "CPU=1,cpu=2",
            "",
            "n/a",
            "cpu",
            "=4",
            "cpu=x,mem=1",
            " ,mem=5 ",
        ] {
            let all = tres(text);
            let of = |name: &str| all.as_ref().and_then(|all| all.amount(name));
            let found = amounts_of(text, ["cpu", "mem", "node"]);
            assert_eq!(found.is_some(), all.is_some(), "{text}");
            assert_eq!(found.unwrap_or_default(), ["cpu", "mem", "node"].map(of), "{text}");
        }
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        assert_eq!(
            words(r#"-J "a b" --wrap='x "y"' c\ d"#).unwrap(),
            ["-J", "a b", r#"--wrap=x "y""#, "c d"]
        );
        assert_eq!(words(" \"\" ").unwrap(), [""]);
        assert_eq!((words("a 'b"), words("a\\")), (None, None));
    }
}
