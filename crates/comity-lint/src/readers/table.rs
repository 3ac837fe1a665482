//! The readers. `readers.toml` is their source, and the test `readers` writes this file: change that one.

use super::Reader;

/// The readers, the newest released version of each first.
pub(crate) static READERS: &[Reader] = &[
    Reader {
        name: "lighthouse",
        title: "Lighthouse 13",
        version: "13",
        checked: "2026-11",
        source: "npmjs.com/package/lighthouse, core/audits/seo/robots-txt.js",
        fields: "user-agent disallow allow sitemap crawl-delay clean-param host request-rate visit-time noindex content-signal",
        rejects: "relative-sitemap pattern-start inner-dollar empty-agent no-colon no-group server-error",
        cost: "its SEO score falls by 8 points",
    },
    Reader {
        name: "lighthouse",
        title: "Lighthouse (main branch)",
        version: "main",
        checked: "2026-09",
        source: "github.com/GoogleChrome/lighthouse, core/audits/seo/robots-txt.js",
        fields: "user-agent disallow allow sitemap crawl-delay clean-param host request-rate visit-time noindex content-signal license",
        rejects: "relative-sitemap pattern-start inner-dollar empty-agent no-colon no-group server-error",
        cost: "its SEO score falls by 8 points",
    },
    Reader {
        name: "lighthouse",
        title: "Lighthouse 12",
        version: "12",
        checked: "2026-11",
        source: "npmjs.com/package/lighthouse, core/audits/seo/robots-txt.js",
        fields: "user-agent disallow allow sitemap crawl-delay clean-param host request-rate visit-time noindex",
        rejects: "relative-sitemap pattern-start inner-dollar empty-agent no-colon no-group server-error",
        cost: "its SEO score falls by 8 points",
    },
    Reader {
        name: "google",
        title: "Google's reporter",
        version: "2026",
        checked: "2026-04",
        source: "github.com/google/robotstxt, reporting_robots.cc",
        fields: "user-agent disallow allow sitemap clean-param crawl-delay host noarchive noindex nofollow",
        rejects: "no-colon",
        cost: "counts the line as unknown",
    },
];

/// Fields that readers reject and crawlers accept, and what each is for.
pub(crate) static FIELDS: &[(&str, &str)] = &[
    ("Agentmap", "it names a catalog for AI agents (ARD), and crawlers ignore it"),
    (
        "Schemamap",
        "it names feeds of structured data (NLWeb), and crawlers ignore it; Yoast wrote it into files in 2026 and withdrew it",
    ),
    ("LLMs", "it names an llms.txt, and no crawler is known to read it; programs look for /llms.txt without it"),
    ("License", "it names a document with the terms of use (RSL), which crawlers may read"),
    ("LLM-Policy", "it names a policy document, and crawlers ignore it"),
];
