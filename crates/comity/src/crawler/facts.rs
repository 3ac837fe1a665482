//! The facts that rows of the crawler table share: those of operators with several crawlers.

use alloc::borrow::Cow;

use crate::crawler::page_support::PageSupport;
use crate::crawler::profile::{
    AiUse,
    DelaySupport::{self, Ignored, Obeyed, Unknown},
    Governed::{self, MayBypass, No, Unstated, Yes},
    Profile, Purpose,
};
use crate::dialect::Dialect;

/// A list of tokens or names.
macro_rules! chain {
    ($($token:literal),+) => { const { &[$(Cow::Borrowed($token)),+] } };
}
pub(super) use chain;

/// A row without its token and purpose. It is `Copy`, so that constants can use struct update syntax, which `Profile`
/// does not allow because of its destructor.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) operator: &'static str,
    pub(super) ai: Option<AiUse>,
    pub(super) fallback: &'static [Cow<'static, str>],
    pub(super) obeys_star: bool,
    pub(super) governed: Governed,
    pub(super) crawl_delay: DelaySupport,
    pub(super) dialect: Dialect,
    pub(super) pages: Pages,
    pub(super) docs: &'static str,
    pub(super) checked: &'static str,
    pub(super) confirmed: bool,
    pub(super) retired: bool,
    pub(super) note: &'static str,
}

/// The columns of [`PageSupport`], in the same order.
#[derive(Clone, Copy)]
pub(super) struct Pages {
    pub(super) supports: &'static [Cow<'static, str>],
    pub(super) ignores: &'static [Cow<'static, str>],
    pub(super) forbid_training: &'static [Cow<'static, str>],
    pub(super) forbid_ai_input: &'static [Cow<'static, str>],
    pub(super) none_means_nosnippet: bool,
    pub(super) meta_names: &'static [Cow<'static, str>],
    pub(super) supports_under: &'static [Cow<'static, str>],
}

/// The columns of a crawler whose operator documents no page rules.
pub(super) const NO_PAGES: Pages = Pages {
    supports: &[],
    ignores: &[],
    forbid_training: &[],
    forbid_ai_input: &[],
    none_means_nosnippet: false,
    meta_names: &[],
    supports_under: &[],
};

/// The month in which all rows were last compared with their sources. A row that is compared again gets a month of its
/// own.
const NOVEMBER_2026: &str = "2026-11";

/// Returns the facts of a crawler about which only this is documented: it obeys the groups that name it, or the groups
/// for `*` if no group does.
pub(super) const fn by(operator: &'static str, docs: &'static str) -> Facts {
    Facts {
        operator,
        ai: None,
        fallback: &[],
        obeys_star: true,
        governed: Yes,
        crawl_delay: Unknown,
        dialect: Dialect::STANDARD,
        pages: NO_PAGES,
        docs,
        checked: NOVEMBER_2026,
        confirmed: false,
        retired: false,
        note: "",
    }
}

pub(super) const fn row(token: &'static str, purpose: Purpose, facts: Facts) -> Profile {
    Profile {
        token: Cow::Borrowed(token),
        operator: Cow::Borrowed(facts.operator),
        purpose,
        ai: facts.ai,
        fallback: Cow::Borrowed(facts.fallback),
        obeys_star: facts.obeys_star,
        governed: facts.governed,
        crawl_delay: facts.crawl_delay,
        dialect: facts.dialect,
        page_rules: PageSupport {
            supports: Cow::Borrowed(facts.pages.supports),
            ignores: Cow::Borrowed(facts.pages.ignores),
            forbid_training: Cow::Borrowed(facts.pages.forbid_training),
            forbid_ai_input: Cow::Borrowed(facts.pages.forbid_ai_input),
            none_means_nosnippet: facts.pages.none_means_nosnippet,
            meta_names: Cow::Borrowed(facts.pages.meta_names),
            supports_under: Cow::Borrowed(facts.pages.supports_under),
        },
        docs: Cow::Borrowed(facts.docs),
        checked: Cow::Borrowed(facts.checked),
        confirmed: facts.confirmed,
        retired: facts.retired,
        note: Cow::Borrowed(facts.note),
    }
}

// Google: one page for each of its three kinds of crawlers.
pub(super) const GOOGLE_PAGES: Pages = Pages {
    supports: chain![
        "none",
        "nosnippet",
        "max-snippet",
        "max-image-preview",
        "max-video-preview",
        "notranslate",
        "noimageindex",
        "unavailable_after",
        "indexifembedded",
        "nopagereadaloud"
    ],
    ignores: chain!["noarchive", "nocache", "nositelinkssearchbox", "noai", "noimageai"],
    forbid_ai_input: chain!["nosnippet"],
    supports_under: chain!["google: nopagereadaloud"],
    ..NO_PAGES
};
/// Google's search crawlers. Of the meta tags that name a crawler, they obey only those with these names.
pub(super) const GOOGLE_SEARCH_PAGES: Pages =
    Pages { meta_names: chain!["googlebot", "googlebot-news"], ..GOOGLE_PAGES };
pub(super) const GOOGLE_SEARCH: Facts = Facts { pages: GOOGLE_SEARCH_PAGES, ..GOOGLE };
pub(super) const GOOGLE_SEARCH_NAMED: Facts = Facts { fallback: chain!["Googlebot"], ..GOOGLE_SEARCH };
pub(super) const GOOGLE: Facts = Facts {
    crawl_delay: Ignored,
    dialect: Dialect::GOOGLE,
    pages: GOOGLE_PAGES,
    confirmed: true,
    ..by("Google", "developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers")
};
pub(super) const GOOGLE_SPECIAL: Facts = Facts {
    obeys_star: false,
    docs: "developers.google.com/crawling/docs/crawlers-fetchers/google-special-case-crawlers",
    ..GOOGLE
};
pub(super) const GOOGLE_FETCHER: Facts = Facts {
    obeys_star: false,
    governed: No,
    docs: "developers.google.com/crawling/docs/crawlers-fetchers/google-user-triggered-fetchers",
    ..GOOGLE
};
/// Fetchers that a person triggers, and whose pages are not used for AI.
pub(super) const GOOGLE_PLAIN_FETCHER: Facts = Facts { ai: Some(AiUse::None), ..GOOGLE_FETCHER };
pub(super) const GOOGLE_OTHER_NAMED: Facts = Facts {
    fallback: chain!["GoogleOther"],
    confirmed: false,
    note: "The fallback to GoogleOther is not confirmed.",
    ..GOOGLE
};
pub(super) const GOOGLE_RETIRED: Facts =
    Facts { governed: Unstated, docs: "", confirmed: false, retired: true, note: "Retired.", ..GOOGLE };

pub(super) const BING: Facts = Facts {
    dialect: Dialect::BING,
    pages: Pages {
        supports: chain!["max-snippet", "max-image-preview", "max-video-preview", "noarchive", "nocache"],
        forbid_ai_input: chain!["noarchive"],
        ..NO_PAGES
    },
    ..by("Microsoft", "bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0")
};
pub(super) const BING_ASSUMED: Facts =
    Facts { fallback: chain!["bingbot"], note: "The fallback to bingbot is assumed.", ..BING };

pub(super) const YANDEX: Facts = Facts {
    crawl_delay: Ignored,
    dialect: Dialect::YANDEX,
    confirmed: true,
    ..by("Yandex", "yandex.com/support/webmaster/en/robot-workings/")
};
pub(super) const YANDEX_NAMED: Facts = Facts { fallback: chain!["Yandex"], ..YANDEX };
pub(super) const YANDEX_ADDITIONAL: Facts =
    Facts { confirmed: false, note: "The fallback to Yandex is assumed.", ..YANDEX_NAMED };
pub(super) const YANDEX_SPECIAL: Facts = Facts {
    obeys_star: false,
    confirmed: false,
    note: "Obeys only groups that name it; that these exclude `*` is reported.",
    ..YANDEX
};

pub(super) const APPLE: Facts = Facts {
    crawl_delay: Ignored,
    pages: Pages {
        supports: chain!["none", "nosnippet"],
        forbid_ai_input: chain!["nosnippet"],
        none_means_nosnippet: true,
        ..NO_PAGES
    },
    ..by("Apple", "support.apple.com/en-us/119829")
};

pub(super) const BAIDU: Facts = Facts {
    crawl_delay: Ignored,
    note: "That it ignores Crawl-delay is not confirmed.",
    ..by("Baidu", "baidu.com/search/robots_english.html")
};
pub(super) const BAIDU_NAMED: Facts = Facts {
    fallback: chain!["Baiduspider"],
    note: "The fallback to Baiduspider and that it ignores Crawl-delay are not confirmed.",
    ..BAIDU
};
pub(super) const BAIDU_ADS: Facts =
    Facts { note: "May need a group of its own: whether `*` binds it is not known.", ..BAIDU };

pub(super) const SEZNAM: Facts = by("Seznam", "o-seznam.cz/napoveda/vyhledavani/en/crawling-control/");
pub(super) const NAVER: Facts = by("Naver", "searchadvisor.naver.com/guide/seo-basic-firewall");

pub(super) const OPENAI: Facts = by("OpenAI", "developers.openai.com/api/docs/bots");
pub(super) const ANTHROPIC: Facts =
    Facts { crawl_delay: Obeyed, ..by("Anthropic", "support.claude.com/en/articles/8896518") };
pub(super) const ANTHROPIC_LEGACY: Facts =
    Facts { governed: Unstated, note: "A legacy token, undocumented.", ..by("Anthropic", "") };
pub(super) const META: Facts = by("Meta", "developers.facebook.com/docs/sharing/webmasters/web-crawlers");
pub(super) const AMAZON: Facts = Facts {
    crawl_delay: Ignored,
    pages: Pages { supports: chain!["none", "noarchive"], forbid_training: chain!["noarchive"], ..NO_PAGES },
    ..by("Amazon", "developer.amazon.com/amazonbot")
};
pub(super) const PERPLEXITY: Facts = by("Perplexity", "docs.perplexity.ai/docs/resources/perplexity-crawlers");
pub(super) const MISTRAL: Facts = by("Mistral", "docs.mistral.ai/robots");
pub(super) const AI2: Facts = by("Ai2", "allenai.org/crawler");
pub(super) const COHERE: Facts = Facts { governed: Unstated, note: "Whether it obeys is unclear.", ..by("Cohere", "") };
pub(super) const WEBZ: Facts = by("Webz.io", "webz.io");

pub(super) const SEMRUSH: Facts = Facts {
    crawl_delay: Obeyed,
    note: "Said to cap Crawl-delay at 10 seconds; not confirmed.",
    ..by("Semrush", "semrush.com/bot")
};
pub(super) const SEMRUSH_NAMED: Facts = Facts {
    fallback: chain!["SemrushBot"],
    note: "The fallback to SemrushBot is assumed; said to cap Crawl-delay at 10 seconds.",
    ..SEMRUSH
};
pub(super) const MOZ: Facts = Facts {
    crawl_delay: Obeyed,
    note: "Support for Crawl-delay is not confirmed.",
    ..by("Moz", "moz.com/help/moz-procedures/crawlers")
};

pub(super) const SITE_AUDIT: Facts = Facts {
    governed: MayBypass,
    note: "Semrush's Site Audit, whose users may turn robots.txt off for sites of their own.",
    ..by("Semrush", "semrush.com/bot")
};

pub(super) const BLEXBOT_DOCS: &str = "help.seranking.com/hc/en-us/articles/17126130916636-BLEXBot-Crawler";
pub(super) const PINTEREST: Facts = by("Pinterest", "help.pinterest.com/en/business/article/pinterest-crawler");
pub(super) const SLACK: Facts =
    Facts { governed: Unstated, note: "Whether it obeys is not documented.", ..by("Slack", "api.slack.com/robots") };
pub(super) const COC_COC: Facts = by("Coc Coc", "help.coccoc.com/en/search-engine/coccoc-robots");
pub(super) const COC_COC_NAMED: Facts =
    Facts { fallback: chain!["coccocbot"], note: "Obeys the group whose name is most like its own.", ..COC_COC };

/// Public lists of crawlers: the source of a row if its operator documents nothing.
const USER_AGENT_LIST: &str = "github.com/monperrus/crawler-user-agents";
const AI_LIST: &str = "github.com/ai-robots-txt/ai.robots.txt";

/// Returns the facts of a crawler of which only a public list is known.
pub(super) const fn listed(operator: &'static str) -> Facts {
    Facts {
        governed: Unstated,
        note: "Its operator documents nothing; the source is a public list.",
        ..by(operator, USER_AGENT_LIST)
    }
}

/// Returns the facts of a crawler of which only a public list of AI crawlers is known.
pub(super) const fn listed_for_ai(operator: &'static str) -> Facts {
    Facts { docs: AI_LIST, ..listed(operator) }
}

/// Returns the facts of a crawler whose operator states that it obeys, as quoted by a public list.
pub(super) const fn quoted(operator: &'static str, docs: &'static str) -> Facts {
    Facts { note: "That it obeys is quoted by a public list.", ..by(operator, docs) }
}

/// Returns the facts of a crawler whose `User-Agent` header names a page of its operator.
pub(super) const fn names_page(operator: &'static str, docs: &'static str) -> Facts {
    Facts {
        governed: Unstated,
        note: "Its User-Agent header names this page; whether it obeys is not confirmed.",
        ..by(operator, docs)
    }
}
