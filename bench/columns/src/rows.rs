//! The files and questions.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// The number of questions.
const ROWS: usize = 400_000;

/// Files, and questions about them.
pub(crate) struct Data {
    pub(crate) origins: Vec<String>,
    pub(crate) bodies: Vec<Vec<u8>>,
    /// The index of the file and the URL of each question, sorted by file.
    pub(crate) grouped: Vec<(usize, String)>,
    pub(crate) shuffled: Vec<(usize, String)>,
    /// False if the files are generated.
    pub(crate) is_real: bool,
}

impl Data {
    /// Reads the reference data, or generates files if it is not there.
    pub(crate) fn load() -> Result<Self> {
        let shared = PathBuf::from(std::env::var_os("COMITY_SHARED").unwrap_or_else(|| "../shared".into()));
        let recorded = shared.join("golden/verdicts.jsonl.gz");
        let is_real = recorded.exists();
        let files = if is_real { real(&shared, recorded)? } else { generated() };
        let origins = (0..files.len()).map(|site| format!("https://site{site}.example")).collect::<Vec<_>>();
        let per_file = ROWS / files.len() + 1;
        let mut grouped = Vec::with_capacity(ROWS);
        for (site, (_, paths)) in files.iter().enumerate() {
            let paths = paths.iter().cycle().take(per_file).enumerate();
            grouped.extend(paths.map(|(number, path)| {
                let mark = if path.contains('?') { '&' } else { '?' };
                (site, format!("{}{path}{mark}p={number}", origins[site]))
            }));
        }
        grouped.truncate(ROWS);
        let mut shuffled = grouped.clone();
        fastrand::Rng::with_seed(1).shuffle(&mut shuffled);
        let bodies = files.into_iter().map(|(body, _)| body).collect();
        Ok(Self { origins, bodies, grouped, shuffled, is_real })
    }
}

type Files = Vec<(Vec<u8>, Vec<String>)>;

/// Returns real files, and the paths of their recorded questions in the form in which they are sent.
fn real(shared: &std::path::Path, recorded: PathBuf) -> Result<Files> {
    let mut files = Vec::new();
    for line in BufReader::new(MultiGzDecoder::new(File::open(recorded)?)).lines() {
        let file: Value = serde_json::from_str(&line?)?;
        let name = file["file"].as_str().context("a file has no name")?;
        let body = std::fs::read(shared.join("corpus").join(name))?;
        let mut paths: Vec<String> = file["cases"].as_array().into_iter().flatten().filter_map(path).collect();
        paths.sort();
        paths.dedup();
        if !paths.is_empty() {
            files.push((body, paths));
        }
    }
    Ok(files)
}

fn path(case: &Value) -> Option<String> {
    let (_, rest) = case["url"].as_str()?.split_once("://")?;
    let path = &rest[rest.find('/')?..];
    let is_plain = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~!$&()*+,;=:@/%?".contains(&octet);
    (path.bytes().all(is_plain) && !path.contains("/.") && !path.contains("/%")).then(|| path.to_owned())
}

fn generated() -> Files {
    let file = |number: usize| {
        let rules: String = (0..number % 60).map(|rule| format!("Disallow: /{rule}/{number}/*x\n")).collect();
        let paths = (0..50).map(|path| format!("/{}/{path}/x", path % 9)).collect();
        (format!("User-agent: *\n{rules}").into_bytes(), paths)
    };
    (0..2_970).map(file).collect()
}
