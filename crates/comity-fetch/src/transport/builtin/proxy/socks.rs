//! SOCKS version 5 (RFC 1928), with a user name and a password (RFC 1929).
//!
//! The protocol has three messages, so there is no dependency for it: the one of the HTTP library's authors would add
//! four crates.

use std::io;

use comity_policy::Failure;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Host;

use crate::transport::builtin::link::Link;
use crate::transport::error::TransportError;

const VERSION: u8 = 5;

/// Authentication methods (RFC 1928 §3).
const NONE: u8 = 0;
const PASSWORD: u8 = 2;

/// Asks a proxy for a tunnel to a host. The proxy resolves names.
pub(super) async fn connect(
    link: &mut Link,
    host: &Host<&str>,
    port: u16,
    user: Option<&(String, String)>,
) -> Result<(), TransportError> {
    let methods: &[u8] = if user.is_some() { &[VERSION, 2, PASSWORD, NONE] } else { &[VERSION, 1, NONE] };
    send(link, methods).await?;
    match (read::<2>(link).await?, user) {
        ([VERSION, NONE], _) => {}
        ([VERSION, PASSWORD], Some((user, password))) => {
            let mut message = vec![1];
            push(&mut message, user, "the user name")?;
            push(&mut message, password, "the password")?;
            send(link, &message).await?;
            if read::<2>(link).await?[1] != 0 {
                return Err(failed("it refused the user name and password"));
            }
        }
        ([VERSION, _], None) => {
            return Err(failed(
                "its SOCKS wants a user name and a password: give them as socks5h://USER:PASSWORD@HOST:PORT",
            ));
        }
        ([VERSION, _], _) => return Err(failed("it accepts neither a password nor a connection without one")),
        _ => return Err(failed("the proxy's answer is not SOCKS 5")),
    }
    let mut request = vec![VERSION, 1, 0];
    match host {
        Host::Ipv4(address) => {
            request.push(1);
            request.extend(address.octets());
        }
        Host::Domain(name) => {
            request.push(3);
            push(&mut request, name, "the name of the host")?;
        }
        Host::Ipv6(address) => {
            request.push(4);
            request.extend(address.octets());
        }
    }
    request.extend(port.to_be_bytes());
    send(link, &request).await?;
    let [version, reply, _, kind] = read::<4>(link).await?;
    if version != VERSION {
        return Err(failed("the proxy's answer is not SOCKS 5"));
    }
    if reply != 0 {
        return Err(failed(refusal(reply)));
    }
    // The address from which the proxy connected, which is not used.
    let length = match kind {
        1 => 4,
        3 => usize::from(read::<1>(link).await?[0]),
        4 => 16,
        _ => return Err(failed("its reply has an address of an unknown type")),
    };
    let mut bound = vec![0; length + 2];
    link.read_exact(&mut bound).await.map(drop).map_err(|e| broken(&e))
}

/// Returns the meaning of a reply (RFC 1928 §6).
fn refusal(reply: u8) -> &'static str {
    match reply {
        2 => "its rules do not allow this connection",
        3 => "it cannot reach the network",
        4 => "it cannot reach the host, or does not know it",
        5 => "the host refused the connection",
        6 => "the time to live expired on the way to the host",
        7 => "it makes no connections",
        8 => "it does not support addresses of this type",
        _ => "it failed",
    }
}

fn push(message: &mut Vec<u8>, text: &str, what: &str) -> Result<(), TransportError> {
    let length = u8::try_from(text.len()).map_err(|_| failed(&format!("{what} is longer than 255 bytes")))?;
    message.push(length);
    message.extend_from_slice(text.as_bytes());
    Ok(())
}

async fn send(link: &mut Link, message: &[u8]) -> Result<(), TransportError> {
    link.write_all(message).await.map_err(|e| broken(&e))?;
    link.flush().await.map_err(|e| broken(&e))
}

async fn read<const N: usize>(link: &mut Link) -> Result<[u8; N], TransportError> {
    let mut bytes = [0; N];
    link.read_exact(&mut bytes).await.map_err(|e| broken(&e))?;
    Ok(bytes)
}

fn broken(_: &io::Error) -> TransportError {
    failed("it closed the connection instead of making a tunnel")
}

fn failed(detail: &str) -> TransportError {
    TransportError::new(Failure::Connect, detail)
}
