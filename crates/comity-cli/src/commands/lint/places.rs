//! The files of a project that has its robots.txt where a web framework expects it.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The places of the file: the folders that frameworks publish as they are, and, for Next.js, the folder of its pages.
const FILES: [&str; 6] =
    ["robots.txt", "public/robots.txt", "static/robots.txt", "src/robots.txt", "app/robots.txt", "src/app/robots.txt"];

/// The places of a program of Next.js that returns the content of the file. It may need the settings and the secrets of
/// the site, so it is not run.
const PROGRAMS: [&str; 4] = ["app/robots.ts", "app/robots.js", "src/app/robots.ts", "src/app/robots.js"];

/// Returns the robots.txt files of the project in the current folder. Names them on standard error, unless `is_quiet` or
/// the only one is in the folder itself. Fails if there is none.
pub(super) fn find(is_quiet: bool) -> Result<Vec<PathBuf>> {
    // A link without a target is there, too: reading it fails with an error that names it.
    let is_there = |place: &&&str| Path::new(place).symlink_metadata().is_ok_and(|found| !found.is_dir());
    let files: Vec<&str> = FILES.iter().filter(is_there).copied().collect();
    let programs: Vec<&str> = PROGRAMS.iter().filter(is_there).copied().collect();
    let lint_site = "`comity lint http://localhost:3000`, with the address of the site, checks what it serves";
    if files.is_empty() {
        let found = match programs.as_slice() {
            [] => "none".to_owned(),
            some => format!("only {}, which writes it in Next.js and is not run: {lint_site}", some.join(" and ")),
        };
        bail!("expected a robots.txt in one of the places {}, found {found}", FILES.join(", "));
    }
    if !is_quiet && files != ["robots.txt"] {
        eprintln!("note: no file was named; found {}", files.join(", "));
    }
    for program in programs.iter().filter(|_| !is_quiet) {
        eprintln!("note: {program} writes a robots.txt in Next.js and is not run: {lint_site}");
    }
    Ok(files.into_iter().map(PathBuf::from).collect())
}
