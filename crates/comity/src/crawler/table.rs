//! The built-in table: crawlers that site owners write groups for, with the facts that their operators document.
//!
//! A row is `confirmed` only if the operator's own documentation states all of it. A row that is based in part on
//! quotations, reports or inference, or has an open question, is not confirmed, however likely it is. Its note names
//! the parts that are inferred or reported.

use alloc::borrow::Cow;

use crate::crawler::page_support::PageSupport;
use crate::crawler::profile::{
    AiUse,
    DelaySupport::{self, Heeded, Ignored, Unknown},
    Governed::{self, ControlToken, MayBypass, No, Unstated, Yes},
    Profile,
    Purpose::{self, Ads, AiSearch, AiTraining, Archive, Other, Preview, Search, Security, Seo, Tool, UserTriggered},
};
use crate::dialect::Dialect;

/// A row without its token and purpose. It is `Copy`, so that constants can use struct update syntax, which `Profile`
/// does not allow because of its destructor.
#[derive(Clone, Copy)]
struct Facts {
    operator: &'static str,
    ai: Option<AiUse>,
    fallback: &'static [Cow<'static, str>],
    obeys_star: bool,
    governed: Governed,
    crawl_delay: DelaySupport,
    dialect: Dialect,
    pages: Pages,
    docs: &'static str,
    confirmed: bool,
    retired: bool,
    note: &'static str,
}

/// The columns of [`PageSupport`], in the same order.
#[derive(Clone, Copy)]
struct Pages {
    heeds: &'static [Cow<'static, str>],
    ignores: &'static [Cow<'static, str>],
    forbid_training: &'static [Cow<'static, str>],
    forbid_ai_input: &'static [Cow<'static, str>],
    none_means_nosnippet: bool,
    meta_names: &'static [Cow<'static, str>],
    heeds_under: &'static [Cow<'static, str>],
}

/// The columns of a crawler whose operator documents no page rules.
const NO_PAGES: Pages = Pages {
    heeds: &[],
    ignores: &[],
    forbid_training: &[],
    forbid_ai_input: &[],
    none_means_nosnippet: false,
    meta_names: &[],
    heeds_under: &[],
};

/// Returns the facts of a crawler about which only this is documented: it obeys the groups that name it, or the groups
/// for `*` if no group does.
const fn by(operator: &'static str, docs: &'static str) -> Facts {
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
        confirmed: false,
        retired: false,
        note: "",
    }
}

const fn row(token: &'static str, purpose: Purpose, facts: Facts) -> Profile {
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
            heeds: Cow::Borrowed(facts.pages.heeds),
            ignores: Cow::Borrowed(facts.pages.ignores),
            forbid_training: Cow::Borrowed(facts.pages.forbid_training),
            forbid_ai_input: Cow::Borrowed(facts.pages.forbid_ai_input),
            none_means_nosnippet: facts.pages.none_means_nosnippet,
            meta_names: Cow::Borrowed(facts.pages.meta_names),
            heeds_under: Cow::Borrowed(facts.pages.heeds_under),
        },
        docs: Cow::Borrowed(facts.docs),
        confirmed: facts.confirmed,
        retired: facts.retired,
        note: Cow::Borrowed(facts.note),
    }
}

/// A list of tokens or names.
macro_rules! chain {
    ($($token:literal),+) => { const { &[$(Cow::Borrowed($token)),+] } };
}

// Google: one page for each of its three kinds of crawlers.
const GOOGLE_PAGES: Pages = Pages {
    heeds: chain![
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
    heeds_under: chain!["google: nopagereadaloud"],
    ..NO_PAGES
};
/// Google's search crawlers. Of the meta tags that name a crawler, they obey only those with these names.
const GOOGLE_SEARCH_PAGES: Pages = Pages { meta_names: chain!["googlebot", "googlebot-news"], ..GOOGLE_PAGES };
const GOOGLE_SEARCH: Facts = Facts { pages: GOOGLE_SEARCH_PAGES, ..GOOGLE };
const GOOGLE_SEARCH_NAMED: Facts = Facts { fallback: chain!["Googlebot"], ..GOOGLE_SEARCH };
const GOOGLE: Facts = Facts {
    crawl_delay: Ignored,
    dialect: Dialect::GOOGLE,
    pages: GOOGLE_PAGES,
    confirmed: true,
    ..by("Google", "developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers")
};
const GOOGLE_SPECIAL: Facts = Facts {
    obeys_star: false,
    docs: "developers.google.com/crawling/docs/crawlers-fetchers/google-special-case-crawlers",
    ..GOOGLE
};
const GOOGLE_FETCHER: Facts = Facts {
    obeys_star: false,
    governed: No,
    docs: "developers.google.com/crawling/docs/crawlers-fetchers/google-user-triggered-fetchers",
    ..GOOGLE
};
/// Fetchers that a person triggers, and whose pages are not used for AI.
const GOOGLE_PLAIN_FETCHER: Facts = Facts { ai: Some(AiUse::None), ..GOOGLE_FETCHER };
const GOOGLE_OTHER_NAMED: Facts = Facts {
    fallback: chain!["GoogleOther"],
    confirmed: false,
    note: "The fallback to GoogleOther is not confirmed.",
    ..GOOGLE
};
const GOOGLE_RETIRED: Facts =
    Facts { governed: Unstated, docs: "", confirmed: false, retired: true, note: "Retired.", ..GOOGLE };

const BING: Facts = Facts {
    dialect: Dialect::BING,
    pages: Pages {
        heeds: chain!["max-snippet", "max-image-preview", "max-video-preview", "noarchive", "nocache"],
        forbid_ai_input: chain!["noarchive"],
        ..NO_PAGES
    },
    ..by("Microsoft", "bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0")
};
const BING_ASSUMED: Facts = Facts { fallback: chain!["bingbot"], note: "The fallback to bingbot is assumed.", ..BING };

const YANDEX: Facts = Facts {
    crawl_delay: Ignored,
    dialect: Dialect::YANDEX,
    confirmed: true,
    ..by("Yandex", "yandex.com/support/webmaster/en/robot-workings/")
};
const YANDEX_NAMED: Facts = Facts { fallback: chain!["Yandex"], ..YANDEX };
const YANDEX_ADDITIONAL: Facts = Facts { confirmed: false, note: "The fallback to Yandex is assumed.", ..YANDEX_NAMED };
const YANDEX_SPECIAL: Facts = Facts {
    obeys_star: false,
    confirmed: false,
    note: "Heeds only groups that name it; that these exclude `*` is reported.",
    ..YANDEX
};

const APPLE: Facts = Facts {
    crawl_delay: Ignored,
    pages: Pages {
        heeds: chain!["none", "nosnippet"],
        forbid_ai_input: chain!["nosnippet"],
        none_means_nosnippet: true,
        ..NO_PAGES
    },
    ..by("Apple", "support.apple.com/en-us/119829")
};

const BAIDU: Facts = Facts {
    crawl_delay: Ignored,
    note: "That it ignores Crawl-delay is not confirmed.",
    ..by("Baidu", "baidu.com/search/robots_english.html")
};
const BAIDU_NAMED: Facts = Facts {
    fallback: chain!["Baiduspider"],
    note: "The fallback to Baiduspider and that it ignores Crawl-delay are not confirmed.",
    ..BAIDU
};
const BAIDU_ADS: Facts = Facts { note: "May need a group of its own: whether `*` binds it is not known.", ..BAIDU };

const SEZNAM: Facts = by("Seznam", "o-seznam.cz/napoveda/vyhledavani/en/crawling-control/");
const NAVER: Facts = by("Naver", "searchadvisor.naver.com/guide/seo-basic-firewall");

const OPENAI: Facts = by("OpenAI", "developers.openai.com/api/docs/bots");
const ANTHROPIC: Facts = Facts { crawl_delay: Heeded, ..by("Anthropic", "support.claude.com/en/articles/8896518") };
const ANTHROPIC_LEGACY: Facts =
    Facts { governed: Unstated, note: "A legacy token, undocumented.", ..by("Anthropic", "") };
const META: Facts = by("Meta", "developers.facebook.com/docs/sharing/webmasters/web-crawlers");
const AMAZON: Facts = Facts {
    crawl_delay: Ignored,
    pages: Pages { heeds: chain!["none", "noarchive"], forbid_training: chain!["noarchive"], ..NO_PAGES },
    ..by("Amazon", "developer.amazon.com/amazonbot")
};
const PERPLEXITY: Facts = by("Perplexity", "docs.perplexity.ai/docs/resources/perplexity-crawlers");
const MISTRAL: Facts = by("Mistral", "docs.mistral.ai/robots");
const AI2: Facts = by("Ai2", "allenai.org/crawler");
const COHERE: Facts = Facts { governed: Unstated, note: "Whether it obeys is unclear.", ..by("Cohere", "") };
const WEBZ: Facts = by("Webz.io", "webz.io");

const SEMRUSH: Facts = Facts {
    crawl_delay: Heeded,
    note: "Said to cap Crawl-delay at 10 seconds; not confirmed.",
    ..by("Semrush", "semrush.com/bot")
};
const SEMRUSH_NAMED: Facts = Facts {
    fallback: chain!["SemrushBot"],
    note: "The fallback to SemrushBot is assumed; said to cap Crawl-delay at 10 seconds.",
    ..SEMRUSH
};
const MOZ: Facts = Facts {
    crawl_delay: Heeded,
    note: "That it heeds Crawl-delay is not confirmed.",
    ..by("Moz", "moz.com/help/moz-procedures/crawlers")
};

// The sources of the rows below were read in November 2026.
const BLEXBOT_DOCS: &str = "help.seranking.com/hc/en-us/articles/17126130916636-BLEXBot-Crawler";
const PINTEREST: Facts = by("Pinterest", "help.pinterest.com/en/business/article/pinterest-crawler");
const SLACK: Facts =
    Facts { governed: Unstated, note: "Whether it obeys is not documented.", ..by("Slack", "api.slack.com/robots") };
const COC_COC: Facts = by("Coc Coc", "help.coccoc.com/en/search-engine/coccoc-robots");
const COC_COC_NAMED: Facts =
    Facts { fallback: chain!["coccocbot"], note: "Obeys the group whose name is most like its own.", ..COC_COC };

/// The built-in table of crawlers, grouped by operator: the rows of [`Crawlers::builtin`](crate::Crawlers::builtin).
// A static exists once; a constant would be copied to each use.
pub static TABLE: &[Profile] = &[
    // Google, common crawlers
    row("Googlebot", Search, GOOGLE_SEARCH),
    row("Googlebot-Image", Search, GOOGLE_SEARCH_NAMED),
    row("Googlebot-Video", Search, GOOGLE_SEARCH_NAMED),
    row(
        "Googlebot-News",
        Search,
        Facts {
            confirmed: false,
            note: "Has no User-Agent of its own: it fetches as Googlebot. The fallback is not confirmed.",
            ..GOOGLE_SEARCH_NAMED
        },
    ),
    row("Storebot-Google", Search, Facts { note: "For shopping.", ..GOOGLE_SEARCH }),
    row(
        "Google-InspectionTool",
        Tool,
        Facts { fallback: chain!["Googlebot"], note: "Does not follow redirects of pages.", ..GOOGLE },
    ),
    row("GoogleOther", Other, Facts { note: "For research and development.", ..GOOGLE }),
    row("GoogleOther-Image", Other, GOOGLE_OTHER_NAMED),
    row("GoogleOther-Video", Other, GOOGLE_OTHER_NAMED),
    row(
        "Google-CloudVertexBot",
        AiSearch,
        Facts { fallback: chain!["Googlebot"], note: "Crawls on request of the site's owner.", ..GOOGLE },
    ),
    row(
        "Google-Extended",
        AiTraining,
        Facts {
            governed: ControlToken,
            note: "Covers grounding as well as training, but not answers in Search, which follow Googlebot. No exemption \
                   from `*` is documented.",
            ..GOOGLE
        },
    ),
    // Google, special-case crawlers
    row("APIs-Google", Tool, Facts { note: "Delivers push notifications.", ..GOOGLE_SPECIAL }),
    row("AdsBot-Google", Ads, GOOGLE_SPECIAL),
    row("AdsBot-Google-Mobile", Ads, GOOGLE_SPECIAL),
    row(
        "Mediapartners-Google",
        Ads,
        Facts { note: "Serves several ad products, AdSense among them.", ..GOOGLE_SPECIAL },
    ),
    row("Google-Safety", Security, Facts { governed: No, ..GOOGLE_SPECIAL }),
    // Google, user-triggered fetchers
    row("Google-Agent", UserTriggered, Facts { note: "Signs some requests with Web Bot Auth.", ..GOOGLE_FETCHER }),
    row(
        "Google-GeminiNotebook",
        UserTriggered,
        Facts {
            fallback: chain!["Google-NotebookLM"],
            confirmed: false,
            note: "Google-NotebookLM until August 2026; the fallback to that name is inferred.",
            ..GOOGLE_FETCHER
        },
    ),
    row("FeedFetcher-Google", UserTriggered, GOOGLE_PLAIN_FETCHER),
    row("Google-Read-Aloud", UserTriggered, Facts { note: "Formerly google-speakr.", ..GOOGLE_PLAIN_FETCHER }),
    row("GoogleProducer", UserTriggered, GOOGLE_PLAIN_FETCHER),
    row("Google-CWS", UserTriggered, GOOGLE_PLAIN_FETCHER),
    row("Google-Site-Verification", UserTriggered, GOOGLE_PLAIN_FETCHER),
    row("GoogleMessages", UserTriggered, GOOGLE_PLAIN_FETCHER),
    row("Google-Pinpoint", UserTriggered, GOOGLE_PLAIN_FETCHER),
    // Google, retired
    row(
        "Google-NotebookLM",
        UserTriggered,
        Facts {
            confirmed: false,
            retired: true,
            note: "The name of Google-GeminiNotebook until August 2026.",
            ..GOOGLE_FETCHER
        },
    ),
    row(
        "google-speakr",
        UserTriggered,
        Facts {
            confirmed: false,
            retired: true,
            note: "The former name of Google-Read-Aloud.",
            ..GOOGLE_PLAIN_FETCHER
        },
    ),
    row(
        "AdsBot-Google-Mobile-Apps",
        Ads,
        Facts { obeys_star: false, note: "Retired. Assumed to pass over `*`, as its siblings do.", ..GOOGLE_RETIRED },
    ),
    row(
        "Googlebot-Mobile",
        Search,
        Facts {
            fallback: chain!["Googlebot"],
            docs: "developers.google.com/search/blog/2014/01/a-new-googlebot-user-agent-for-crawling",
            note: "Retired. Google's smartphone crawler obeys groups for Googlebot.",
            ..GOOGLE_RETIRED
        },
    ),
    row("DuplexWeb-Google", Other, GOOGLE_RETIRED),
    row("googleweblight", Other, GOOGLE_RETIRED),
    row(
        "Google Favicon",
        Search,
        Facts {
            fallback: chain!["Googlebot-Image", "Googlebot"],
            pages: GOOGLE_SEARCH_PAGES,
            note: "Retired. Went by the tokens of its fallback; strict parsers cut this name to `Google`.",
            ..GOOGLE_RETIRED
        },
    ),
    // Microsoft
    row(
        "bingbot",
        Search,
        Facts {
            fallback: chain!["msnbot"],
            crawl_delay: Heeded,
            note: "Crawl-delay is a window of 1 to 30 seconds and is taken from `*` even when a group names it.",
            ..BING
        },
    ),
    row(
        "msnbot",
        Search,
        Facts {
            docs: "blogs.bing.com/webmaster/September-2010/Bingbot-is-coming-to-town",
            retired: true,
            note: "Retired in 2010. bingbot obeys its group if it has none of its own.",
            ..BING
        },
    ),
    row("adidxbot", Ads, BING_ASSUMED),
    row("BingPreview", Preview, BING_ASSUMED),
    row("MicrosoftPreview", Preview, BING_ASSUMED),
    row("BingVideoPreview", Preview, BING_ASSUMED),
    // Yandex
    row("Yandex", Search, Facts { note: "The token of the family, which its named crawlers fall back to.", ..YANDEX }),
    row("YandexBot", Search, YANDEX_NAMED),
    row("YandexImages", Search, YANDEX_NAMED),
    row("YandexVideo", Search, YANDEX_NAMED),
    row("YandexMedia", Search, YANDEX_NAMED),
    row("YandexBlogs", Search, YANDEX_NAMED),
    row("YandexNews", Search, YANDEX_NAMED),
    row("YandexMarket", Search, YANDEX_NAMED),
    row("YandexPagechecker", Search, YANDEX_NAMED),
    row("YandexRenderResourcesBot", Search, YANDEX_NAMED),
    row("YandexAdditional", AiTraining, YANDEX_ADDITIONAL),
    row("YandexAdditionalBot", AiTraining, YANDEX_ADDITIONAL),
    row("YandexDirect", Ads, YANDEX_SPECIAL),
    row("YandexDirectDyn", Ads, YANDEX_SPECIAL),
    row("YaDirectFetcher", Ads, YANDEX_SPECIAL),
    row("YandexMetrika", Tool, YANDEX_SPECIAL),
    // Apple
    row("Applebot", Search, Facts { fallback: chain!["Googlebot"], ..APPLE }),
    row(
        "Applebot-Extended",
        AiTraining,
        Facts { governed: ControlToken, note: "Applebot's fallback to Googlebot is not assumed for it.", ..APPLE },
    ),
    // DuckDuckGo
    row(
        "DuckDuckBot",
        Search,
        Facts {
            note: "Changes may take 72 hours.",
            ..by("DuckDuckGo", "duckduckgo.com/duckduckgo-help-pages/results/duckduckbot")
        },
    ),
    row(
        "DuckAssistBot",
        AiSearch,
        Facts {
            note: "For answers in real time, not for training.",
            ..by("DuckDuckGo", "duckduckgo.com/duckduckgo-help-pages/results/duckassistbot")
        },
    ),
    // Baidu
    row("Baiduspider", Search, BAIDU),
    row("Baiduspider-image", Search, BAIDU_NAMED),
    row("Baiduspider-video", Search, BAIDU_NAMED),
    row("Baiduspider-news", Search, BAIDU_NAMED),
    row("Baiduspider-favo", Search, BAIDU_NAMED),
    row("Baiduspider-cpro", Ads, BAIDU_ADS),
    row("Baiduspider-ads", Ads, BAIDU_ADS),
    // Seznam
    row("SeznamBot", Search, Facts { note: "Paced by Request-rate rather than Crawl-delay.", ..SEZNAM }),
    row("SeznamHomepageCrawler", Preview, Facts { note: "Whether it falls back to SeznamBot is not known.", ..SEZNAM }),
    // Naver
    row(
        "Yeti",
        Search,
        Facts { fallback: chain!["Naverbot"], note: "The fallback to the legacy Naverbot is not confirmed.", ..NAVER },
    ),
    row("Ads-Naver", Ads, Facts { governed: Unstated, ..NAVER }),
    row("Blueno", Preview, Facts { governed: Unstated, ..NAVER }),
    // OpenAI
    row("GPTBot", AiTraining, OPENAI),
    row("OAI-SearchBot", AiSearch, Facts { note: "Where GPTBot is allowed too, one fetch may serve both.", ..OPENAI }),
    row("ChatGPT-User", UserTriggered, Facts { governed: MayBypass, ..OPENAI }),
    row("OAI-AdsBot", Ads, Facts { governed: Unstated, note: "Visits the landing pages of ads.", ..OPENAI }),
    // Anthropic
    row("ClaudeBot", AiTraining, ANTHROPIC),
    row("Claude-SearchBot", AiSearch, ANTHROPIC),
    row("Claude-User", UserTriggered, Facts { note: "Obeys although people trigger it.", ..ANTHROPIC }),
    row("anthropic-ai", AiTraining, ANTHROPIC_LEGACY),
    row("Claude-Web", AiTraining, ANTHROPIC_LEGACY),
    // Common Crawl
    row(
        "CCBot",
        Archive,
        Facts {
            ai: Some(AiUse::Training),
            crawl_delay: Heeded,
            confirmed: true,
            note: "Its archive is also an input of model training.",
            ..by("Common Crawl", "commoncrawl.org/ccbot")
        },
    ),
    // Meta
    row("meta-externalagent", AiTraining, META),
    row("meta-webindexer", AiSearch, META),
    row("meta-externalfetcher", UserTriggered, Facts { governed: MayBypass, ..META }),
    row("meta-externalads", Ads, META),
    row(
        "facebookexternalhit",
        Preview,
        Facts { governed: MayBypass, note: "May pass over the rules for security and integrity checks.", ..META },
    ),
    row("FacebookBot", AiTraining, Facts { note: "A legacy token.", ..META }),
    // Amazon
    row("Amazonbot", AiTraining, AMAZON),
    row(
        "Amzn-SearchBot",
        AiSearch,
        Facts {
            fallback: chain!["Googlebot", "bingbot"],
            note: "Falls back to other search bots; that these two are meant is an interpretation.",
            ..AMAZON
        },
    ),
    row("Amzn-User", UserTriggered, Facts { governed: MayBypass, ..AMAZON }),
    // Perplexity
    row("PerplexityBot", AiSearch, PERPLEXITY),
    row("Perplexity-User", UserTriggered, Facts { governed: MayBypass, ..PERPLEXITY }),
    // ByteDance
    row(
        "Bytespider",
        AiTraining,
        Facts { governed: Unstated, crawl_delay: Ignored, note: "Reported not to obey.", ..by("ByteDance", "") },
    ),
    row("TikTokSpider", AiTraining, Facts { governed: Unstated, note: "Undocumented.", ..by("ByteDance", "") }),
    // Mistral
    row("MistralAI-User", UserTriggered, MISTRAL),
    row("MistralAI-Index", AiSearch, MISTRAL),
    row("MistralAI-Training", AiTraining, MISTRAL),
    // More search engines
    row("YouBot", AiSearch, by("You.com", "you.com/docs/youbot")),
    row(
        "Slurp",
        Search,
        Facts {
            crawl_delay: Heeded,
            confirmed: true,
            ..by("Yahoo", "help.yahoo.com/kb/search-for-desktop/SLN22600.html")
        },
    ),
    row("MojeekBot", Search, Facts { crawl_delay: Ignored, confirmed: true, ..by("Mojeek", "mojeek.com/bot.html") }),
    row(
        "coccocbot",
        Search,
        Facts { note: "The token of the family, which its named crawlers fall back to.", ..COC_COC },
    ),
    row("coccocbot-web", Search, COC_COC_NAMED),
    row("coccocbot-image", Search, COC_COC_NAMED),
    row("coccocbot-fast", Search, COC_COC_NAMED),
    row("coccocbot-ads", Ads, COC_COC_NAMED),
    row("coccocbot-shopping", Search, COC_COC_NAMED),
    row("Exabot", Search, by("Exalead", "exalead.com/search/webmasterguide")),
    row("PetalBot", Search, by("Huawei", "webmaster.petalsearch.com/site/petalbot")),
    row("Bravebot", Search, by("Brave", "safe.search.brave.com/help/brave-search-crawler")),
    row(
        "Sogou web spider",
        Search,
        Facts {
            governed: Unstated,
            note: "Strict parsers cut it to `Sogou`.",
            ..by("Sogou", "sogou.com/docs/help/webmasters.htm#07")
        },
    ),
    row(
        "360Spider",
        Search,
        Facts { governed: Unstated, note: "Strict parsers cut it to nothing: a digit comes first.", ..by("Qihoo", "") },
    ),
    // More models and data for them
    row("AI2Bot", AiTraining, Facts { note: "Strict parsers cut it to `AI`.", ..AI2 }),
    row("Ai2Bot-Dolma", AiTraining, Facts { note: "Strict parsers cut it to `Ai`.", ..AI2 }),
    row("cohere-training-data-crawler", AiTraining, COHERE),
    row("cohere-ai", UserTriggered, COHERE),
    row(
        "Diffbot",
        AiTraining,
        Facts { governed: Unstated, note: "Obeys at its customers' discretion.", ..by("Diffbot", "diffbot.com") },
    ),
    row("omgili", AiTraining, WEBZ),
    row("omgilibot", AiTraining, WEBZ),
    row("Webzio-Extended", AiTraining, WEBZ),
    row("ImagesiftBot", AiTraining, by("ImageSift", "imagesift.com/about")),
    row("Timpibot", AiTraining, Facts { governed: Unstated, ..by("Timpi", "timpi.io") }),
    row(
        "Cotoyogi",
        AiTraining,
        Facts {
            crawl_delay: Heeded,
            note: "Collects Japanese text.",
            ..by("ROIS", "ds.rois.ac.jp/en_center8/en_crawler/")
        },
    ),
    // Previews of links
    row(
        "Twitterbot",
        Preview,
        Facts {
            dialect: Dialect::GOOGLE,
            note: "Follows Google's specification of robots.txt.",
            ..by("X", "developer.x.com/cards/overview")
        },
    ),
    row("Slackbot", Preview, SLACK),
    row("Slackbot-LinkExpanding", Preview, SLACK),
    row("Slack-ImgProxy", Preview, SLACK),
    row("Pinterestbot", Preview, PINTEREST),
    row("Pinterest", Preview, Facts { note: "The other name of Pinterestbot.", ..PINTEREST }),
    // Advertising and other uses
    row(
        "Scrapy",
        Tool,
        Facts {
            governed: MayBypass,
            note: "A framework for crawlers, whose users may turn robots.txt off.",
            ..by("Scrapy", "docs.scrapy.org/en/latest/_modules/scrapy/downloadermiddlewares/robotstxt.html")
        },
    ),
    row("proximic", Ads, by("Comscore", "comscore.com/Web-Crawler")),
    row(
        "TurnitinBot",
        Other,
        Facts { note: "Finds plagiarism.", ..by("Turnitin", "turnitin.com/robot/crawlerinfo.html") },
    ),
    // SEO
    row("BLEXBot", Seo, Facts { crawl_delay: Heeded, ..by("SE Ranking", BLEXBOT_DOCS) }),
    row(
        "serpstatbot",
        Seo,
        Facts { crawl_delay: Heeded, note: "Caps Crawl-delay at 20 seconds.", ..by("Serpstat", "serpstatbot.com") },
    ),
    row(
        "Screaming Frog SEO Spider",
        Seo,
        Facts {
            fallback: chain!["Googlebot"],
            dialect: Dialect::GOOGLE,
            governed: MayBypass,
            note: "Its users may turn robots.txt off. Strict parsers cut it to `Screaming`.",
            ..by("Screaming Frog", "screamingfrog.co.uk/guides/robots-txt/")
        },
    ),
    row(
        "Sitebulb",
        Seo,
        Facts {
            governed: MayBypass,
            note: "Its users may turn robots.txt off.",
            ..by("Sitebulb", "sitebulb.com/documentation/crawl-audit-settings/advanced-settings-robots/")
        },
    ),
    row(
        "AhrefsBot",
        Seo,
        Facts {
            crawl_delay: Heeded,
            note: "That it heeds Crawl-delay is not confirmed.",
            ..by("Ahrefs", "ahrefs.com/robot")
        },
    ),
    row("SemrushBot", Seo, SEMRUSH),
    row("SemrushBot-OCOB", Seo, SEMRUSH_NAMED),
    row("SemrushBot-SWA", Seo, SEMRUSH_NAMED),
    row("SemrushBot-SI", Seo, SEMRUSH_NAMED),
    row(
        "MJ12bot",
        Seo,
        Facts {
            crawl_delay: Heeded,
            note: "Said to cap Crawl-delay at 20 seconds. Strict parsers cut it to `MJ`.",
            ..by("Majestic", "mj12bot.com")
        },
    ),
    row("DotBot", Seo, MOZ),
    row("rogerbot", Seo, MOZ),
    // Archives
    row(
        "archive.org_bot",
        Archive,
        Facts {
            governed: Unstated,
            note: "Reported to obey less strictly since 2017. Strict parsers cut it to `archive`.",
            ..by("Internet Archive", "archive.org/details/archive.org_bot")
        },
    ),
    row(
        "ia_archiver",
        Archive,
        Facts {
            governed: Unstated,
            note: "Once Alexa's token. Reported to obey less strictly since 2017.",
            ..by("Internet Archive", "archive.org/details/archive.org_bot")
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_unique() {
        for (i, row) in TABLE.iter().enumerate() {
            assert!(
                !TABLE[..i].iter().any(|p| p.token.eq_ignore_ascii_case(&row.token)),
                "{} is there twice",
                row.token
            );
            assert!(!row.fallback.contains(&row.token), "{} falls back to itself", row.token);
        }
    }

    #[test]
    fn tokens_out_of_grammar_say_so() {
        for row in TABLE {
            let in_grammar = row.token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
            assert_eq!(in_grammar, !row.note.to_ascii_lowercase().contains("strict parsers"), "{}", row.token);
        }
    }

    #[test]
    fn a_use_for_ai_is_only_said_where_the_purpose_does_not() {
        for row in TABLE {
            let by_purpose = Profile { ai: None, ..row.clone() }.ai_use();
            assert!(row.ai.is_none() || row.ai_use() != by_purpose, "{}", row.token);
        }
        let of = |wanted| TABLE.iter().filter(move |row| row.ai_use() == Some(wanted)).count();
        assert!(of(AiUse::Training) > of(AiUse::Search) && of(AiUse::UserTriggered) > 5);
    }

    #[test]
    fn docs_are_whole_addresses_without_scheme() {
        for row in TABLE {
            assert!(!row.docs.contains("://") && !row.docs.contains(char::is_whitespace), "{}", row.token);
            assert!(row.docs.is_empty() || row.docs.split('/').next().unwrap().contains('.'), "{}", row.token);
            assert!(!row.confirmed || !row.docs.is_empty(), "{} is confirmed by nothing", row.token);
        }
    }
}
