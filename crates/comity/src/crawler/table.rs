//! The built-in table: crawlers that site owners write groups for, with the facts that their operators document.
//!
//! A row is `confirmed` only if the operator's own documentation states all of it. A row that is based in part on
//! quotations, reports or inference, or has an open question, is not confirmed, however likely it is. Its note names
//! the parts that are inferred or reported. If the operator documents nothing, `docs` is a public list of crawlers.

use alloc::borrow::Cow;

use crate::crawler::facts::{
    AI2, AMAZON, ANTHROPIC, ANTHROPIC_LEGACY, APPLE, BAIDU, BAIDU_ADS, BAIDU_NAMED, BING, BING_ASSUMED, BLEXBOT_DOCS,
    COC_COC, COC_COC_NAMED, COHERE, Facts, GOOGLE, GOOGLE_FETCHER, GOOGLE_OTHER_NAMED, GOOGLE_PLAIN_FETCHER,
    GOOGLE_RETIRED, GOOGLE_SEARCH, GOOGLE_SEARCH_NAMED, GOOGLE_SEARCH_PAGES, GOOGLE_SPECIAL, META, MISTRAL, MOZ, NAVER,
    NO_PAGES, OPENAI, PERPLEXITY, PINTEREST, Pages, SEMRUSH, SEMRUSH_NAMED, SEZNAM, SITE_AUDIT, SLACK, WEBZ, YANDEX,
    YANDEX_ADDITIONAL, YANDEX_NAMED, YANDEX_SPECIAL, by, chain, listed, listed_for_ai, names_page, quoted, row,
};
use crate::crawler::profile::{
    AiUse,
    DelaySupport::{Ignored, Obeyed},
    Governed::{ControlToken, MayBypass, No, Unstated},
    Profile,
    Purpose::{Ads, AiSearch, AiTraining, Archive, Other, Preview, Search, Security, Seo, Tool, UserTriggered},
};
use crate::dialect::Dialect;

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
            crawl_delay: Obeyed,
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
            crawl_delay: Obeyed,
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
            crawl_delay: Obeyed,
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
    row("psbot", Search, Facts { confirmed: true, ..by("Picsearch", "picsearch.com/menu.cgi?item=About_Psbot") }),
    row("Mail.RU_Bot", Search, Facts { note: "Strict parsers cut it to `Mail`.", ..listed("VK") }),
    row("YisouSpider", Search, listed("Shenma")),
    row("Daum", Search, Facts { note: "Daumoa is an older name.", ..listed("Kakao") }),
    row("Daumoa", Search, Facts { note: "The older name of Daum.", ..listed("Kakao") }),
    row("Qwantify", Search, listed("Qwant")),
    row("yacybot", Search, listed("YaCy")),
    row("SeekportBot", Search, listed("SISTRIX")),
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
            crawl_delay: Obeyed,
            note: "Collects Japanese text.",
            ..by("ROIS", "ds.rois.ac.jp/en_center8/en_crawler/")
        },
    ),
    row("ICC-Crawler", AiTraining, quoted("NICT", "ucri.nict.go.jp/en/icccrawler.html")),
    row("SBIntuitionsBot", AiTraining, quoted("SB Intuitions", "sbintuitions.co.jp/en/bot/")),
    row("PanguBot", AiTraining, listed_for_ai("Huawei")),
    row("DeepSeekBot", AiTraining, Facts { note: "Reported not to obey.", ..listed_for_ai("DeepSeek") }),
    row(
        "FriendlyCrawler",
        AiTraining,
        Facts { note: "Its operator is not known; reported to obey.", ..listed_for_ai("unknown") },
    ),
    row("VelenPublicWebCrawler", AiTraining, quoted("Velen", "velen.io")),
    row(
        "aiHitBot",
        AiTraining,
        Facts { note: "Collects data about companies.", ..quoted("aiHit", "aihitdata.com/about") },
    ),
    row("QuillBot", AiTraining, Facts { note: "Its purpose is not documented.", ..listed_for_ai("QuillBot") }),
    row(
        "img2dataset",
        AiTraining,
        Facts {
            governed: Unstated,
            pages: Pages {
                supports: chain!["noai", "noimageai", "noimageindex"],
                forbid_training: chain!["noai", "noimageai"],
                ..NO_PAGES
            },
            note: "A tool for data sets of images. It documents the X-Robots-Tag header, and no robots.txt. Strict \
                   parsers cut it to `img`.",
            ..by("img2dataset", "github.com/rom1504/img2dataset")
        },
    ),
    row(
        "LAIONDownloader",
        AiTraining,
        Facts {
            governed: Unstated,
            note: "A public list quotes its operator that it does not obey.",
            ..by("LAION", "laion.ai/faq/")
        },
    ),
    row(
        "FirecrawlAgent",
        AiTraining,
        Facts {
            note: "Collects pages for its customers' AI applications. That it obeys is quoted by a public list.",
            ..by("Firecrawl", "firecrawl.dev")
        },
    ),
    row(
        "Crawlspace",
        AiTraining,
        Facts {
            note: "Collects pages for its customers. That it obeys is quoted by a public list.",
            ..by("Crawlspace", "crawlspace.dev")
        },
    ),
    row("Andibot", AiSearch, listed_for_ai("Andi")),
    row("ShapBot", AiSearch, quoted("Parallel", "docs.parallel.ai/features/crawler")),
    row("TerraCotta", AiSearch, quoted("Ceramic AI", "github.com/CeramicTeam/CeramicTerracotta")),
    row(
        "atlassian-bot",
        AiSearch,
        quoted("Atlassian", "support.atlassian.com/organization-administration/docs/connect-custom-website-to-rovo/"),
    ),
    row("KlaviyoAIBot", AiSearch, quoted("Klaviyo", "help.klaviyo.com/hc/en-us/articles/40496146232219")),
    row("Cloudflare-AutoRAG", AiSearch, quoted("Cloudflare", "developers.cloudflare.com/autorag")),
    row(
        "bedrockbot",
        AiSearch,
        quoted("Amazon", "docs.aws.amazon.com/bedrock/latest/userguide/webcrawl-data-source-connector.html"),
    ),
    row("Mozilla-Tabstack", UserTriggered, quoted("Mozilla", "docs.tabstack.ai/trust/controlling-access")),
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
    row("LinkedInBot", Preview, listed("LinkedIn")),
    row("Discordbot", Preview, listed("Discord")),
    row("TelegramBot", Preview, listed("Telegram")),
    row(
        "WhatsApp",
        Preview,
        Facts {
            governed: Unstated,
            note: "Whether it obeys is not documented.",
            ..by("Meta", "developers.facebook.com/documentation/business-messaging/whatsapp/link-previews/")
        },
    ),
    row("Facebot", Preview, Facts { note: "A legacy token.", ..listed("Meta") }),
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
    row(
        "Wget",
        Tool,
        Facts {
            governed: MayBypass,
            note: "Obeys when it follows links, unless its users turn that off.",
            ..by("GNU", "gnu.org/software/wget/manual/html_node/Robot-Exclusion.html")
        },
    ),
    row(
        "HTTrack",
        Tool,
        Facts {
            governed: MayBypass,
            note: "Copies sites. Its users may turn robots.txt off.",
            ..by("HTTrack", "httrack.com/html/abuse.html")
        },
    ),
    row(
        "heritrix",
        Archive,
        Facts {
            governed: MayBypass,
            note: "A program for archives, whose users choose its name and what it obeys.",
            ..by("Internet Archive", "github.com/internetarchive/heritrix3/wiki")
        },
    ),
    row(
        "Chrome-Lighthouse",
        Tool,
        Facts {
            governed: Unstated,
            note: "Tests pages in a browser, also for PageSpeed Insights. Whether it obeys is not documented.",
            ..by("Google", "developer.chrome.com/docs/lighthouse")
        },
    ),
    row("Swiftbot", Tool, names_page("Elastic", "swiftype.com/swiftbot")),
    row("magpie-crawler", Other, Facts { note: "Finds mentions of brands.", ..listed("Brandwatch") }),
    row("trendictionbot", Other, Facts { note: "Finds mentions of brands.", ..listed("Talkwalker") }),
    row("BUbiNG", Other, Facts { note: "A crawler for research.", ..listed("University of Milan") }),
    row("proximic", Ads, by("Comscore", "comscore.com/Web-Crawler")),
    row(
        "TurnitinBot",
        Other,
        Facts { note: "Finds plagiarism.", ..by("Turnitin", "turnitin.com/robot/crawlerinfo.html") },
    ),
    // SEO
    row("BLEXBot", Seo, Facts { crawl_delay: Obeyed, ..by("SE Ranking", BLEXBOT_DOCS) }),
    row(
        "serpstatbot",
        Seo,
        Facts { crawl_delay: Obeyed, note: "Caps Crawl-delay at 20 seconds.", ..by("Serpstat", "serpstatbot.com") },
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
            crawl_delay: Obeyed,
            note: "Support for Crawl-delay is not confirmed.",
            ..by("Ahrefs", "ahrefs.com/robot")
        },
    ),
    row("SemrushBot", Seo, SEMRUSH),
    row("SemrushBot-OCOB", Seo, SEMRUSH_NAMED),
    row("SemrushBot-SWA", Seo, SEMRUSH_NAMED),
    row("SemrushBot-SI", Seo, SEMRUSH_NAMED),
    row("SiteAuditBot", Seo, SITE_AUDIT),
    row("SemrushBot-SA", Seo, Facts { note: "The older name of SiteAuditBot.", ..SITE_AUDIT }),
    row(
        "MJ12bot",
        Seo,
        Facts {
            crawl_delay: Obeyed,
            note: "Said to cap Crawl-delay at 20 seconds. Strict parsers cut it to `MJ`.",
            ..by("Majestic", "mj12bot.com")
        },
    ),
    row("DotBot", Seo, MOZ),
    row("rogerbot", Seo, MOZ),
    row("DataForSeoBot", Seo, names_page("DataForSEO", "dataforseo.com/dataforseo-bot")),
    row("SEOkicks", Seo, names_page("SEOkicks", "seokicks.de/robot.html")),
    row(
        "SEOkicks-Robot",
        Seo,
        Facts { note: "The older name of SEOkicks.", ..names_page("SEOkicks", "seokicks.de/robot.html") },
    ),
    row("sistrix", Seo, names_page("SISTRIX", "sistrix.com/tutorials/crawling-errors-in-the-optimizer/")),
    row("XoviBot", Seo, names_page("XOVI", "xovibot.net")),
    row("spbot", Seo, names_page("SEOprofiler", "seoprofiler.com/bot")),
    row("deepcrawl", Seo, names_page("Lumar", "lumar.io/spdr/")),
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
            let month = row.checked.split_once('-').map(|(year, month)| (year.parse::<u32>(), month.parse::<u32>()));
            assert!(matches!(month, Some((Ok(2026..), Ok(1..=12)))), "{} has no date", row.token);
        }
    }
}
