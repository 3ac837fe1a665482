//! Crawlers are checked when they are made, and errors say what to do instead.

use comity::{Crawler, Crawlers, Robots, TokenError};

fn refused(text: &str) -> TokenError {
    Crawler::token(text).map(|crawler| panic!("{crawler:?} was accepted")).unwrap_err()
}

#[test]
fn tokens_are_letters_digits_and_three_signs() {
    for char in (0..=u32::from(u16::MAX)).filter_map(char::from_u32) {
        let is_possible = char.is_ascii_alphanumeric() || "_-.".contains(char);
        for text in [char.to_string(), format!("Bot{char}"), format!("{char}Bot"), format!("Bot{char}Bot")] {
            assert_eq!(Crawler::token(&text).is_ok(), is_possible, "{text:?}");
            assert_eq!(Crawler::try_from(&*text).is_ok(), is_possible, "{text:?}");
            assert_eq!(Crawler::merged(&["Bot", &text]).is_ok(), is_possible, "{text:?}");
        }
    }
}

#[test]
fn messages_say_what_to_do() {
    for (text, message) in [
        ("", "no text; for a crawler without one, use `Crawler::ANY`"),
        (" \t", "no text; for a crawler without one, use `Crawler::ANY`"),
        ("*", "`*`; for any crawler that no group names, use `Crawler::ANY`"),
        ("HobbyBot/0.1", "a User-Agent header; use `HobbyBot`"),
        (" HobbyBot/0.1 (+https://hobby.example/bot)", "a User-Agent header; use `HobbyBot`"),
        ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "a User-Agent header; use `GPTBot`"),
        (
            "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
            "a User-Agent header; use `Crawler::known(\"Sogou web spider\")`",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
            "a User-Agent header that names no crawler",
        ),
        ("sogou web spider", "a name of the crawler table; use `Crawler::known(\"Sogou web spider\")`"),
        ("googlebot ", "spaces around it; use `Googlebot`"),
        ("/private/x", "`/private/x`, which looks like a URL"),
        ("https://example.com/HobbyBot/1", "`https://example.com/HobbyBot/1`, which looks like a URL"),
        ("Hobby Bot", "`Hobby Bot`, which has white space in it"),
        ("a,b", "`a,b`; only ASCII letters, digits, `_`, `-` and `.` are possible"),
        ("caf\u{e9}bot\n\u{202e}", "`caf\u{e9}bot\\x0A\\u{202E}`, which has white space in it"),
    ] {
        assert_eq!(refused(text).to_string(), format!("expected a product token, found {message}"), "{text:?}");
    }
    let long = refused(&"\u{e9}".repeat(10_000)).to_string();
    assert!(long.contains(&format!("`{}\u{2026}`", "\u{e9}".repeat(60))), "{long}");
}

#[test]
fn headers_of_known_crawlers_suggest_what_names_them() {
    for profile in &Crawlers::builtin() {
        let error = refused(&format!("Mozilla/5.0 (compatible; {}/2.1; +https://bot.example)", profile.token));
        assert!(error.is_header());
        let suggested = error.suggestion().unwrap();
        assert!(suggested.eq_ignore_ascii_case(&profile.token), "{suggested} for {}", profile.token);
        assert_eq!(Crawler::known(suggested).as_ref().and_then(Crawler::profile), Some(profile));
        if Crawler::token(&profile.token).is_err() {
            assert_eq!(refused(&profile.token).suggestion(), Some(&*profile.token));
        }
    }
    assert_eq!(refused("Bot Bot").suggestion(), None);
    assert!(!refused("Bot Bot").is_header());
}

#[test]
fn text_in_a_url_s_place_and_urls_are_asked_alike() {
    let robots = Robots::parse("User-agent: HobbyBot\nDisallow: /private/\n");
    let hobby_bot = Crawler::token("hobbybot").unwrap();
    let url: url::Url = "https://example.com/private/x".parse().unwrap();
    let text = url.as_str().to_owned();
    let rules = robots.rules_for(&hobby_bot);
    for verdict in [
        robots.check(&hobby_bot, &url),
        robots.check(&hobby_bot, url.clone()),
        robots.check(&hobby_bot, &text),
        robots.check(&hobby_bot, url.path()),
        robots.check_bytes(&hobby_bot, text.as_bytes()),
        robots.explain(&hobby_bot, &url).verdict,
        comity::decide("User-agent: HobbyBot\nDisallow: /private/\n", &hobby_bot, &url),
        rules.check(&url),
        rules.check_bytes(url.path().as_bytes()),
    ] {
        assert_eq!(verdict.line(), Some(2));
        assert!(verdict.is_disallowed());
    }
    assert!(robots.check(&Crawler::ANY, &url).is_allowed());
}
