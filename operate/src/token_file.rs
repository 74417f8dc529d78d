//! The file of the token that requests to the service bring.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use queuecast_serve::{AccessError, read_token};

/// A longer token is none.
const LONGEST: u64 = 1 << 16;

/// The token in a file.
///
/// # Errors
/// If it cannot be read, or has no token.
pub fn token_in(file: &Path) -> Result<Vec<u8>, AccessError> {
    let name = format!("token_file {}", file.display());
    let read = || {
        let mut bytes = Vec::new();
        File::open(file)?.take(LONGEST).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    };
    let bytes = read().map_err(|cause| AccessError {
        what: format!("{name}: {}", why(file, &cause)),
        hint: "make it, or run this as the user who may read it: head -c 24 /dev/urandom | base64 > FILE; chmod 600 FILE"
            .to_owned(),
    })?;
    read_token(&name, &String::from_utf8_lossy(&bytes))
}

fn why(file: &Path, cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "this user may not read it".to_owned(),
        _ if file.is_dir() => "it is a directory".to_owned(),
        _ => format!("it cannot be read: {cause}"),
    }
}

/// Whether every user of this machine may read a file.
#[cfg(unix)]
pub fn is_readable_by_all(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o004 != 0)
}

/// Whether every user of this machine may read a file, which is not known here.
#[cfg(not(unix))]
pub fn is_readable_by_all(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_token_is_told_as_that() {
        let folder = std::env::temp_dir().join(format!("queuecast-token-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("token");
        let told = |text: &str| {
            fs::write(&file, text).unwrap();
            token_in(&file).map_err(|error| error.what)
        };
        assert_eq!(told("0123456789abcdef\nnot this\n"), Ok(b"0123456789abcdef".to_vec()));
        for (text, why) in [
            ("", "its first line is to be a token"),
            ("short\n", "its first line is to be a token"),
            ("a token with blanks in it\n", "characters other than"),
        ] {
            assert!(told(text).unwrap_err().contains(why), "{text:?}: {:?}", told(text));
        }
        let (none, directory) = (token_in(&folder.join("none")), token_in(&folder));
        assert!(none.unwrap_err().what.ends_with("none: there is no such file"));
        assert!(directory.unwrap_err().what.ends_with(": it is a directory"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
