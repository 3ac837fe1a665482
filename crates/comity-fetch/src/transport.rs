//! One request, one response, by HTTP or FTP.
//!
//! A [`Transport`] carries out exchanges: the [`BuiltinTransport`] of the feature `http`,
//! or one of your own. A [`Sender`] sends through it the requests of a [`comity_policy::Site`]: once, without following
//! redirects, without cookies, without trying again. It checks the URL by the address rules before, and heads, lengths and
//! content codings after.
//!
//! Whatever is not understood is a [`TransportError`], never an empty body: an empty robots.txt allows everything.

mod body;
#[cfg(feature = "http")]
mod builtin;
mod decode;
mod error;
mod exchange;
mod framing;
mod options;
mod sender;

pub(crate) use decode::is_known as is_known_coding;

pub use body::Body;
#[cfg(feature = "http")]
pub use builtin::{BuiltinOptions, BuiltinTransport, Connect, Connecting, Proxy, ProxyError, SystemConnector};
pub use error::TransportError;
pub use exchange::{
    Chunk, End, NextChunk, Protocol, ResponseBody, Sending, Transport, TransportRequest, TransportResponse,
};
pub use options::{Options, OptionsError};
pub use sender::{CheckedResponse, Sender};
