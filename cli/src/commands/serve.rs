//! `queuecast serve`: the service and its page.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::FromArgMatches;
use queuecast_core::units::Time;
use queuecast_live::{PlayedSite, StoredSite, refused_store};
use queuecast_operate::{is_readable_by_all, settings, token_in};
use queuecast_process::failure::Failure;
use queuecast_process::interrupt::{ReloadRequest, StopRequest};
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::{file_limit, supervisor, zone};
use queuecast_serve::{
    Access, AccessError, ClusterKind, LogEvent, LogLineFormat, ServedCluster, ServiceCall, ServiceRules,
    ServiceSettings, listen_address, serve,
};
use queuecast_trace::TimeZone;

use super::source::Source;
use super::{replayed, service_limits, store_option};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  Made-up jobs, without Slurm, files or network; open http://127.0.0.1:8080/
    queuecast serve --demo

  A log, ten minutes in a second:
    queuecast serve --replay LOG.swf.gz --at 1997-02-03T10:00 --speed 600

  The clusters of queuecast collect, for other machines, with a token:
    queuecast serve --listen 0.0.0.0:8080 --token-file /etc/queuecast/token

  The same behind a proxy that names the user, other users' names replaced:
    queuecast serve --proxy-user-header X-Remote-User --anonymous

  By the settings of a file, which SIGHUP reads again:
    queuecast serve --config /etc/queuecast/queuecast.toml";

/// Serve forecasts to browsers and programs: a page, an HTTP interface under /api/v1, metrics for Prometheus
///
/// By default the clusters in the store of queuecast collect are served. Nothing is asked of Slurm, and nothing is written. Without --token-file or --proxy-user-header only this machine is answered.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Serve the made-up jobs of queuecast demo, again and again
    #[arg(long, conflicts_with_all = ["replay", "store"])]
    demo: bool,
    /// Serve a log as if it were live
    #[arg(long, value_name = "LOG", conflicts_with = "store", help_heading = "A log")]
    replay: Option<PathBuf>,
    /// Seconds of the log that pass in one second
    #[arg(long, value_name = "N", default_value = "60", value_parser = spec::positive, allow_negative_numbers = true, help_heading = "A log")]
    speed: f64,
    /// The moment of the log to begin at, as for when; by default its middle
    #[arg(
        long,
        value_name = "MOMENT",
        requires = "replay",
        allow_hyphen_values = true,
        help_heading = "A log"
    )]
    at: Option<String>,
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = listen_address, help_heading = "Requests")]
    listen: SocketAddr,
    /// Requests must bring the token in this file, as Authorization: Bearer TOKEN
    #[arg(long, value_name = "FILE", help_heading = "Requests")]
    token_file: Option<PathBuf>,
    /// The header in which a proxy names the user; only the proxy may reach the service then
    #[arg(long, value_name = "NAME", help_heading = "Requests")]
    proxy_user_header: Option<String>,
    /// Replace the names of users, except to themselves where a proxy names them
    #[arg(long, help_heading = "Requests")]
    anonymous: bool,
    /// Users who may ask what a changed setting would do, where a proxy names users; without a proxy any request that is admitted may
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        value_parser = user_name,
        help_heading = "Requests"
    )]
    administrator: Vec<String>,
    /// Answer /metrics here too, without a token
    #[arg(long, value_name = "ADDRESS", value_parser = listen_address, help_heading = "Requests")]
    metrics_listen: Option<SocketAddr>,
    /// Print a line for each request
    #[arg(long, help_heading = "Requests")]
    log_requests: bool,
    /// How messages are written: logfmt, or an object of JSON in each line
    #[arg(long, value_name = "FORMAT", default_value = "logfmt", value_parser = ["logfmt", "json"], help_heading = "Requests")]
    log_format: String,
    #[command(flatten)]
    limits: service_limits::Arguments,
    /// A file of settings, as of queuecast config --defaults; by default what QUEUECAST_CONFIG names, else queuecast/queuecast.toml in $XDG_CONFIG_HOME or ~/.config, else /etc/queuecast/queuecast.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    store: store_option::Arguments,
    #[command(flatten)]
    source: Source,
}

/// The name of a user as a proxy gives it.
fn user_name(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.trim() == text {
        true => Ok(text.to_owned()),
        false => Err("give one name in each text, without blanks around it".to_owned()),
    }
}

fn refused(error: AccessError) -> Failure {
    Failure::usage(error.what).hint(error.hint)
}

impl Arguments {
    fn access(&self) -> Result<Access, Failure> {
        let token = |file: &PathBuf| {
            token_in(file).map_err(|error| match file.is_file() {
                true => refused(error),
                false => Failure::input(error.what).hint(error.hint),
            })
        };
        let header = |name: &String| {
            name.parse().map_err(|_| {
                Failure::usage(format!("proxy_user_header {name}: no name of a header"))
                    .hint("such as X-Remote-User")
            })
        };
        let access = Access {
            token: self.token_file.as_ref().map(token).transpose()?,
            user_header: self.proxy_user_header.as_ref().map(header).transpose()?,
        };
        access.check(&self.listen).map_err(refused)?;
        if access.user_header.is_none() && !self.administrator.is_empty() {
            let named = self.administrator.join(", ");
            return Err(Failure::usage(format!("administrator {named}: no request names its user")).hint(
                "set proxy_user_header too, or leave administrator out: without a proxy any request that is admitted may ask what if",
            ));
        }
        Ok(access)
    }

    /// The zone of dates: of a site that of this machine, unless one is named.
    fn zone(&self, invocation: &Invocation) -> TimeZone {
        let is_typed = invocation.given().1.iter().any(|option| option == "time-zone");
        match is_typed || self.demo || self.replay.is_some() {
            true => self.source.reading.time_zone.clone(),
            false => zone::of_machine(),
        }
    }

    /// A log to be played, or the made-up one.
    fn played(&self, named: &Path, zone: &TimeZone, printer: &Printer) -> Result<ServedCluster, Failure> {
        let raw = replayed::read(named, &self.source, printer)?;
        let span = raw.span()?;
        let from = match &self.at {
            Some(text) => raw.moment(text, zone)?,
            None => Time(span.first.0 + (span.last - span.first).0 / 2),
        };
        let mut trace = raw.whole(printer)?;
        trace.take_unfinished(span.until, printer)?;
        if self.demo {
            // Made-up jobs have no dates: they are played as of now.
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
            trace.log.workload.epoch = Some(now - from.0);
        }
        let name = match named.file_name() {
            Some(file) => file.to_string_lossy().into_owned(),
            None => trace.name.clone(),
        };
        let site = PlayedSite {
            name: trace.name.into(),
            log: Arc::new(trace.log),
            from,
            until: span.until,
            repeats: self.demo,
            zone: zone.clone(),
        };
        let kind = if self.demo { ClusterKind::Demo } else { ClusterKind::Log };
        Ok(ServedCluster { name, kind, speed: Some(self.speed), site: Box::new(site), store: None })
    }

    /// The clusters of a store.
    fn stored(&self, zone: &TimeZone) -> Result<Vec<ServedCluster>, Failure> {
        const HINT: &str = "queuecast collect follows a site; queuecast serve --demo needs none";
        let location = self.store.location()?.filter(|one| one.may_exist() || self.store.is_named());
        let location = location.ok_or_else(|| Failure::usage("no site has been followed yet").hint(HINT))?;
        if !location.may_exist() {
            return Err(Failure::input(format!("{location}: there is no such store")).hint(HINT));
        }
        let all = StoredSite::all(location.clone(), zone).map_err(|error| refused_store(&location, error))?;
        let names: Vec<String> = all.iter().map(|one| one.name().to_owned()).collect();
        let wanted = self.source.reading.cluster.as_deref();
        let chosen = all.into_iter().filter(|one| wanted.is_none_or(|name| name == one.name()));
        let served = chosen.map(|site| ServedCluster {
            name: site.name().to_owned(),
            kind: ClusterKind::Slurm,
            speed: None,
            store: Some(site.clone()),
            site: Box::new(site),
        });
        let served: Vec<ServedCluster> = served.collect();
        match (served.is_empty(), wanted) {
            (true, Some(name)) => {
                Err(Failure::usage(format!("--cluster {name}: {location} does not have it"))
                    .hint(format!("it has {}", names.join(", "))))
            }
            (true, None) => {
                Err(Failure::input(format!("{location}: no cluster has been collected into it")).hint(HINT))
            }
            _ => Ok(served),
        }
    }
}

impl Arguments {
    fn rules(&self, printer: &Printer) -> Result<ServiceRules, Failure> {
        let access = self.access()?;
        if let Some(file) = self.token_file.as_ref().filter(|file| is_readable_by_all(file)) {
            let name = file.display().to_string();
            let values =
                [("file", name.as_str()), ("hint", "every user of this machine can read it: chmod o= FILE")];
            printer.log_line(&LogEvent::new("token-readable", &values).warning());
        }
        Ok(ServiceRules {
            access,
            limits: self.limits.limits(),
            administrators: self.administrator.clone(),
            log_requests: self.log_requests,
        })
    }

    fn log_format(&self) -> LogLineFormat {
        if self.log_format == "json" { LogLineFormat::Json } else { LogLineFormat::Logfmt }
    }
}

/// Calls a service when the process is told something.
struct ServiceCalls {
    stop: StopRequest,
    reload: ReloadRequest,
    /// The command line with the settings that it began with, and as they were read last.
    begun: Invocation,
    last: Invocation,
    listen: SocketAddr,
    token: Option<Vec<u8>>,
    printer: Printer,
}

impl ServiceCalls {
    fn next(&mut self) -> Option<ServiceCall> {
        if self.stop.is_asked() {
            supervisor::tell("STOPPING=1");
            return Some(ServiceCall::End);
        }
        if !self.reload.take() {
            return None;
        }
        match self.read_again() {
            Ok(rules) => Some(ServiceCall::Change(Box::new(rules))),
            Err(failure) => {
                let (why, hints) = (failure.to_string(), failure.hints().join("; "));
                let values = [("why", why.as_str()), ("hint", &hints), ("holds", "what held before")];
                self.printer.log_line(&LogEvent::new("settings-refused", &values).error());
                None
            }
        }
    }

    /// The rules by the settings as they are now; what cannot be changed is told.
    fn read_again(&mut self) -> Result<ServiceRules, Failure> {
        let (now, found) = settings::again(&self.begun, &self.last)?;
        let matches = now.matches().subcommand_matches("serve");
        let matches = matches.ok_or_else(|| Failure::unexpected("it is another command now"))?;
        let arguments = Arguments::from_arg_matches(matches).map_err(|error| settings::refused(&error))?;
        let rules = arguments.rules(&self.printer)?;
        // The address stays what it was.
        rules.access.check(&self.listen).map_err(refused)?;
        self.printer.log_as(Some(arguments.log_format()));
        let mut changed = found.changed;
        // The file of the token has the same name, and another token.
        let is_named = changed.iter().any(|name| name == "token_file");
        if std::mem::replace(&mut self.token, rules.access.token.clone()) != rules.access.token && !is_named {
            changed.push("token".to_owned());
        }
        self.printer.log_line(&LogEvent::new("settings-read", &[("changed", &changed.join(","))]));
        if !found.fixed.is_empty() {
            let values =
                [("settings", found.fixed.join(",")), ("hint", "start the service again".to_owned())];
            let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
            self.printer.log_line(&LogEvent::new("settings-need-restart", &values).warning());
        }
        self.last = now;
        Ok(rules)
    }
}

/// Serves until it is told to end.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    printer.log_as(Some(arguments.log_format()));
    let mut rules = arguments.rules(printer)?;
    let zone = arguments.zone(invocation);
    let clusters = match (&arguments.replay, arguments.demo) {
        (_, true) => vec![arguments.played(Path::new(replayed::DEMO), &zone, printer)?],
        (Some(log), _) => vec![arguments.played(log, &zone, printer)?],
        (None, _) => arguments.stored(&zone)?,
    };
    let may_be_open = file_limit::raise_for(rules.limits.connections);
    if may_be_open < rules.limits.connections {
        let (open, hint) =
            (may_be_open.to_string(), "ulimit -n, or LimitNOFILE of the unit, sets the limit of files");
        let values = [("connections", open.as_str()), ("hint", hint)];
        printer.log_line(&LogEvent::new("fewer-connections", &values).warning());
        rules.limits.connections = may_be_open;
    }
    let mut calls = ServiceCalls {
        stop: StopRequest::listen_as_service(),
        reload: ReloadRequest::listen(),
        begun: invocation.clone(),
        last: invocation.clone(),
        listen: arguments.listen,
        token: rules.access.token.clone(),
        printer: printer.clone(),
    };
    let told = printer.clone();
    let settings = ServiceSettings {
        listen: arguments.listen,
        metrics_listen: arguments.metrics_listen,
        access: rules.access,
        limits: rules.limits,
        anonymous: arguments.anonymous,
        administrators: rules.administrators,
        log_requests: rules.log_requests,
        zone,
        tell: Arc::new(move |event: LogEvent| {
            told.log_line(&event);
            if event.event == "listening" {
                supervisor::tell("READY=1");
                let address = event.values.iter().find(|(name, _)| name == "address");
                if let Some((_, address)) = address {
                    told.tell_person(&format!("The page is at {address} in some seconds; Ctrl-C ends it."));
                }
            }
        }),
    };
    serve(clusters, &settings, move || calls.next())
        .map_err(|error| Failure::input(error.what).because(error.cause).hint(error.hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let serve = arguments_alone::parse::<Arguments>("serve").unwrap();
        assert_eq!((serve.speed, serve.listen.to_string().as_str()), (60.0, "127.0.0.1:8080"));
        for nonsense in [
            "--demo --replay x",
            "--at 5",
            "--speed 0",
            "--listen here",
            "--demo --store x",
            "--administrator ,",
        ] {
            let refused = arguments_alone::parse::<Arguments>(&format!("serve {nonsense}"));
            assert_eq!(refused.unwrap_err().exit_code(), 2, "{nonsense}");
        }
        for address in ["0.0.0.0:0", "[::]:0"] {
            let open = arguments_alone::parse::<Arguments>(&format!("serve --listen {address}")).unwrap();
            assert!(open.access().unwrap_err().hints()[0].contains("--token-file"), "{address}");
        }
    }
}
