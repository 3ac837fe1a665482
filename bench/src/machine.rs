//! The facts about the machine on which the figures depend.

use std::process::Command;

/// Returns the name of the processor, from Linux.
pub(crate) fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().into())
}

/// Returns the version that the compiler prints, such as `rustc 1.95.0 (59807616e 2026-04-14)`.
pub(crate) fn compiler() -> String {
    first_line(&["rustc", "--version"])
}

/// Returns the target of this build.
pub(crate) fn target() -> String {
    let verbose = output(&["rustc", "--version", "--verbose"]);
    verbose.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or("unknown").into()
}

/// Returns the version of the C library, which provides `memcpy` and `malloc`.
pub(crate) fn libc() -> String {
    first_line(&["ldd", "--version"])
}

/// Returns the widest vectors that are detected at run time, as memchr and the C library do it.
pub(crate) fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    return if std::arch::is_x86_feature_detected!("avx2") { "avx2" } else { "sse2" };
    #[cfg(not(target_arch = "x86_64"))]
    return "of the target";
}

fn first_line(words: &[&str]) -> String {
    output(words).lines().next().unwrap_or("unknown").trim().into()
}

fn output(words: &[&str]) -> String {
    let output = Command::new(words[0]).args(&words[1..]).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
