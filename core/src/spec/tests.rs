//! Unit tests of the grammar. `lib/tests/suite/specs.rs` tests every spec of the library.

use std::fmt;

use super::*;
use crate::units::Seconds;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Pace {
    Slow,
    Fast,
}

choices! { Pace, "pace":
    Slow = "slow", "not fast";
    Fast = "fast", "not slow";
}

/// A made-up spec with every kind of key.
#[derive(Debug, Clone, PartialEq)]
struct Walk {
    length: Seconds,
    pace: Pace,
    rest: bool,
    weight: f64,
    numbers: Vec<u32>,
}

impl Spec for Walk {
    const KIND: &'static str = "walk";

    fn forms() -> Vec<Form> {
        const KEYS: &[SettingKey] = &[
            SettingKey::spec("pace", Pace::forms).alone(Alone::If(|text| Pace::parse(text).is_ok())),
            SettingKey::new("length", "SECONDS").placed(),
            SettingKey::flag("rest"),
            SettingKey::new("weight", "F"),
        ];
        const FORMS: &[Form] = &[
            Form::new("stay", "no walk"),
            Form::new("go", "a walk").with(":LENGTH[,SETTINGS]", KEYS, "go:60"),
            Form::new("hop", "colons separate too")
                .with(":LENGTH[:SETTINGS]", KEYS, "hop:60")
                .also(Also::Colons),
            Form::new("run", "plus signs separate")
                .with("[+SETTINGS]", KEYS, "run+length=60")
                .also(Also::Pluses),
            Form::new("count", "numbers").with(
                ":N,…",
                &[SettingKey::new("number", "N").alone(Alone::All)],
                "count:1,2",
            ),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Walk, SpecError> {
        let mut walk =
            Walk { length: Seconds(0), pace: Pace::Slow, rest: false, weight: 1.0, numbers: Vec::new() };
        if ["go", "hop"].contains(&settings.name()) {
            settings.required("length")?;
        }
        settings.set("length", &mut walk.length, |value| value.seconds(1000))?;
        settings.set("pace", &mut walk.pace, |value| value.spec())?;
        settings.set("rest", &mut walk.rest, |value| value.flag())?;
        settings.set("weight", &mut walk.weight, |value| value.number(0.0..=2.0))?;
        let numbers: Result<Vec<u32>, SpecError> =
            settings.values("number").map(|value| value.whole(0..=9)).collect();
        walk.numbers = numbers?;
        Ok(walk)
    }
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Written::new("go")
            .value(self.length)
            .setting("pace", self.pace, Pace::Slow)
            .setting("rest", YesNo(self.rest), YesNo(false))
            .setting("weight", self.weight, 1.0)
            .fmt(f)
    }
}

fn read(text: &str) -> String {
    Walk::parse(text).map_or_else(|error| error.why, |walk| walk.to_string())
}

#[test]
fn keys_may_be_left_out_and_come_in_any_order() {
    for text in
        ["go:60,fast,rest", "go: fast , 60,rest=yes", "go:length=60,pace=fast,rest", "hop:60:fast:rest"]
    {
        assert_eq!(read(text), "go:60,pace=fast,rest=yes", "{text}");
    }
    assert_eq!(read("go:60,pace=slow,rest=no,weight=1"), "go:60");
    assert_eq!(read("run+weight=0.5+length=7"), "go:7,weight=0.5");
    assert_eq!(read("run:weight=0.5,length=7"), "go:7,weight=0.5");
    assert_eq!(Walk::parse("count:1,2,9").unwrap().numbers, [1, 2, 9]);
    assert_eq!(read("go:60,length=70"), "go:70", "the last counts");
}

#[test]
fn errors_name_what_is_possible() {
    for (text, why) in [
        ("wlak", "no such walk; known are stay, go:LENGTH[,SETTINGS], hop"),
        ("", "no such walk"),
        ("stay:1", "stay has no settings"),
        ("go", "give LENGTH[,SETTINGS], as in go:60"),
        ("go:1,2", "\"2\" is no setting; known are pace=slow|fast, length=SECONDS, rest=yes|no, weight=F"),
        ("go:1,speed=2", "\"speed=2\" is no setting; known are pace=slow|fast"),
        ("go:", ": give a whole number of seconds from 1 to 1000"),
        ("go:0", "0: give a whole number of seconds from 1 to 1000"),
        ("go:length=1001", "length=1001: give a whole number of seconds from 1 to 1000"),
        ("go:1,pace=medium", "pace=medium: no such pace; known are slow, fast"),
        ("go:1,rest=maybe", "rest=maybe: say yes or no"),
        ("go:1,weight=NaN", "weight=NaN: give a number from 0 to 2"),
        ("go,1", "settings follow a colon, as in go:60"),
        ("count:10", "10: give a whole number from 0 to 9"),
    ] {
        assert!(read(text).starts_with(why), "{text}: {}", read(text));
    }
    let error = Walk::parse("wlak").unwrap_err();
    assert_eq!(error.known, known::<Walk>());
    assert!(error.to_string().starts_with("walk \"wlak\": no such walk"));
}

#[test]
fn enumerations_have_their_names_and_meanings_in_one_table() {
    assert_eq!(Pace::ALL.map(|pace| pace.to_string()), ["slow", "fast"]);
    assert_eq!("fast".parse(), Ok(Pace::Fast));
    let meanings: Vec<&str> = Pace::forms().iter().map(|form| form.meaning).collect();
    assert_eq!(meanings, ["not fast", "not slow"]);
}
