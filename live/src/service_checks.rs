//! Whether the service answers those whom it is to answer, and refuses others; and whether the disk of a store has room.

use std::path::Path;

use crate::checkup::ServiceCheck;

const AREA: &str = "service";

const LOG: &str = "its log says why: journalctl -u queuecast-serve";

/// A disk with less room than this is nearly full.
const LITTLE_ROOM: u64 = 1 << 30;

/// What a request to a service came to: the status and the body of its answer, or why there is none.
pub type ServiceReply = Result<(u16, String), String>;

/// As whom a service is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker<'a> {
    /// Without a token and without a name.
    Stranger,
    /// With the token.
    Token,
    /// As the proxy would name this user.
    User(&'a str),
}

/// Whom a service answers by its settings.
#[derive(Debug, Clone, Copy)]
pub struct ServiceDoor<'a> {
    /// Whether requests may bring a token.
    pub takes_token: bool,
    /// Whether that token is known here.
    pub knows_token: bool,
    /// The header in which a proxy names the user.
    pub user_header: Option<&'a str>,
    /// Users who may ask what is for administrators.
    pub administrators: &'a [String],
}

/// A user that no site has: whether users of the proxy are answered.
const SOME_USER: &str = "queuecast-doctor";

const ASKED: &str = "/api/v1/clusters";

const OTHER_SETTINGS: &str =
    "it was started with other settings: start it again: systemctl restart queuecast-serve";

/// Asks the service at an address whether it is ready, and a question of its users: as a stranger, whom it is to refuse unless it answers
/// this machine alone, and as those whom it is to answer. `ask` sends a request for a path.
pub fn service_checks(
    url: &str,
    door: ServiceDoor<'_>,
    mut ask: impl FnMut(&str, Asker<'_>) -> ServiceReply,
) -> Vec<ServiceCheck> {
    let mut checks = Vec::new();
    if door.user_header.is_none() && !door.administrators.is_empty() {
        let found = format!("{} without a proxy that names users", door.administrators.join(", "));
        let to_do = "set proxy_user_header too, or leave administrator out: the service does not start otherwise, and without a proxy any request that is admitted may ask what if";
        checks.push(ServiceCheck::wrong(AREA, "administrators", found, to_do));
    }
    let check = "reachable";
    let (status, body) = match ask("/api/v1/ready", Asker::Stranger) {
        Ok(answer) => answer,
        Err(cause) => {
            let to_do = "start it: systemctl start queuecast-serve, or queuecast serve; journalctl -u queuecast-serve says why it ended";
            checks.push(ServiceCheck::wrong(AREA, check, format!("{url}: {cause}"), to_do));
            return checks;
        }
    };
    let reached = match status {
        200 => ServiceCheck::ok(AREA, check, format!("{url} answers, and every cluster has been looked at")),
        503 => ServiceCheck::wrong(
            AREA,
            check,
            format!("{url}: {}", body.trim()),
            "wait for the first look; if it does not come, see what is said of the store",
        ),
        _ => {
            let to_do = "another program listens there: set another address (listen in [serve])";
            let found = format!("{url} answers with {status}");
            checks.push(ServiceCheck::wrong(AREA, check, found, to_do));
            return checks;
        }
    };
    checks.push(reached);
    let is_guarded = door.takes_token || door.user_header.is_some();
    if is_guarded {
        checks.push(strangers(ask(ASKED, Asker::Stranger)));
    }
    if door.knows_token {
        checks.push(access(ask(ASKED, Asker::Token), "the token is taken"));
    }
    if let Some(header) = door.user_header {
        let taken = format!("a user named in {header} is answered");
        checks.push(access(ask(ASKED, Asker::User(SOME_USER)), &taken));
        checks.push(administrators(door.administrators, &mut ask));
    }
    if !is_guarded {
        checks.push(access(ask(ASKED, Asker::Stranger), "answers this machine"));
    }
    checks
}

/// Whether a request that brings nothing is refused.
fn strangers(reply: ServiceReply) -> ServiceCheck {
    let check = "strangers";
    match reply {
        Ok((401, _)) => ServiceCheck::ok(AREA, check, "a request without token and user is refused"),
        Ok((200, _)) => {
            ServiceCheck::wrong(AREA, check, "it answers requests without token and user", OTHER_SETTINGS)
        }
        Ok((status, body)) => ServiceCheck::wrong(AREA, check, format!("{status}: {}", body.trim()), LOG),
        Err(cause) => ServiceCheck::wrong(AREA, check, cause, LOG),
    }
}

/// Whether a user is answered.
fn access(reply: ServiceReply, taken: &str) -> ServiceCheck {
    let check = "access";
    match reply {
        Ok((200, _)) => ServiceCheck::ok(AREA, check, taken),
        Ok((401, body)) => ServiceCheck::wrong(
            AREA,
            check,
            format!("it refuses: {}", body.trim()),
            "if token_file or proxy_user_header in [serve] has changed, reload the service: systemctl reload queuecast-serve",
        ),
        Ok((status, body)) => ServiceCheck::wrong(AREA, check, format!("{status}: {}", body.trim()), LOG),
        Err(cause) => ServiceCheck::wrong(AREA, check, cause, LOG),
    }
}

/// Whether those who are set as administrators may ask what is for them, and another user may not.
fn administrators(named: &[String], ask: &mut impl FnMut(&str, Asker<'_>) -> ServiceReply) -> ServiceCheck {
    let check = "administrators";
    let is_none = |name: &str| name.is_empty() || name.trim() != name || name.chars().any(char::is_control);
    if let Some(name) = named.iter().find(|name| is_none(name)) {
        return ServiceCheck::wrong(
            AREA,
            check,
            format!("{name:?} is no name of a user"),
            "write one name in each text of administrator in [serve], without blanks around it",
        );
    }
    let mut may = |user: &str| -> Result<bool, String> {
        match ask(ASKED, Asker::User(user))? {
            (200, body) => Ok(body.split_whitespace().collect::<String>().contains("\"what_if\":true")),
            (status, body) => Err(format!("{user}: {status}: {}", body.trim())),
        }
    };
    let all: Result<Vec<&String>, String> =
        named.iter().filter_map(|name| may(name).map(|may| (!may).then_some(name)).transpose()).collect();
    match (all, may(SOME_USER)) {
        (Ok(refused), Ok(false)) if refused.is_empty() => {
            let found = if named.is_empty() {
                "none: no user may ask what a changed setting would do".to_owned()
            } else {
                format!("{} may ask what a changed setting would do, and others may not", named.join(", "))
            };
            ServiceCheck::ok(AREA, check, found)
        }
        (Ok(refused), Ok(false)) => {
            let refused: Vec<&str> = refused.into_iter().map(String::as_str).collect();
            let found = format!("the service does not know of {}", refused.join(", "));
            ServiceCheck::wrong(AREA, check, found, "reload the service: systemctl reload queuecast-serve")
        }
        (Ok(_), Ok(true)) => {
            ServiceCheck::wrong(AREA, check, "every user may ask what is for administrators", OTHER_SETTINGS)
        }
        (Err(cause), _) | (_, Err(cause)) => ServiceCheck::wrong(AREA, check, cause, LOG),
    }
}

/// Whether the disk that a folder is on has room for a store, by the bytes that are free there.
pub fn disk_check(folder: &Path, free: u64) -> ServiceCheck {
    let (area, check) = ("store", "disk");
    let found = format!("{} MB are free in {}", free >> 20, folder.display());
    if free >= LITTLE_ROOM {
        return ServiceCheck::ok(area, check, found);
    }
    let to_do = "make room, or keep looks for a shorter time (keep in [collect])";
    ServiceCheck::note(area, check, found, to_do)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkup::CheckState;

    const OPEN: ServiceDoor<'_> =
        ServiceDoor { takes_token: false, knows_token: false, user_header: None, administrators: &[] };
    const BY_TOKEN: ServiceDoor<'_> = ServiceDoor { takes_token: true, knows_token: true, ..OPEN };

    /// The checks of a service that answers these: whether it is ready, a stranger, and with the token.
    fn answering(
        ready: Result<u16, &str>,
        stranger: u16,
        token: Result<u16, &str>,
    ) -> Vec<(String, CheckState, String)> {
        let checks = service_checks("http://here", BY_TOKEN, |path, asker| {
            let reply = match asker {
                Asker::Stranger if path.ends_with("ready") => ready,
                Asker::Stranger => Ok(stranger),
                _ => token,
            };
            reply.map(|status| (status, " said so\n".to_owned())).map_err(str::to_owned)
        });
        checks.into_iter().map(|one| (one.check, one.state, one.found)).collect()
    }

    #[test]
    fn a_service_is_asked_whether_it_is_ready_then_as_a_stranger_and_as_a_user() {
        let found = |check: &str, state, found: &str| (check.to_owned(), state, found.to_owned());
        let (ok, wrong) = (CheckState::Ok, CheckState::Wrong);
        let works = found("reachable", ok, "http://here answers, and every cluster has been looked at");
        let refuses = found("strangers", ok, "a request without token and user is refused");
        assert_eq!(
            answering(Ok(200), 401, Ok(200)),
            [works.clone(), refuses.clone(), found("access", ok, "the token is taken")]
        );
        assert_eq!(
            answering(Ok(200), 401, Ok(401)),
            [works.clone(), refuses.clone(), found("access", wrong, "it refuses: said so")]
        );
        let answers_all = found("strangers", wrong, "it answers requests without token and user");
        assert_eq!(
            answering(Ok(200), 200, Ok(500)),
            [works, answers_all, found("access", wrong, "500: said so")]
        );
        assert_eq!(
            answering(Ok(503), 401, Err("cut off")),
            [found("reachable", wrong, "http://here: said so"), refuses, found("access", wrong, "cut off")]
        );
        // No user is asked for where there is no service, or another one.
        assert_eq!(
            answering(Err("refused"), 401, Ok(200)),
            [found("reachable", wrong, "http://here: refused")]
        );
        assert_eq!(
            answering(Ok(404), 401, Ok(200)),
            [found("reachable", wrong, "http://here answers with 404")]
        );
    }

    #[test]
    fn users_of_a_proxy_and_its_administrators_are_asked_as() {
        let names = ["root".to_owned(), "ada".to_owned()];
        let behind_proxy = ServiceDoor { user_header: Some("X-Remote-User"), administrators: &names, ..OPEN };
        // By who may ask what if.
        let checks = |door, may: &[&str]| -> Vec<ServiceCheck> {
            service_checks("http://here", door, |path, asker| match asker {
                Asker::Stranger if path.ends_with("ready") => Ok((200, String::new())),
                Asker::User(name) => Ok((200, format!("[{{\n\"what_if\": {} }}]", may.contains(&name)))),
                Asker::Stranger | Asker::Token => Ok((401, String::new())),
            })
        };
        let states = |door, may: &[&str]| -> Vec<CheckState> {
            checks(door, may).iter().map(|one| one.state).collect()
        };
        let (ok, wrong) = (CheckState::Ok, CheckState::Wrong);
        assert_eq!(states(behind_proxy, &["root", "ada"]), [ok, ok, ok, ok]);
        assert_eq!(states(behind_proxy, &["root", "ada", SOME_USER]), [ok, ok, ok, wrong]);
        let lacking = checks(behind_proxy, &["root"]).pop().unwrap();
        assert_eq!(lacking.found, "the service does not know of ada");
        let none = ServiceDoor { administrators: &[], ..behind_proxy };
        assert_eq!(states(none, &[]), [ok, ok, ok, ok]);
        let blank = [" ada".to_owned()];
        assert_eq!(
            states(ServiceDoor { administrators: &blank, ..behind_proxy }, &[" ada"]),
            [ok, ok, ok, wrong]
        );
        // They mean nothing without a proxy; this service should answer strangers, and refuses.
        let alone = checks(ServiceDoor { administrators: &names, ..OPEN }, &[]);
        assert!(alone[0].found.starts_with("root, ada without a proxy"), "{alone:?}");
        assert_eq!((alone[2].check.as_str(), alone[2].state), ("access", wrong));
    }

    #[test]
    fn a_disk_of_less_than_a_gigabyte_is_worth_a_note() {
        let folder = Path::new("/var");
        assert_eq!(disk_check(folder, 1 << 30).state, CheckState::Ok);
        let little = disk_check(folder, (1 << 30) - 1);
        assert_eq!((little.state, little.found.as_str()), (CheckState::Note, "1023 MB are free in /var"));
    }
}
