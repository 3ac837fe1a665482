//! The report for programs.

use anyhow::Result;
use comity_page::{Limit, Statement};
use serde::Serialize;

use super::Report;
use crate::render::json;

impl Report<'_> {
    pub(super) fn print_json(&self) -> Result<()> {
        #[derive(Serialize)]
        struct Said<'a> {
            #[serde(flatten)]
            said: &'a Statement,
            #[serde(skip_serializing_if = "Option::is_none")]
            because: Option<String>,
        }
        let plain = |said: &[&'_ Statement]| -> Vec<serde_json::Value> {
            said.iter().filter_map(|said| serde_json::to_value(Said { said, because: None }).ok()).collect()
        };
        let ignored: Vec<Said<'_>> =
            self.rules.ignored.iter().map(|(said, why)| Said { said, because: Some(why.to_string()) }).collect();
        let limit = |limit: Limit| match limit {
            Limit::To(number) => i64::from(number),
            Limit::Unlimited => -1,
        };
        json::print(&serde_json::json!({
            "url": self.question.typed,
            "agent": self.asker.token(),
            "known": self.asker.profile().is_some(),
            "robots": self.file,
            "page_seen": self.is_seen,
            "fetch": self.permissions.fetch,
            "index": self.permissions.index,
            "follow": self.permissions.follow,
            "training": self.permissions.training,
            "ai_input": self.permissions.ai_input,
            "search": self.permissions.search,
            "terms": self.terms,
            "max_snippet": self.rules.snippet().map(|(found, _)| limit(found)),
            "max_image_preview": self.rules.max_image_preview.map(|(found, _)| found),
            "max_video_preview": self.rules.max_video_preview.map(|(found, _)| limit(found)),
            "unavailable_after": self.rules.unavailable_after.map(|(moment, _)| moment.unix_seconds()),
            "is_past": self.is_past(),
            "rules": self.rules.to_string(),
            "conflicts": self.permissions.conflicts,
            "heard": plain(&self.rules.heard),
            "ignored": ignored,
            "others": plain(&self.rules.others),
            "notes": self.notes(),
        }))
    }
}
