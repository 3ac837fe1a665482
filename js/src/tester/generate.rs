//! `/v1/generate`: a file from choices.

use comity::{Crawlers, Escaped};
use comity_report::{GenerateChoices, GeneratePreset};

use super::question::Question;
use super::refusal::Refusal;
use super::{Answer, json};

/// The maximum size of a file that choices are added to, as in the service.
const MAX_FILE_BYTES: usize = 64 << 10;

/// The maximum number of crawlers, paths, delays and sitemaps, as in the service.
const MAX_CHOICES: usize = 100;

/// Writes a file, or adds choices to one.
pub(super) fn generate(question: &Question<'_>) -> Answer {
    let old = question.bytes("robots");
    if let Some(found) = old.map(<[u8]>::len).filter(|bytes| *bytes > MAX_FILE_BYTES) {
        let text = format!("expected a file of at most {MAX_FILE_BYTES} bytes, found {found}: use the command");
        return Err(Refusal::too_large(text));
    }
    let list = |name: &str| question.list(name).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let lists = ["block", "allow", "protect", "allow_path", "crawl_delay", "sitemap"].map(list);
    let count: usize = lists.iter().map(Vec::len).sum();
    if count > MAX_CHOICES {
        let text = format!("expected at most {MAX_CHOICES} crawlers, paths, delays and sitemaps, found {count}");
        return Err(Refusal::too_large(text));
    }
    let [block, allow, protect, allow_path, crawl_delay, sitemap] = lists;
    let choices = GenerateChoices {
        block_all: question.is_set("block_all"),
        block_ai_training: question.is_set("block_ai_training"),
        block_ai: question.is_set("block_ai"),
        block,
        allow,
        protect,
        allow_path,
        crawl_delay,
        preset: question.text("preset").map(preset).transpose()?,
        explain: question.is_set("explain"),
        preferences: question.is_set("preferences"),
        sitemap,
    };
    let written = comity_report::generate(old, &choices, &Crawlers::builtin(), &|| true);
    Ok(json(&written.map_err(|error| Refusal::unprocessable(error.to_string()))?))
}

fn preset(name: &str) -> Result<GeneratePreset, Refusal> {
    GeneratePreset::named(name).ok_or_else(|| {
        let names = GeneratePreset::ALL.map(GeneratePreset::name).join(", ");
        let found = Escaped(name.as_bytes());
        Refusal::bad_request(format!("expected one of {names} in `preset`, found `{found}`"))
    })
}
