//! URLs and paths in the form in which clients send them. Requires the feature `url`.
//!
//! [`Origin`](crate::Origin) and [`Rules`](crate::Rules) need none of this. It is for programs that normalize, resolve,
//! show or compare URLs themselves and must not differ from the engine.

mod escaped;
pub(crate) mod plain;
mod resolve;
mod unambiguous;
mod userinfo;

pub use escaped::sent_url;
pub use plain::{is_plain_path, is_plain_url};
pub use resolve::{join_url, names_host, parse_url};
pub use unambiguous::{sent_path, unambiguous_path};
pub use userinfo::without_userinfo;
