//! `/v1/generate`: writes a robots.txt from choices.

use axum::response::Response;
use comity_report::{GenerateChoices, GeneratePreset, generate};
use serde::Deserialize;

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

/// The maximum size of a file that choices are added to. The proofs take longer for a longer one.
const MAX_FILE_BYTES: usize = 64 << 10;

/// The maximum number of crawlers, paths, delays and sitemaps in one request, together.
const MAX_CHOICES: usize = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
pub(crate) struct GenerateQuestion {
    /// The choices for a kind of site: `wordpress`, `shop`, `staging`, `block-ai-training` or `search-only`. The other
    /// choices are added to them.
    preset: Option<String>,
    /// Blocks every crawler except those of `allow` and those that use their groups.
    block_all: bool,
    /// Blocks the known crawlers that collect data to train AI models. AI search stays allowed.
    block_ai_training: bool,
    /// Blocks all known AI crawlers: for training, for search, and on request of a user.
    block_ai: bool,
    /// The crawlers to block.
    block: Vec<String>,
    /// The crawlers to allow that another choice would block.
    allow: Vec<String>,
    /// The paths to protect: `PATH`, or `TOKEN:PATH` for one crawler.
    protect: Vec<String>,
    /// The paths to allow, as exceptions: `PATH` or `TOKEN:PATH`.
    allow_path: Vec<String>,
    /// The seconds between two requests: `SECONDS` or `TOKEN:SECONDS`.
    crawl_delay: Vec<String>,
    /// The sitemaps to list.
    sitemap: Vec<String>,
    /// Explains each line in a comment.
    explain: bool,
    /// Also states preferences about AI training and search: `Content-Signal` and `Content-Usage`.
    preferences: bool,
    /// The file to add the choices to. Without it, a new file is written.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
}

/// Writes a robots.txt from choices
///
/// The file is checked before it is returned: it gives the promised answers to every known crawler, in the dialect of
/// its operator, and to an unknown one. If choices are added to an existing file, its lines stay as they are, and the
/// answer contains what changes, for all URLs and all crawlers. Fetches nothing.
pub(crate) async fn write(caller: Caller, Json(question): Json<GenerateQuestion>) -> Result<Response, Problem> {
    let old = ask::given(question.robots, question.robots_b64)?;
    if let Some(found) = old.as_ref().map(Vec::len).filter(|bytes| *bytes > MAX_FILE_BYTES) {
        let text = format!("expected a file of at most {MAX_FILE_BYTES} bytes, found {found}: use the command");
        return Err(Problem::too_large(text).with_max(MAX_FILE_BYTES));
    }
    let lists = [
        &question.block,
        &question.allow,
        &question.protect,
        &question.allow_path,
        &question.crawl_delay,
        &question.sitemap,
    ];
    let count: usize = lists.iter().map(|list| list.len()).sum();
    if count > MAX_CHOICES {
        let text = format!("expected at most {MAX_CHOICES} crawlers, paths, delays and sitemaps, found {count}");
        return Err(Problem::too_large(text).with_max(MAX_CHOICES));
    }
    let choices = GenerateChoices {
        block_all: question.block_all,
        block_ai_training: question.block_ai_training,
        block_ai: question.block_ai,
        block: question.block,
        allow: question.allow,
        protect: question.protect,
        allow_path: question.allow_path,
        crawl_delay: question.crawl_delay,
        preset: ask::named("preset", &GeneratePreset::ALL, |preset| preset.name(), question.preset.as_deref())?,
        explain: question.explain,
        preferences: question.preferences,
        sitemap: question.sitemap,
    };
    document(&caller, false, move |state, budget| {
        let written = generate(old.as_deref(), &choices, &state.crawlers, &|| budget.is_left());
        budget.check()?;
        budget.json(&written.map_err(|error| Problem::unprocessable(error.to_string()))?)
    })
    .await
}
