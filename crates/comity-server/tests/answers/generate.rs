//! Files that are written from choices.

use comity_server::ServerLimits;
use serde_json::json;

use crate::service::Service;

#[tokio::test]
async fn a_file_is_written_and_keeps_its_promises() {
    let service = Service::start().await;
    let choices =
        json!({"preset": "shop", "block": ["GPTBot"], "protect": ["/drafts/"], "allow_path": ["/drafts/public/"]});
    let answer = service.post("/v1/generate", &choices).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    let text = found["text"].as_str().unwrap();
    assert!(text.contains("Disallow: /checkout/") && text.contains("User-agent: GPTBot"), "{text}");
    assert!(found["checked"].as_array().unwrap().contains(&json!("GPTBot may not fetch anything")), "{found}");
    assert!(found.get("changes").is_none());
    let ask = json!({
        "robots": text, "agents": ["GPTBot", "bingbot"],
        "urls": ["/", "/cart/x", "/cartoons", "/drafts/a", "/drafts/public/a"],
    });
    let answers = service.post("/v1/check", &ask).await.json();
    let allowed: Vec<bool> =
        answers["answers"].as_array().unwrap().iter().map(|row| row["allowed"].as_bool().unwrap()).collect();
    assert_eq!(allowed, [false, true, false, false, false, true, false, false, false, true]);
}

#[tokio::test]
async fn choices_are_added_to_a_file_and_the_changes_are_proven() {
    let service = Service::start().await;
    let old = "User-agent: *\nDisallow: /private/\n";
    let question = json!({"robots": old, "protect": ["/drafts/"], "sitemap": ["https://a.test/s.xml"]});
    let found = service.post("/v1/generate", &question).await.json();
    let text = found["text"].as_str().unwrap();
    assert!(
        text.starts_with(old) && text.contains("Disallow: /drafts/") && text.contains("Sitemap: https://a.test/s.xml")
    );
    assert_eq!(
        (&found["changes"]["outcome"], &found["changes"]["changes"][0]["to"]),
        (&json!("differs"), &json!("blocked"))
    );
}

#[tokio::test]
async fn choices_that_no_file_can_express_are_refused() {
    let service = Service::with(ServerLimits::default(), |client| client.offline(true)).await;
    let old = "User-agent: *\nDisallow: /\n";
    for (question, status, says) in [
        (json!({"preset": "blog"}), 400, "expected one of wordpress, shop, staging"),
        (json!({"protect": ["drafts"]}), 422, "protect drafts: expected a path that starts with `/`"),
        (json!({"protect": ["/a"], "allow_path": ["/a"]}), 422, "protect /a: it is also an exception"),
        (json!({"protect": ["/a--b-c"], "allow_path": ["/a--b-c"]}), 422, "protect /a--b-c: it is also an exception"),
        (json!({"block": ["Mozilla/5.0"]}), 422, "expected a product token"),
        (json!({"preset": "staging", "robots": old}), 422, "block everything else"),
        (
            json!({"allow": ["GPTBot"], "robots": "User-agent: GPTBot\nDisallow: /\n"}),
            422,
            "allow GPTBot: the file blocks it completely",
        ),
        (json!({"robots": "<html>", "block": ["GPTBot"]}), 422, "HTML"),
        (json!({"robots": old, "robots_b64": ""}), 400, "found both"),
        (json!({"block": vec!["a"; 101]}), 413, "at most 100"),
        (json!({"robots": "#".repeat(70_000)}), 413, "at most 65536 bytes"),
        (json!({"blocks": []}), 400, "unknown field"),
    ] {
        let answer = service.post("/v1/generate", &question).await;
        assert_eq!(answer.status, status, "{question}: {}", answer.text());
        let problem = answer.json();
        assert!(problem["detail"].as_str().unwrap().contains(says), "{question}: {problem}");
    }
}
