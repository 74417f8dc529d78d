//! What a service tells the supervisor that started it, as `sd_notify(3)` has it.

/// Tells a state, such as `READY=1`, where a supervisor listens.
#[cfg(target_os = "linux")]
pub fn tell(state: &str) {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    let Some(named) = std::env::var_os("NOTIFY_SOCKET") else { return };
    // A name that begins with @ is of no file.
    let address = match named.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&named),
    };
    let sent = address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    // A supervisor that does not listen gives up waiting by itself.
    drop(sent);
}

/// Elsewhere there is none.
#[cfg(not(target_os = "linux"))]
pub fn tell(_: &str) {}
