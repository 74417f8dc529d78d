//! Where a server of PostgreSQL is, and who asks it.

use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

use crate::store::StoreError;

/// A database on a server of PostgreSQL, as a URL names it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// A name, an address, or the folder of a socket.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) database: String,
    password: Option<String>,
    /// As it was read.
    url: String,
}

const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Where the socket of a server on this machine is looked for.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

impl ServerAddress {
    /// Whether a text is such a URL.
    pub(in crate::store) fn is_one(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
    }

    /// What a URL names, by libpq's rules: `postgresql://[user[:password]@][host][:port][/database][?key=value&…]`.
    ///
    /// # Errors
    /// If it is none, or asks for what is not supported.
    pub fn of_url(url: &str) -> Result<ServerAddress, StoreError> {
        ServerAddress::read(url, &|name| env::var(name).ok().filter(|value| !value.is_empty()))
            .map_err(StoreError::Address)
    }

    fn read(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<ServerAddress, String> {
        let rest = SCHEMES.iter().find_map(|scheme| url.strip_prefix(scheme));
        let rest = rest.ok_or("a server is named by a URL of PostgreSQL")?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, place) = place.rsplit_once('@').unwrap_or(("", place));
        let (user, password) = login.split_once(':').map_or((login, None), |(user, word)| (user, Some(word)));
        // An address of IPv6 stands in brackets.
        let (host, port) = match place.strip_prefix('[').and_then(|place| place.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':').unwrap_or(port)),
            None => place.rsplit_once(':').unwrap_or((place, "")),
        };
        let mut host = decoded(host)?;
        let mut port = port.to_owned();
        let mut user = decoded(user)?;
        let mut password = password.map(decoded).transpose()?;
        let mut database = decoded(database)?;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value)?;
            match key {
                "host" => host = value,
                "port" => port = value,
                "user" => user = value,
                "password" => password = Some(value),
                "dbname" => database = value,
                "sslmode" if ["disable", "allow", "prefer"].contains(&value.as_str()) => {}
                "sslmode" => {
                    return Err(format!(
                        "sslmode={value}: TLS is not supported; use a socket, loopback or a tunnel, with sslmode=disable"
                    ));
                }
                "application_name" | "connect_timeout" => {}
                _ => return Err(format!("{key}: such a setting of a URL is not known here")),
            }
        }
        if host.contains(',') {
            return Err("several hosts: name one".to_owned());
        }
        let or_told = |value: String, name: &str| match value.is_empty() {
            true => variable(name).unwrap_or_default(),
            false => value,
        };
        let mut host = or_told(host, "PGHOST");
        if host.is_empty() {
            let socket = SOCKET_FOLDERS.into_iter().find(|folder| Path::new(folder).is_dir());
            host = socket.unwrap_or("localhost").to_owned();
        }
        let port = or_told(port, "PGPORT");
        let port = if port.is_empty() { "5432" } else { &port };
        let port = port.parse().map_err(|_| format!("{port}: no port"))?;
        let mut user = or_told(user, "PGUSER");
        if user.is_empty() {
            user = variable("USER").or_else(|| variable("LOGNAME")).ok_or("it names no user")?;
        }
        let mut database = or_told(database, "PGDATABASE");
        if database.is_empty() {
            database.clone_from(&user);
        }
        let password = password.filter(|word| !word.is_empty());
        if [&host, &user, &database].iter().any(|word| word.contains('\0')) {
            return Err("a URL with a zero byte".to_owned());
        }
        Ok(ServerAddress { host, port, user, database, password, url: url.to_owned() })
    }

    /// The URL as it was read, with a password if it has one.
    pub(in crate::store) fn url(&self) -> &str {
        &self.url
    }

    /// The socket in the file system, if it is one.
    pub(super) fn socket(&self) -> Option<PathBuf> {
        self.host.starts_with('/').then(|| Path::new(&self.host).join(format!(".s.PGSQL.{}", self.port)))
    }

    /// The password: that of the URL, of PGPASSWORD, or of the file of passwords.
    pub(super) fn password(&self) -> Option<String> {
        let told = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        self.password.clone().or_else(|| told("PGPASSWORD")).or_else(|| {
            let file = told("PGPASSFILE").map(PathBuf::from);
            let file = file.or_else(|| Some(PathBuf::from(told("HOME")?).join(".pgpass")))?;
            self.password_in(&private_text(&file)?)
        })
    }

    /// The password of the first line that fits: `host:port:database:user:password`, `*` for any.
    fn password_in(&self, text: &str) -> Option<String> {
        let host = if self.host.starts_with('/') { "localhost" } else { &self.host };
        let port = self.port.to_string();
        let asked = [host, &port, &self.database, &self.user];
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let mut cells = escaped_cells(line);
            if cells.len() < 5 {
                return None;
            }
            let password = cells.split_off(4).join(":");
            cells.iter().zip(asked).all(|(cell, asked)| cell == "*" || cell == asked).then_some(password)
        })
    }
}

/// The text of a file that its owner alone may read; others are left aside, as libpq does.
fn private_text(file: &Path) -> Option<String> {
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&fs::metadata(file).ok()?.permissions()) & 0o077 != 0 {
        return None;
    }
    fs::read_to_string(file).ok()
}

/// Cells with colons between them; a backslash takes the next letter as it is.
fn escaped_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' => cells.push(String::new()),
            '\\' => cells.iter_mut().last().into_iter().for_each(|cell| cell.extend(letters.next())),
            letter => cells.iter_mut().last().into_iter().for_each(|cell| cell.push(letter)),
        }
    }
    cells
}

/// A part of a URL with its `%20` decoded.
fn decoded(part: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.as_bytes());
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.ok_or_else(|| format!("{part}: a % without two hexadecimal digits"))?);
        rest = &after[2..];
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8(bytes).map_err(|_| format!("{part}: no UTF-8"))
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, user, database, .. } = self;
        match host.starts_with('/') {
            true => write!(to, "postgresql://{user}@/{database}?host={host}&port={port}"),
            false if host.contains(':') => write!(to, "postgresql://{user}@[{host}]:{port}/{database}"),
            false => write!(to, "postgresql://{user}@{host}:{port}/{database}"),
        }
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<ServerAddress, String> {
        ServerAddress::read(url, &|name| (name == "USER").then(|| "ann".to_owned()))
    }

    #[test]
    fn a_url_is_told_without_its_password() {
        let shown = |url: &str| read(url).unwrap().to_string();
        assert_eq!(shown("postgresql://bob:p%40ss@db:6000/site"), "postgresql://bob@db:6000/site");
        assert_eq!(read("postgres://bob:p%40ss@db/site").unwrap().password.as_deref(), Some("p@ss"));
        assert_eq!(shown("postgres://db"), "postgresql://ann@db:5432/ann");
        assert_eq!(shown("postgres://[::1]:7/x"), "postgresql://ann@[::1]:7/x");
        let socket = read("postgresql:///site?host=/run/pg&port=7").unwrap();
        assert_eq!(socket.to_string(), "postgresql://ann@/site?host=/run/pg&port=7");
        assert_eq!(socket.socket().unwrap(), Path::new("/run/pg/.s.PGSQL.7"));
        assert!(!format!("{:?}", read("postgres://bob:secret@db").unwrap()).contains("secret"));
    }

    #[test]
    fn what_is_not_supported_is_refused() {
        for (url, why) in [
            ("postgres://db:port/x", "no port"),
            ("postgres://db/x?sslmode=require", "TLS is not supported"),
            ("postgres://db/x?target=y", "target"),
            ("postgres://a,b/x", "several hosts"),
            ("postgres://db/%zz", "hexadecimal"),
            ("mysql://db", "PostgreSQL"),
        ] {
            let said = read(url).unwrap_err();
            assert!(said.contains(why), "{url}: {said}");
        }
    }

    #[test]
    fn a_password_is_found_by_the_first_line_that_fits() {
        let address = read("postgres://bob@db:6000/site").unwrap();
        let text = "# mine\nother:*:*:*:no\n*:6000:site:bob:a\\:b\n*:*:*:*:late\n";
        assert_eq!(address.password_in(text).as_deref(), Some("a:b"));
        assert_eq!(address.password_in("db:6001:*:*:no\nshort:line\n"), None);
    }
}
