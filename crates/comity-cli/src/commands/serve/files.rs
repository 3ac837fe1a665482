//! The limit on open files: each connection is one.

use comity_server::ServerLimits;

/// A limit that is too low for the configured number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileLimitTooLow {
    /// The number of files that the process may have open.
    files: usize,
    needed: usize,
    wanted_connections: usize,
    connections: usize,
}

/// Raises the limit on open files of this process as far as the system allows. If that is not enough, lowers
/// `limits.connections` to a number that fits, so that the service closes idle connections before the system refuses
/// new ones.
pub(crate) fn raise(limits: &mut ServerLimits) -> Option<FileLimitTooLow> {
    let files = raise_to(limits.files())?;
    fit(limits, files)
}

fn fit(limits: &mut ServerLimits, files: usize) -> Option<FileLimitTooLow> {
    let (needed, wanted_connections) = (limits.files(), limits.connections);
    if files >= needed {
        return None;
    }
    // If the limit is very low, use half of the files for connections.
    limits.connections = (wanted_connections - (needed - files).min(wanted_connections)).max(files / 2).max(1);
    Some(FileLimitTooLow { files, needed, wanted_connections, connections: limits.connections })
}

impl FileLimitTooLow {
    /// Writes a warning to the log.
    pub(crate) fn warn(self) {
        let Self { files, needed, wanted_connections, connections } = self;
        tracing::warn!(
            "this process may have {files} files open, and --connections {wanted_connections} needs {needed}: it takes \
            on {connections} connections; raise the limit (`ulimit -n`, `LimitNOFILE=`) or lower --connections"
        );
    }
}

/// Returns the number of files that the process may have open after raising the limit; `None` if there is no limit.
#[cfg(unix)]
fn raise_to(needed: usize) -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raise = |files| setrlimit(Resource::Nofile, Rlimit { current: files, maximum: limit.maximum }).is_ok();
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    // Some systems report a higher limit than they accept.
    if limit.current.is_some() && !raise(limit.maximum) && limit.current < Some(needed) {
        raise(Some(limit.maximum.map_or(needed, |most| most.min(needed))));
    }
    getrlimit(Resource::Nofile).current.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raise_to(_: usize) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_fit_the_files() {
        let fitted = |files: usize| {
            let mut limits = ServerLimits::default();
            let is_enough = fit(&mut limits, files).is_none();
            (is_enough, limits.connections)
        };
        let needed = ServerLimits::default().files();
        assert_eq!(fitted(needed), (true, 4096));
        assert_eq!(fitted(needed - 1), (false, 4095));
        assert_eq!(fitted(2048), (false, 4096 + 2048 - needed));
        assert_eq!(fitted(80), (false, 40));
        assert_eq!(fitted(0), (false, 1));
    }
}
