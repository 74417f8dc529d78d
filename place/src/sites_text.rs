//! The text of a file of sites: its keys read one by one, and errors that say where in it something is wrong.

use std::ops::Range;

use queuecast_core::asking::Refusal;
use queuecast_core::spec::Spec;
use queuecast_core::units::Procs;
use toml::{Spanned, Value};

pub type Given = Option<Spanned<Value>>;

/// What can be written, for errors.
pub const KEYS: &str = "of the whole grid, above the first [[site]]: align, days, same_people, limit; of each [[site]]: name, trace, live = true with partition, or slurm, \
                    procs, policy, predictor, speed, clean; of each [[site.queue]]: name, max_procs, max_time";

pub const EXAMPLE: &str =
    "a site is written as [[site]] in a line, and below it name = \"ctc\" and trace = \"CTC.swf.gz\"";

/// The text of a file, to say where in it something is wrong.
pub struct SitesText<'a> {
    /// What to call the file.
    pub name: &'a str,
    /// What is in it.
    pub text: &'a str,
}

impl SitesText<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        1 + self.text.bytes().take(span.start).filter(|&byte| byte == b'\n').count()
    }

    pub fn place(&self, span: &Range<usize>, site: Option<&str>) -> String {
        let site = site.map_or_else(String::new, |site| format!(", {site}"));
        format!("{}, line {}{site}", self.name, self.line(span))
    }

    pub fn at(&self, span: &Range<usize>, site: Option<&str>, what: &str) -> Refusal {
        Refusal::input(what).about(&self.place(span, site))
    }

    /// What is not TOML, or has a key that there is not.
    pub fn malformed(&self, error: &toml::de::Error) -> Refusal {
        let (what, hint) = match error.message().trim() {
            message if message.contains("expected a sequence") => {
                ("sites and their queues stand in double brackets", EXAMPLE.to_owned())
            }
            message => (message, format!("keys {KEYS}")),
        };
        let Some(span) = error.span() else { return Refusal::input(what).about(self.name).hint(hint) };
        let site = self.site_at(self.line(&span));
        self.at(&span, site.as_deref(), what).hint(hint)
    }

    /// The site whose table has this line, if the tables have headings.
    fn site_at(&self, line: usize) -> Option<String> {
        let mut lines = self.text.lines().take(line).collect::<Vec<_>>();
        let begins = |text: &&str| text.trim_start().starts_with("[[site]]");
        let from = lines.iter().rposition(begins)?;
        let number = lines.iter().filter(|text| begins(text)).count();
        // The name may stand below the error.
        let rest = self.text.lines().skip(line).take_while(|text| !text.trim_start().starts_with('['));
        lines.extend(rest);
        let own = lines[from + 1..].iter().take_while(|text| !text.trim_start().starts_with('['));
        let name = own.into_iter().find_map(|text| {
            let value = text.trim_start().strip_prefix("name")?.trim_start().strip_prefix('=')?;
            let named: toml::Table = toml::from_str(&format!("name = {value}")).ok()?;
            named.get("name")?.as_str().map(str::to_owned)
        });
        Some(name.map_or_else(|| format!("site {number}"), |name| format!("site '{name}'")))
    }
}

/// What holds keys: the grid, or a site.
pub struct KeyReader<'a> {
    /// The file.
    pub page: &'a SitesText<'a>,
    /// The site, as errors name it; `None` for the grid.
    pub site: Option<&'a str>,
}

impl KeyReader<'_> {
    pub fn wrong(&self, given: &Spanned<Value>, key: &str, why: &str) -> Refusal {
        let shown = match given.get_ref() {
            Value::Array(_) | Value::Table(_) => String::new(),
            _ => format!(" = {}", self.page.text.get(given.span()).unwrap_or_default()),
        };
        self.page.at(&given.span(), self.site, &format!("{key}{shown}: {why}"))
    }

    pub fn text<'v>(&self, given: &'v Given, key: &str) -> Result<Option<&'v str>, Refusal> {
        let Some(given) = given else { return Ok(None) };
        let text = given.get_ref().as_str();
        text.map(Some).ok_or_else(|| self.wrong(given, key, "give a text in quotes"))
    }

    pub fn flag(&self, given: &Given, key: &str) -> Result<Option<bool>, Refusal> {
        let Some(given) = given else { return Ok(None) };
        given.get_ref().as_bool().map(Some).ok_or_else(|| self.wrong(given, key, "give true or false"))
    }

    pub fn procs(&self, given: &Given, key: &str) -> Result<Option<Procs>, Refusal> {
        let Some(given) = given else { return Ok(None) };
        let number = given.get_ref().as_integer().filter(|&number| number > 0);
        let number = number.and_then(|number| u32::try_from(number).ok());
        let number =
            number.ok_or_else(|| self.wrong(given, key, "give a whole number from 1 to 4294967295"))?;
        Ok(Some(Procs(number)))
    }

    pub fn number(
        &self,
        given: &Given,
        key: &str,
        range: std::ops::RangeInclusive<f64>,
    ) -> Result<Option<f64>, Refusal> {
        let Some(given) = given else { return Ok(None) };
        let number = match *given.get_ref() {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            _ => None,
        };
        let why = format!("give a number from {} to {}", range.start(), range.end());
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(|| self.wrong(given, key, &why))
    }

    pub fn one_of<T: Copy>(
        &self,
        given: &Given,
        key: &str,
        known: &[(&str, T)],
    ) -> Result<Option<T>, Refusal> {
        self.read(given, key, |text| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let found = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
            found.ok_or_else(|| format!("give one of {}", names.join(", ")))
        })
    }

    pub fn spec<T: Spec>(&self, given: &Given, key: &str) -> Result<Option<T>, Refusal> {
        self.read(given, key, |text| T::parse(text).map_err(|error| error.why))
    }

    pub fn read<T>(
        &self,
        given: &Given,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(given, key)? else { return Ok(None) };
        let value = read(text);
        match (value, given) {
            (Ok(value), _) => Ok(Some(value)),
            (Err(why), Some(given)) => Err(self.wrong(given, key, &why)),
            (Err(why), None) => Err(Refusal::bug(why)),
        }
    }
}
