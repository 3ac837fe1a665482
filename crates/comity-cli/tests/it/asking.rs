//! Crawlers and URLs that `comity check` rejects. `comity test` rejects the same ones, for the same reason.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn comity(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_comity")).args(arguments).current_dir(folder).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a test file with one test of these crawlers and URLs.
fn test(folder: &Path, agents: &[&str], urls: &[&str], expect: &str) -> Output {
    test_with(folder, agents, urls, expect, &[])
}

fn test_with(folder: &Path, agents: &[&str], urls: &[&str], expect: &str, options: &[&str]) -> Output {
    let toml =
        format!("robots = \"robots.txt\"\n[[test]]\nagents = {agents:?}\nurls = {urls:?}\nexpect = {expect:?}\n");
    fs::write(folder.join("own.toml"), toml).unwrap();
    comity(folder, &[&["test", "own.toml"], options].concat())
}

fn check(folder: &Path, agents: &[&str], urls: &[&str]) -> Output {
    let agents = agents.iter().flat_map(|agent| ["--agent", agent]);
    let arguments: Vec<&str> =
        ["check", "--robots", "robots.txt"].into_iter().chain(agents).chain(urls.iter().copied()).collect();
    comity(folder, &arguments)
}

#[test]
fn test_rejects_what_check_rejects() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: Googlebot\nDisallow: /\n").unwrap();
    let header = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    let sites: &[&str] = &["https://shop.example/cart/", "https://other.example/x"];
    for (agents, urls, reason) in [
        (&[header][..], &["/x"][..], "a whole User-Agent header"),
        (&["Googlebot/2.1"], &["/x"], "a whole User-Agent header"),
        (&["Googlebot,bingbot"], &["/x"], "found a list"),
        (&[""], &["/x"], "is empty"),
        (&["  "], &["/x"], "is empty"),
        (&["ChatGPT"], &["/x"], "ChatGPT is a product. Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User: "),
        (&["openai"], &["/x"], "openai is a company. Its crawlers include GPTBot, OAI-SearchBot and ChatGPT-User: "),
        (&["Google"], &["/x"], "Google is a company. Its crawlers include Googlebot: "),
        (&["Bing"], &["/x"], "Bing is a product. Its crawler is bingbot: "),
        (&["Claude"], &["/x"], "ClaudeBot, Claude-SearchBot and Claude-User: "),
        (&["Perplexity"], &["/x"], "PerplexityBot and Perplexity-User: "),
        (&["Gemini"], &["/x"], "Its name in robots.txt files is Google-Extended: "),
        (&["GPT"], &["/x"], "GPT is a product. Its crawlers are GPTBot"),
        (&["all"], &["/x"], "`all` is no crawler. The name of every crawler without its own group is *: "),
        (&["Googlebot Image"], &["/x"], "it has white space in it. It probably means Googlebot-Image: "),
        (&["my bot"], &["/x"], "`my bot` is no product token: it has white space in it: expected a product token"),
        (&["bingbot"], &["x"], "expected an absolute URL or a path that starts with `/`, found `x`"),
        (&["bingbot"], &["shop.example/cart/"], "did you mean https://shop.example/cart/"),
        (&["bingbot"], &[""], "expected an absolute URL or a path that starts with `/`, found ``"),
        (&["bingbot"], &["//cdn.example/x"], "starts with `//`"),
        (&["bingbot"], &["/\\cdn.example/x"], "is read like `//`"),
        (&["bingbot"], &["/\t/cdn.example/x"], "is read like `//`"),
        (&["bingbot"], &["mailto:me@shop.example"], "has no host"),
        (&["bingbot"], sites, "on several sites"),
    ] {
        let output = check(folder, agents, urls);
        assert_eq!(output.status.code(), Some(2), "check {agents:?} {urls:?}");
        assert!(stderr(&output).contains(reason), "check {agents:?} {urls:?}: {}", stderr(&output));
        for expect in ["allow", "disallow"] {
            let output = test(folder, agents, urls, expect);
            assert_eq!(output.status.code(), Some(2), "test {agents:?} {urls:?}");
            assert!(stderr(&output).starts_with("error: test 1 of own.toml: "), "{}", stderr(&output));
            assert!(stderr(&output).contains(reason), "test {agents:?} {urls:?}: {}", stderr(&output));
        }
    }
    let output = test_with(folder, &[""], &["/x"], "allow", &["--literal"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is empty"), "{}", stderr(&output));
    // The white space of a shell's quotes is no part of a token. In a file it is a mistake, also for literal tokens.
    assert_eq!(check(folder, &[" Googlebot"], &["/x"]).status.code(), Some(1));
    for (expect, options) in [("allow", &[][..]), ("disallow", &[]), ("allow", &["--literal"])] {
        let output = test_with(folder, &[" Googlebot\t"], &["/x"], expect, options);
        assert_eq!(output.status.code(), Some(2), "{expect} {options:?}");
        let stderr = stderr(&output);
        assert!(stderr.contains("without white space around it") && stderr.contains("write `Googlebot`"), "{stderr}");
    }
}

#[test]
fn each_command_explains_names_that_are_no_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: GPTBot\nDisallow: /\n").unwrap();
    fs::write(folder.join("sitemap.txt"), "https://shop.example/a\n").unwrap();
    let url = "https://shop.example/a";
    for (arguments, literally) in [
        (&["check", "--robots", "robots.txt", url][..], 0),
        (&["matrix", "--robots", "robots.txt", url], 0),
        (&["page", "--robots", "robots.txt", url], 0),
        (&["sitemaps", "robots.txt", "--sitemap", "sitemap.txt"], 0),
        (&["prove", "robots.txt", "--all-allowed", "/"], 0),
        (&["diff", "robots.txt", "robots.txt"], 0),
        (&["history", url, "--diff", "--cache", "."], 1),
    ] {
        for name in ["ChatGPT", "my bot"] {
            let output = comity(folder, &[arguments, &["--agent", name]].concat());
            assert_eq!(output.status.code(), Some(2), "{arguments:?} {name}");
            assert!(output.stdout.is_empty(), "{arguments:?} {name}");
            let stderr = stderr(&output);
            assert!(stderr.contains(name) && stderr.contains("or add --literal"), "{stderr}");
            let output = comity(folder, &[arguments, &["--agent", name, "--literal"]].concat());
            assert_eq!(output.status.code(), Some(literally), "{arguments:?} {name}: {output:?}");
        }
        // No crawler has an empty name, so it is none as it is, either.
        for options in [&["--agent", ""][..], &["--agent", "", "--literal"], &["--agent", " ", "--literal"]] {
            let output = comity(folder, &[arguments, options].concat());
            assert_eq!(output.status.code(), Some(2), "{arguments:?} {options:?}: {output:?}");
            assert!(stderr(&output).contains("--agent is empty"), "{}", stderr(&output));
        }
    }
    for (name, reason) in [
        ("GPTBot;", "It probably means GPTBot"),
        ("googlebot*", "It probably means Googlebot"),
        ("GPT\u{200b}Bot", "the character U+200B in it. It probably means GPTBot"),
        ("Googleb\u{43e}t", "the character U+043E in it"),
        ("Mistral", "MistralAI-User"),
        ("bots", "The name of every crawler without its own group is *"),
        ("Grok", "no crawler of it is known"),
    ] {
        let arguments = ["check", "--robots", "robots.txt", url, "--agent", name];
        let output = comity(folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
        assert!(stderr(&output).contains(reason), "{name}: {}", stderr(&output));
        let output = comity(folder, &[&arguments[..], &["--literal"]].concat());
        assert_ne!(output.status.code(), Some(2), "{name}: {output:?}");
    }
    let output = comity(folder, &["generate", "--block", "ChatGPT"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("a group for `ChatGPT` would bind no crawler"), "{}", stderr(&output));
}

#[test]
fn tests_are_about_one_site() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /cart/\n").unwrap();
    let run = |head: &str, urls: &[&str], options: &[&str]| {
        let tests: String = urls
            .iter()
            .map(|url| format!("[[test]]\nname = \"of {url}\"\nagent = \"a\"\nurl = {url:?}\nexpect = \"allow\"\n"))
            .collect();
        fs::write(folder.join("own.toml"), format!("robots = \"robots.txt\"\n{head}\n{tests}")).unwrap();
        comity(folder, &[&["test", "own.toml"], options].concat())
    };
    let (shop, other) = ("https://shop.example/", "https://other.example/");
    // URLs must agree with each other, with `origin`, and with --origin, which overrides `origin`.
    for (head, urls, options, is_refused) in [
        ("", &[shop, "/a", shop][..], &[][..], false),
        ("", &[shop, "/a", other], &[], true),
        ("origin = \"https://shop.example\"", &["/a", shop], &[], false),
        ("origin = \"https://shop.example\"", &["/a", other], &[], true),
        ("origin = \"https://shop.example\"", &["/a", shop], &["--origin", other], true),
        ("origin = \"https://shop.example\"", &["/a", other], &["--origin", other], false),
        ("origin = \"shop.example\"", &["/a"], &[], true),
        ("", &["/a"], &["--origin", "shop.example"], true),
    ] {
        let output = run(head, urls, options);
        let expected = if is_refused { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{head} {urls:?} {options:?}: {}", stderr(&output));
    }
    let output = run("", &[shop, "/a", other], &[]);
    assert!(stderr(&output).contains("test 3 (of https://other.example/) of own.toml: "), "{}", stderr(&output));
    assert!(output.stdout.is_empty(), "no test is put if one is refused");

    // A sitemap may list pages of another site. That is a failure, whatever the test expects.
    fs::write(folder.join("sitemap.txt"), format!("{shop}\n{other}\n")).unwrap();
    for expect in ["allow", "disallow", "unchanged"] {
        let toml = format!(
            "robots = \"robots.txt\"\nagainst = \"robots.txt\"\n[[test]]\nagent = \"a\"\nsitemap = \"sitemap.txt\"\nexpect = {expect:?}\n"
        );
        fs::write(folder.join("own.toml"), toml).unwrap();
        let output = comity(folder, &["test", "own.toml"]);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{printed}");
        assert!(printed.contains("https://other.example/: is not on https://shop.example"), "{printed}");
    }
}

#[test]
fn a_page_in_place_of_a_file_passes_no_test() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("right.txt"), "User-agent: *\nDisallow: /cart/\n").unwrap();
    let error = "\u{FEFF}<!doctype html><title>Not found</title>".encode_utf16();
    let utf16: Vec<u8> = error.flat_map(u16::to_le_bytes).collect();
    for page in [
        "<!doctype html><title>Not found</title>".as_bytes(),
        "\u{FEFF}\n <html><body>User-agent: *</html>".as_bytes(),
        &utf16,
    ] {
        fs::write(folder.join("robots.txt"), page).unwrap();
        let output = test(folder, &["Googlebot"], &["/x"], "allow");
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(stderr(&output).contains("robots.txt is an HTML page"), "{}", stderr(&output));
        // A page can't replace the file to compare with, either.
        let output = comity(folder, &["test", "own.toml", "--robots", "right.txt", "--against", "robots.txt"]);
        assert_eq!(output.status.code(), Some(2));
        // Nor can a claim about it be proven.
        let output = comity(folder, &["prove", "robots.txt", "--all-allowed", "/"]);
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(stderr(&output).contains("nothing was proven"), "{}", stderr(&output));
    }
}

#[test]
fn the_number_of_questions_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /cart/\n").unwrap();
    let (agents, urls): (Vec<String>, Vec<String>) = (0..317).map(|n| (format!("bot{n}"), format!("/{n}"))).unzip();
    let (agents, urls): (Vec<&str>, Vec<&str>) =
        (agents.iter().map(String::as_str).collect(), urls.iter().map(String::as_str).collect());
    let output = test(folder, &agents, &urls, "allow");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected at most 100000 cases (crawlers × URLs)"), "{}", stderr(&output));
    assert_eq!(test(folder, &agents, &urls[..10], "allow").status.code(), Some(0));
}

#[test]
fn the_number_of_questions_about_sitemaps_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /cart/\n").unwrap();
    fs::write(folder.join("one.txt"), "https://shop.example/\n").unwrap();
    let urls: String = (0..10_000).map(|n| format!("https://shop.example/{n}\n")).collect();
    fs::write(folder.join("many.txt"), urls).unwrap();
    let agents: Vec<String> = (0..1_000).map(|n| format!("bot{n}")).collect();
    let test = |agents: &[String], sitemap: &str| {
        format!("[[test]]\nagents = {agents:?}\nsitemap = {sitemap:?}\nexpect = \"allow\"\n")
    };
    // 1 and 1,000 × 10,000: the questions of all tests are counted, and counted before they are asked.
    let toml = format!("robots = \"robots.txt\"\n{}{}", test(&agents[..1], "one.txt"), test(&agents, "many.txt"));
    fs::write(folder.join("own.toml"), toml).unwrap();
    let output = comity(folder, &["test", "own.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    let message = "test 2 of own.toml: expected at most 10000000 questions about URLs of sitemaps (crawlers × URLs), found \
                   10000001 so far";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
}

/// A header that was saved with its status has the answers of the site that sent it.
#[test]
fn saved_headers_answer_by_their_status() {
    const MOVED: &str = "HTTP/1.1 301 Moved\r\nlocation: /new\r\n\r\n";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /cart/\n").unwrap();
    for (header, code, sentence) in [
        ("Content-Type: text/html\n", 0, "may fetch this page and show it in search results."),
        ("HTTP/1.1 200 OK\r\n\r\n", 0, "may fetch this page and show it in search results."),
        (
            "HTTP/1.1 404 Not Found\r\nServer: x\r\n\r\n",
            1,
            "This page answered 404 (there is no such page), so it is not",
        ),
        ("HTTP/1.1 404\n", 1, "index             no              the page answered 404\n"),
        ("HTTP/2 403 \nserver: x\n", 1, "This page answered 403 (the server refuses access)"),
        ("HTTP/2 302\nserver: x\n", 1, "This page answered 302 (a redirect that leads nowhere)"),
        ("HTTP/2 500 \nserver: x\n", 2, "expected a page, https://shop.example/old answered 500"),
        ("HTTP/2 429 \nserver: x\n", 2, "expected a page, https://shop.example/old answered 429"),
        ("HTTP/2 ok\nserver: x\n", 2, "line 1: expected a status such as `HTTP/1.1 200`, found `HTTP/2 ok`"),
        (
            "HTTP/1.1 301 Moved\nLocation: /cart/\nLocation: /new\n",
            1,
            "redirects to https://shop.example/cart/, which is",
        ),
        (MOVED, 2, "found that of a redirect to https://shop.example/new: save both with `curl -sIL`"),
        (
            "HTTP/1.1 308\nLocation: //www.shop.example/\n",
            2,
            "redirect to another site: ask about https://www.shop.example/",
        ),
        // One section for each response, as `curl -sIL` prints them.
        (
            &format!("{MOVED}HTTP/1.1 200 OK\n"),
            1,
            "redirects to https://shop.example/new, which is shown in search results",
        ),
        (&format!("{MOVED}HTTP/1.1 410 Gone\n"), 1, "redirects to https://shop.example/new, which answered 410"),
        (
            "HTTP/1.1 301\nLocation: cart/\n\nHTTP/1.1 200 OK\n",
            1,
            "may not fetch this page: it redirects to https://shop.e",
        ),
        (
            "HTTP/1.1 301\nLocation: /a/\n\nHTTP/1.1 302\nLocation: ../cart/b\n",
            1,
            "shop.example/cart/b, which is not allowed",
        ),
        ("HTTP/1.1 200 Connection established\n\nHTTP/1.1 404 Not Found\n", 1, "This page answered 404"),
    ] {
        fs::write(folder.join("header.txt"), header).unwrap();
        let page = ["page", "--robots", "robots.txt", "--headers", "header.txt", "https://shop.example/old"];
        let output = comity(folder, &page);
        let text = String::from_utf8(output.stdout.clone()).unwrap() + &stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{header}: {text}");
        assert!(text.contains(sentence), "{header}: {text}");
    }
    fs::write(folder.join("header.txt"), MOVED).unwrap();
    let output = comity(folder, &["page", "--robots", "robots.txt", "--headers", "header.txt", "/old"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("expected the whole URL of the page, since it redirects to /new"), "{output:?}");
    // The robots.txt decides about the page whatever is known of the redirect.
    let output =
        comity(folder, &["page", "--robots", "robots.txt", "--headers", "header.txt", "https://shop.example/cart/"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
