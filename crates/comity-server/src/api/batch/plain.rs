//! URLs that a browser would send as they stand, told by a look at each octet.

/// Octets that the URL parser leaves as they are, in a path as in a query.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let octets = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@/%?";
    let mut at = 0;
    while at < octets.len() {
        plain[octets[at] as usize] = true;
        at += 1;
    }
    plain
};

/// Whether a path, perhaps with a query, is what a browser would send: no octet that it would escape or drop, and no
/// segment that may be `.` or `..`. A `false` may be wrong, and costs a real look.
pub(super) fn is_plain(path: &str) -> bool {
    let mut last = 0;
    path.starts_with('/')
        && path.bytes().all(|octet| {
            let is_fine = PLAIN[usize::from(octet)] && !(last == b'/' && matches!(octet, b'.' | b'%'));
            last = octet;
            is_fine
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::is_plain;

    proptest! {
        /// What is called plain is what the URL parser makes of it, to the letter.
        #[test]
        fn what_is_plain_stays(path in "/([a-z.%/?#&='\"|^`{}<> \\\\\\[\\]é2eE;:@~!$*+,()-]|%2[eE]|/\\.\\.?){0,12}") {
            let url = format!("https://a.test{path}");
            if is_plain(&path) {
                let sent = Url::parse(&url).unwrap();
                prop_assert_eq!(sent.as_str(), url);
            }
        }

        #[test]
        fn any_octet(path in "/[\\x00-\\x7f]{0,8}") {
            let url = format!("https://a.test{path}");
            if is_plain(&path) {
                let sent = Url::parse(&url).unwrap();
                prop_assert_eq!(sent.as_str(), url);
            }
        }
    }

    #[test]
    fn ordinary_paths_are_plain() {
        for path in ["/", "/a/b.html", "/a?b=c&d=%20", "/caf%C3%A9/", "/a/b..c/x.y"] {
            assert!(is_plain(path), "{path}");
        }
        for path in ["", "a", "/a/../b", "/a/%2e%2e/b", "/.well-known", "/a b", "/ü", "/a#b", "/a'b"] {
            assert!(!is_plain(path), "{path}");
        }
    }
}
