//! A request as a question: its parameters, read and checked.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use queuecast_core::asking::Refusal;
use queuecast_core::duration;
use queuecast_core::units::{Procs, Seconds};
use queuecast_place::{NewCampaign, NewJob, ScriptJob};
use serde_json::Value;

use crate::json_body::JsonBody;
use crate::refused::Refused;
use crate::route_form::{ParameterPlace, RouteForm, RouteParameter};

/// A request as a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServedQuestion {
    /// Parameters by name, those of the path, the query and the body alike.
    pub given: BTreeMap<String, String>,
    /// The user that a trusted proxy names.
    pub user: Option<String>,
}

/// Larger arrays and chains are not simulated in a request.
const MOST_JOBS: usize = 2_000;

/// How long the jobs of a campaign may take by their limits, those in turn one after the other: the site is simulated for as long.
const LONGEST_CAMPAIGN: Seconds = Seconds(60 * 86_400);

/// How an array is written.
const ARRAY: &str = "as for sbatch, without blanks: 1-500, 1-500:2, 1,3,7; of which at most 20 run at once: 1-500%20, in a query 1-500%2520, where % is %25";

/// What of an array may be written as %XX in a query: the signs that it has. A digit or a blank is a % that was not encoded: 1-50%30 would be
/// read as 1-500.
const ARRAY_SIGNS: [&str; 4] = ["25", "2c", "3a", "2d"];

/// Refuses an array in a query whose % was not encoded.
fn check_encoded(raw: &str) -> Result<(), Refused> {
    let escaped = |after: &str| {
        let code = after.get(..2).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        code.is_some_and(|code| !ARRAY_SIGNS.iter().any(|sign| sign.eq_ignore_ascii_case(code)))
    };
    if raw.split('%').skip(1).any(escaped) || raw.contains('+') {
        return Err(Refused::question(
            format!("array={raw}: its % is not encoded, or it has a blank"),
            ARRAY,
        ));
    }
    Ok(())
}

fn decoded(text: &str) -> Result<String, Refused> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8();
    decoded.map(|text| text.into_owned()).map_err(|_| {
        Refused::question("a parameter is not UTF-8 when its %XX are read", "encode it as UTF-8")
    })
}

impl ServedQuestion {
    /// Reads what a route takes.
    ///
    /// # Errors
    /// If there is a parameter that it does not take, one twice, or a body that is no JSON object.
    pub fn read(
        route: &RouteForm,
        method: &Method,
        (path, query): (&str, Option<&str>),
        body: &[u8],
    ) -> Result<ServedQuestion, Refused> {
        let mut question = ServedQuestion::default();
        for (named, given) in route.path.split('/').zip(path.split('/')) {
            if let Some(name) = named.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                // A plus is one in a path.
                let text = percent_decode_str(given).decode_utf8_lossy().into_owned();
                question.add(route, name, text, ParameterPlace::Path)?;
            }
        }
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if name == "array" {
                check_encoded(value)?;
            }
            question.add(route, &decoded(name)?, decoded(value)?, ParameterPlace::Query)?;
        }
        if method == Method::POST {
            question.add_body(route, body)?;
        }
        // An empty field of a form is none.
        question.given.retain(|_, value| !value.is_empty());
        Ok(question)
    }

    fn add(
        &mut self,
        route: &RouteForm,
        name: &str,
        value: String,
        place: ParameterPlace,
    ) -> Result<(), Refused> {
        let is_known =
            |one: &&RouteParameter| one.name == name && (one.place == place || place != ParameterPlace::Path);
        if !route.parameters.iter().any(|one| is_known(&one)) {
            let names: Vec<&str> = route.parameters.iter().map(|one| one.name).collect();
            let hint = match names.is_empty() {
                true => "it takes none".to_owned(),
                false => format!("it takes {}", names.join(", ")),
            };
            return Err(Refused::question(format!("{}: there is no parameter {name:?}", route.path), hint));
        }
        match self.given.insert(name.to_owned(), value) {
            None => Ok(()),
            Some(_) => Err(Refused::twice(name)),
        }
    }

    fn add_body(&mut self, route: &RouteForm, body: &[u8]) -> Result<(), Refused> {
        let wrong = |why: String| {
            Refused::question(why, "send a JSON object such as {\"procs\": 16, \"limit\": \"2h\"}")
        };
        let read: JsonBody =
            serde_json::from_slice(body).map_err(|error| wrong(format!("the body is no JSON: {error}")))?;
        let JsonBody::Object(fields) = read else {
            return Err(wrong("the body is no JSON object".to_owned()));
        };
        let mut names = BTreeSet::new();
        for (name, value) in fields {
            if !names.insert(name.clone()) {
                return Err(Refused::twice(&name));
            }
            let text = match value {
                Value::String(text) => text,
                // Of a whole number it does not matter how it is written.
                Value::Number(number) => match number.as_f64() {
                    Some(whole) if number.is_f64() && whole.fract() == 0.0 && whole.abs() < 1e15 => {
                        format!("{whole:.0}")
                    }
                    _ => number.to_string(),
                },
                Value::Null => continue,
                _ => return Err(wrong(format!("{name} is neither a text nor a number"))),
            };
            self.add(route, &name, text, ParameterPlace::Body)?;
        }
        Ok(())
    }

    /// A parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// A number that is at least 1.
    ///
    /// # Errors
    /// If it is none.
    pub fn number(&self, name: &str) -> Result<Option<u32>, Refused> {
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let read = |text: &str| match text.parse::<u32>() {
            Ok(number) if number >= 1 && is_plain(text) => Ok(number),
            _ => Err(Refused::question(
                format!("{name}={text}: no number of at least 1"),
                format!("give a whole number up to {}", u32::MAX),
            )),
        };
        self.text(name).map(read).transpose()
    }

    /// The job script that is asked about, if one is.
    ///
    /// # Errors
    /// If it is none.
    pub fn script(&self) -> Result<Option<ScriptJob>, Refused> {
        self.text("script").map(|text| ScriptJob::read("script", text).map_err(as_question)).transpose()
    }

    /// The job that is asked about.
    ///
    /// # Errors
    /// If its size is missing, or something of it cannot be read.
    pub fn job(&self) -> Result<NewJob, Refused> {
        let procs = self.number("procs")?.map(Procs);
        let limit = self.text("limit").map(|text| {
            duration::parse_limit(text).map_err(|why| {
                Refused::question(
                    format!("limit={text}: {why}"),
                    "as for sbatch: 90 for minutes, 2h, 02:10:00, 1-12:00:00",
                )
            })
        });
        let limit = limit.transpose()?;
        let (user, queue) = (self.text("user").map(str::to_owned), self.text("partition").map(str::to_owned));
        if let Some(script) = self.script()? {
            return Ok(script.job(procs, limit, (user, queue)));
        }
        let Some(procs) = procs else {
            return Err(Refused::question(
                "procs is missing: how many processors the job asks for",
                "such as procs=16&limit=2h",
            ));
        };
        Ok(NewJob { procs, time: limit, user, queue, sbatch: None })
    }

    /// The indices of an array.
    ///
    /// # Errors
    /// If they have a blank, or none of the array may run.
    fn array(&self) -> Result<Option<&str>, Refused> {
        let Some(indices) = self.text("array") else { return Ok(None) };
        let refused =
            |why: &str| Err(Refused::question(format!("array={}: {why}", indices.escape_debug()), ARRAY));
        if indices.contains(char::is_whitespace) {
            return refused("it has a blank");
        }
        match indices.rsplit_once('%') {
            Some((_, "")) => refused("no number follows %"),
            Some((_, most)) if most.bytes().all(|byte| byte == b'0') => refused("%0 lets no task run"),
            _ => Ok(Some(indices)),
        }
    }

    /// The jobs that are asked about together, and their partition.
    ///
    /// # Errors
    /// As of [`ServedQuestion::job`], or if they are neither an array nor a chain, or too many.
    pub fn campaign(&self) -> Result<NewCampaign, Refused> {
        let job = self.job()?;
        let array = self.array()?;
        let campaign = match (array, self.number("chain")?) {
            (Some(indices), None) => NewCampaign::array(&job, indices, MOST_JOBS),
            (None, Some(length)) => NewCampaign::chain(&job, length as usize, MOST_JOBS),
            _ => {
                return Err(Refused::question(
                    "either array or chain says which jobs are asked about",
                    "such as array=1-500%2520, which is 1-500%20 encoded, or chain=10",
                ));
            }
        };
        let campaign = campaign.map_err(as_question)?;
        let throttle = array.and_then(|indices| indices.rsplit_once('%')?.1.parse::<usize>().ok());
        let in_turn = match (self.number("chain")?, throttle) {
            (Some(length), _) => length as usize,
            (None, Some(most)) => campaign.len().div_ceil(most.max(1)),
            (None, None) => 1,
        };
        let span = job.time.map_or(0, |limit| limit.0.saturating_mul(in_turn as i64));
        if span > LONGEST_CAMPAIGN.0 {
            return Err(Refused::question(
                "the jobs may take longer than 60 days one after the other, which is too long for a request",
                "ask about fewer or shorter jobs, or ask the command: queuecast when --chain",
            ));
        }
        Ok(campaign)
    }

    /// What tells two questions apart.
    pub fn key(&self, route: &RouteForm) -> String {
        let mut key = route.path.to_owned();
        // With their lengths, so that no value can be taken for another part.
        let mut add = |part: &str, text: &str| {
            key.push_str(&format!("\0{part} {} {text}", text.len()));
        };
        for (name, value) in self.given.iter().filter(|(name, _)| *name != "cluster") {
            add(name, value);
        }
        // Where names are replaced, one's own are not.
        if let Some(user) = &self.user {
            add("signed in", user);
        }
        key
    }
}

/// What a request brings is at fault, whatever the library calls it.
fn as_question(refusal: Refusal) -> Refused {
    Refused::from(refusal).with_status(StatusCode::BAD_REQUEST)
}
