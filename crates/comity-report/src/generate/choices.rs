//! The choices for a robots.txt.

/// The choices for a robots.txt: `comity generate` has an option for each, with the same meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct GenerateChoices {
    /// Blocks every crawler except those of `allow` and those that use their groups.
    pub block_all: bool,
    /// Blocks the known crawlers that collect data to train AI models.
    pub block_ai_training: bool,
    /// Blocks all known AI crawlers: for training, for search, and on request of a user.
    pub block_ai: bool,
    /// The crawlers to block.
    pub block: Vec<String>,
    /// The crawlers to allow that another choice would block.
    pub allow: Vec<String>,
    /// The paths to protect: `PATH`, or `TOKEN:PATH` for one crawler.
    pub protect: Vec<String>,
    /// The paths to allow, as exceptions.
    pub allow_path: Vec<String>,
    /// The seconds between two requests: `SECONDS` or `TOKEN:SECONDS`.
    pub crawl_delay: Vec<String>,
    /// The choices for a kind of site, to which the others are added.
    pub preset: Option<GeneratePreset>,
    /// Explains each line in a comment.
    pub explain: bool,
    /// Also states preferences about AI training and search.
    pub preferences: bool,
    /// The sitemaps to list.
    pub sitemap: Vec<String>,
}

/// A kind of site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeneratePreset {
    /// A site with `WordPress`.
    Wordpress,
    /// A shop.
    Shop,
    /// A copy of a site for tests, which nobody should find.
    Staging,
    /// A site whose content should not train AI models.
    BlockAiTraining,
    /// A site for search engines only.
    SearchOnly,
}

impl GeneratePreset {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Wordpress, Self::Shop, Self::Staging, Self::BlockAiTraining, Self::SearchOnly];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wordpress => "wordpress",
            Self::Shop => "shop",
            Self::Staging => "staging",
            Self::BlockAiTraining => "block-ai-training",
            Self::SearchOnly => "search-only",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

/// A web server with a configuration of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderServer {
    /// nginx.
    Nginx,
    /// The Apache HTTP server.
    Apache,
    /// Caddy.
    Caddy,
}
