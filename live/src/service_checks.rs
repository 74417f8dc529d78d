//! Whether the service answers, and takes the token; and whether the disk of a store has room.

use std::path::Path;

use crate::checkup::ServiceCheck;

const AREA: &str = "service";

const LOG: &str = "its log says why: journalctl -u queuecast-serve";

/// A disk with less room than this is nearly full.
const LITTLE_ROOM: u64 = 1 << 30;

/// What a request to a service came to: the status and the body of its answer, or why there is none.
pub type ServiceReply = Result<(u16, String), String>;

/// Asks the service at an address whether it is ready, and a question of its users, with the token if there is one. `ask` sends a
/// request for a path, the token with it or not.
pub fn service_checks(
    url: &str,
    has_token: bool,
    mut ask: impl FnMut(&str, bool) -> ServiceReply,
) -> Vec<ServiceCheck> {
    let check = "reachable";
    let (status, body) = match ask("/api/v1/ready", false) {
        Ok(answer) => answer,
        Err(cause) => {
            let to_do = "start it: systemctl start queuecast-serve, or queuecast serve; journalctl -u queuecast-serve says why it ended";
            return vec![ServiceCheck::wrong(AREA, check, format!("{url}: {cause}"), to_do)];
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
            return vec![ServiceCheck::wrong(AREA, check, found, to_do)];
        }
    };
    vec![reached, access(ask("/api/v1/clusters", true), has_token)]
}

/// Whether a user is answered.
fn access(reply: ServiceReply, has_token: bool) -> ServiceCheck {
    let check = "access";
    match reply {
        Ok((200, _)) => {
            let found = if has_token { "the token is taken" } else { "answers this machine" };
            ServiceCheck::ok(AREA, check, found)
        }
        Ok((401, _)) => ServiceCheck::wrong(
            AREA,
            check,
            "the service asks for another token",
            "name its file (token_file in [serve]); if it has changed, reload the service: systemctl reload queuecast-serve",
        ),
        Ok((status, body)) => ServiceCheck::wrong(AREA, check, format!("{status}: {}", body.trim()), LOG),
        Err(cause) => ServiceCheck::wrong(AREA, check, cause, LOG),
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

    /// The checks of a service that answers with these statuses: whether it is ready, then to a user.
    fn answering(ready: Result<u16, &str>, user: Result<u16, &str>) -> Vec<(String, CheckState, String)> {
        let checks = service_checks("http://here", true, |path, with_token| {
            let reply = if path.ends_with("ready") { ready } else { user };
            assert_eq!(with_token, path.ends_with("clusters"));
            reply.map(|status| (status, " said so\n".to_owned())).map_err(str::to_owned)
        });
        checks.into_iter().map(|one| (one.check, one.state, one.found)).collect()
    }

    #[test]
    fn a_service_is_asked_whether_it_is_ready_and_then_as_a_user_does() {
        let ready = |state, found: &str| ("reachable".to_owned(), state, found.to_owned());
        let access = |state, found: &str| ("access".to_owned(), state, found.to_owned());
        let works = ready(CheckState::Ok, "http://here answers, and every cluster has been looked at");
        assert_eq!(
            answering(Ok(200), Ok(200)),
            [works.clone(), access(CheckState::Ok, "the token is taken")]
        );
        assert_eq!(
            answering(Ok(200), Ok(401)),
            [works.clone(), access(CheckState::Wrong, "the service asks for another token")]
        );
        assert_eq!(answering(Ok(200), Ok(500)), [works, access(CheckState::Wrong, "500: said so")]);
        assert_eq!(
            answering(Ok(503), Err("cut off")),
            [ready(CheckState::Wrong, "http://here: said so"), access(CheckState::Wrong, "cut off")]
        );
        // No user is asked for where there is no service, or another one.
        assert_eq!(answering(Err("refused"), Ok(200)), [ready(CheckState::Wrong, "http://here: refused")]);
        assert_eq!(answering(Ok(404), Ok(200)), [ready(CheckState::Wrong, "http://here answers with 404")]);
    }

    #[test]
    fn a_disk_of_less_than_a_gigabyte_is_worth_a_note() {
        let folder = Path::new("/var");
        assert_eq!(disk_check(folder, 1 << 30).state, CheckState::Ok);
        let little = disk_check(folder, (1 << 30) - 1);
        assert_eq!((little.state, little.found.as_str()), (CheckState::Note, "1023 MB are free in /var"));
    }
}
