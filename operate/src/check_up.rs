//! The check-up of `queuecast doctor`: settings, Slurm's commands, clock, store, service and its token.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Command;
use queuecast_live::{
    Asker, Checkup, ServiceCheck, ServiceDoor, StoreError, StoreLocation, disk_check, service_checks,
    slurm_checks, store_checks,
};
use queuecast_process::failure::Failure;
use queuecast_process::zone;
use queuecast_serve::{Access, listen_address};

use crate::settings::{self, SHARED, SettingsFile};
use crate::site_now;
use crate::slurm_commands::SlurmCommands;
use crate::token_file::{is_readable_by_all, token_in};

/// How long the service may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is set by a command line, for what a file of settings does not say.
#[derive(Debug)]
pub struct ToldStore {
    /// Whether a store is named.
    pub is_named: bool,
    /// The store that is named, or that of this user.
    pub location: Result<Option<StoreLocation>, StoreError>,
}

/// What the services are set to.
struct DoctorSettings {
    file: Option<SettingsFile>,
    store: Result<Option<StoreLocation>, StoreError>,
    listen: SocketAddr,
    token_file: Option<PathBuf>,
    user_header: Option<String>,
    administrators: Vec<String>,
}

impl DoctorSettings {
    fn of(file: Option<SettingsFile>, told: ToldStore, tree: &Command) -> DoctorSettings {
        let set = |section: &str, option: &str| {
            let mut set = file.iter().flat_map(|file| &file.given);
            set.find(|one| (one.section, one.option) == (section, option)).map(|one| one.values.clone())
        };
        let value = |section: &str, option: &str| {
            let found = set(section, option).and_then(|values| values.first().cloned());
            found.or_else(|| settings::default_of(section, settings::argument(tree, section, option)?))
        };
        let store = value(SHARED, "store").filter(|_| !told.is_named);
        let listen = value("serve", "listen").and_then(|text| listen_address(&text).ok());
        let token_file = value("serve", "token-file").map(PathBuf::from);
        let user_header = value("serve", "proxy-user-header");
        let administrators = set("serve", "administrator").unwrap_or_default();
        let store = match store {
            Some(name) => StoreLocation::named(name.as_ref()).map(Some),
            None => told.location,
        };
        // The default can be read, and what a file says has been checked.
        let listen = listen.unwrap_or(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 8080));
        DoctorSettings { file, store, listen, token_file, user_header, administrators }
    }
}

/// Checks all of it. `file` is the file of settings, if there is one, or what is wrong with it.
pub fn check_up(
    file: Result<Option<SettingsFile>, Failure>,
    told: ToldStore,
    commands: &SlurmCommands<'_>,
    tree: &Command,
) -> Checkup {
    let (file, broken) = match file {
        Ok(file) => (file, None),
        Err(failure) => (None, Some(failure)),
    };
    let set = DoctorSettings::of(file, told, tree);
    let mut checks = vec![settings_check(set.file.as_ref(), broken.as_ref())];
    let user = commands.printed("id", &["-un"]).map(|text| text.trim().to_owned()).unwrap_or_default();
    checks.extend(slurm_checks(commands, &user, site_now::now));
    checks.push(zone_check());
    checks.extend(checks_of_store(set.store.as_ref()));
    let (token, check) = token(set.token_file.as_deref());
    checks.extend(check);
    let (access, check) = access(&set);
    checks.push(check);
    let header = access.user_header.as_ref().map(|name| name.as_str());
    checks.extend(checks_of_service(&set, token.as_deref(), header));
    Checkup::of(checks)
}

fn settings_check(file: Option<&SettingsFile>, broken: Option<&Failure>) -> ServiceCheck {
    const AREA: &str = "settings";
    match (file, broken) {
        (_, Some(failure)) => {
            let hint = failure.hints().join("; ");
            let to_do = if hint.is_empty() {
                "mend this line; queuecast config shows what then holds".to_owned()
            } else {
                hint
            };
            ServiceCheck::wrong(AREA, "file", failure.to_string(), to_do)
        }
        (Some(file), None) => {
            ServiceCheck::ok(AREA, "file", format!("{} sets {} of them", file.name, file.given.len()))
        }
        (None, None) => ServiceCheck::ok(AREA, "file", "none: all settings are defaults"),
    }
}

fn zone_check() -> ServiceCheck {
    let zone = zone::of_machine();
    match zone.iana_name() {
        Some(name) => ServiceCheck::ok("clock", "zone", format!("{name}, that of this machine")),
        None => ServiceCheck::note(
            "clock",
            "zone",
            "not known: times are shown in UTC",
            "timedatectl set-timezone, or time_zone in [serve]",
        ),
    }
}

fn checks_of_store(store: Result<&Option<StoreLocation>, &StoreError>) -> Vec<ServiceCheck> {
    const AREA: &str = "store";
    let location = match store {
        Ok(Some(location)) => location,
        Ok(None) => {
            return vec![ServiceCheck::wrong(
                AREA,
                "file",
                "there is no home directory to keep one in",
                "name one: store in the file of settings",
            )];
        }
        Err(error) => {
            return vec![ServiceCheck::wrong(
                AREA,
                "server",
                error.to_string(),
                error.hint().unwrap_or_default(),
            )];
        }
    };
    let StoreLocation::File(file) = location else { return store_checks(location, site_now::now()) };
    let mut checks = match file.try_exists() {
        Ok(true) => store_checks(location, site_now::now()),
        Ok(false) => vec![ServiceCheck::wrong(
            AREA,
            "file",
            format!("there is none at {}", file.display()),
            "queuecast collect makes it: systemctl enable --now queuecast-collect; or name another one with --store",
        )],
        Err(cause) => vec![ServiceCheck::wrong(
            AREA,
            "file",
            format!("{}: {cause}", file.display()),
            "run this as the user that the services run as: sudo -u queuecast queuecast doctor",
        )],
    };
    let folders = file.ancestors().skip(1);
    if let Some((folder, free)) =
        folders.filter(|folder| folder.is_dir()).find_map(|folder| Some((folder, free(folder)?)))
    {
        checks.push(disk_check(folder, free));
    }
    checks
}

/// Bytes that are free where a folder is.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

/// Elsewhere that is not known.
#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

/// The token that requests bring, and what is wrong with its file.
fn token(file: Option<&Path>) -> (Option<String>, Option<ServiceCheck>) {
    const AREA: &str = "service";
    let Some(file) = file else { return (None, None) };
    let name = file.display().to_string();
    match token_in(file) {
        Err(error) => (None, Some(ServiceCheck::wrong(AREA, "token", error.what, error.hint))),
        Ok(token) => {
            let check = if is_readable_by_all(file) {
                ServiceCheck::note(
                    AREA,
                    "token",
                    format!("{name} can be read by every user"),
                    format!("chmod o= {name}"),
                )
            } else {
                ServiceCheck::ok(AREA, "token", name)
            };
            (String::from_utf8(token).ok(), Some(check))
        }
    }
}

/// What requests must bring, and whether the service would listen with that, by its own rule.
fn access(set: &DoctorSettings) -> (Access, ServiceCheck) {
    const AREA: &str = "service";
    const CHECK: &str = "settings";
    // Whether there is a token decides, not what it is; that is checked for itself.
    let mut access = Access { token: set.token_file.as_ref().map(|_| Vec::new()), user_header: None };
    if let Some(name) = &set.user_header {
        let Ok(header) = name.parse() else {
            let found = format!("proxy_user_header {name}: no name of a header");
            return (access, ServiceCheck::wrong(AREA, CHECK, found, "such as X-Remote-User"));
        };
        access.user_header = Some(header);
    }
    let told = match (&access.token, &set.user_header) {
        (None, None) => "for this machine alone".to_owned(),
        (Some(_), None) => "for requests with the token".to_owned(),
        (None, Some(name)) => format!("for users whom a proxy names in {name}; only the proxy may reach it"),
        (Some(_), Some(name)) => {
            format!(
                "for requests with the token, and users whom a proxy names in {name}; only the proxy and those with the token may reach it"
            )
        }
    };
    let check = match access.check(&set.listen) {
        Ok(()) => ServiceCheck::ok(AREA, CHECK, format!("listens at {} {told}", set.listen)),
        Err(error) => ServiceCheck::wrong(AREA, CHECK, error.what, error.hint),
    };
    (access, check)
}

/// Asks the service from this machine.
fn checks_of_service(
    set: &DoctorSettings,
    token: Option<&str>,
    user_header: Option<&str>,
) -> Vec<ServiceCheck> {
    let mut address = set.listen;
    if address.ip().is_unspecified() {
        let here: IpAddr =
            if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(here);
    }
    let door = ServiceDoor {
        takes_token: set.token_file.is_some(),
        knows_token: token.is_some(),
        user_header,
        administrators: &set.administrators,
    };
    service_checks(&format!("http://{address}"), door, |path, asker| {
        let header = match (asker, token, user_header) {
            (Asker::Token, Some(token), _) => format!("Authorization: Bearer {token}\r\n"),
            (Asker::User(user), _, Some(name)) => format!("{name}: {user}\r\n"),
            _ => String::new(),
        };
        asked(address, path, &header).map_err(|cause| cause.to_string())
    })
}

/// The status and the body that a service answers with.
fn asked(address: SocketAddr, path: &str, header: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}Connection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(1 << 20).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map_or("", |parts| parts.1);
    Ok((status, body.to_owned()))
}
