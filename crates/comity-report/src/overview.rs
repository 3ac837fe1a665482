//! A site on one page: the headline of each answer, the most important one first.

use serde::Serialize;

use crate::headline::{Headline, Tone};

/// The overview of a site or of a file.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Overview {
    /// The name of the robots.txt.
    pub file: String,
    /// The site; `null` if only a file was given.
    pub site: Option<String>,
    /// The parts, each of them once, in their order.
    pub parts: Vec<OverviewPart>,
}

/// A part of an overview.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OverviewPart {
    /// The subject.
    pub part: OverviewTopic,
    /// The answer; `null` if there is none.
    pub headline: Option<Headline>,
    /// The reason why there is no answer.
    pub missing: Option<String>,
    /// The command that shows the evidence; `null` if only a file was given.
    pub command: Option<String>,
}

/// The subject of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OverviewTopic {
    /// For whom the site is open.
    Open,
    /// The mistakes in the file.
    Mistakes,
    /// The pages that the sitemaps list.
    Sitemaps,
    /// The uses of the site by AI.
    Ai,
    /// The front page.
    FrontPage,
    /// The files that the front page loads.
    Files,
    /// The addresses of the site: http and https, with and without `www`.
    Addresses,
    /// The last change of the file.
    Changes,
}

impl OverviewTopic {
    /// All parts, in their order.
    pub const ALL: [Self; 8] = [
        Self::Open,
        Self::Mistakes,
        Self::Sitemaps,
        Self::Ai,
        Self::FrontPage,
        Self::Files,
        Self::Addresses,
        Self::Changes,
    ];

    /// Returns the title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "The site",
            Self::Mistakes => "Mistakes",
            Self::Sitemaps => "Sitemaps",
            Self::Ai => "AI",
            Self::FrontPage => "Front page",
            Self::Files => "Its files",
            Self::Addresses => "Addresses",
            Self::Changes => "Changes",
        }
    }

    /// Returns the command that shows the evidence for a site.
    fn command(self, site: &str) -> String {
        match self {
            Self::Open => format!("comity matrix {site}/"),
            Self::Mistakes => format!("comity lint {site}"),
            Self::Sitemaps => format!("comity sitemaps {site} --agent Googlebot --blocked"),
            Self::Ai => format!("comity ai {site}"),
            Self::FrontPage | Self::Files => format!("comity page {site}/ --agent Googlebot"),
            Self::Addresses => format!("comity lint {site} --fetch"),
            Self::Changes => format!("comity history {site} --diff"),
        }
    }
}

impl Overview {
    /// Creates an overview. `answer` returns the headline of each part, or the reason why there is none.
    pub fn new(
        file: String,
        site: Option<String>,
        mut answer: impl FnMut(OverviewTopic) -> Result<Headline, String>,
    ) -> Self {
        let parts = OverviewTopic::ALL.map(|part| {
            let (headline, missing) = match answer(part) {
                Ok(headline) => (Some(headline), None),
                Err(missing) => (None, Some(missing)),
            };
            OverviewPart { part, headline, missing, command: site.as_deref().map(|site| part.command(site)) }
        });
        Self { file, site, parts: parts.into() }
    }

    /// Returns true if a part has a result that is a mistake, or closes something.
    #[must_use]
    pub fn has_bad(&self) -> bool {
        self.parts.iter().any(|part| part.headline.as_ref().is_some_and(|headline| headline.tone == Tone::Bad))
    }

    /// Returns true if each part has an answer.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.parts.iter().all(|part| part.headline.is_some())
    }
}
