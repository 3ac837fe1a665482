//! `/v1/check` and `/v1/matrix`: verdicts.

use comity::{Crawlers, Escaped, Robots};
use comity_policy::Access;
use comity_report::{Check, CheckDocument, CrawlerQuery, Explain, Matrix, Questions, usual_names};

use super::question::{Question, document, expect_few};
use super::refusal::Refusal;
use super::{Answer, json};

/// Answers whether crawlers may fetch URLs, by a file or by the access to a site without one.
pub(super) fn check(question: &Question<'_>) -> Answer {
    let explain = if question.is_set("explain") { Explain::InWords } else { Explain::Not };
    let dialect = question.dialect()?;
    let list = question.urls()?;
    let crawlers = question.crawlers(&Crawlers::builtin())?;
    expect_few(list.len(), crawlers.len())?;
    let access = question.text("access").map(access).transpose()?;
    let check = Check::new(&dialect, crawlers, Questions::of_site(list, question.site()?)?);
    let site = match access {
        Some(_) if question.bytes("robots").is_some() => {
            return Err(Refusal::bad_request("expected a file or `access`, found both"));
        }
        Some(access) => check.without_file(access),
        None => check.given(question.file()?),
    };
    let rows: Vec<_> = check.answers(Ok(&site)).map(|answer| answer.row(explain)).collect();
    Ok(json(&CheckDocument::new(&check, None, [Some(&site)], rows)))
}

/// Parses the access that applies instead of a file.
fn access(name: &str) -> Result<Access, Refusal> {
    match name {
        "allow-all" => Ok(Access::AllowAll),
        "disallow-all" => Ok(Access::DisallowAll),
        _ => {
            let found = Escaped(name.as_bytes());
            Err(Refusal::bad_request(format!("expected one of allow-all, disallow-all in `access`, found `{found}`")))
        }
    }
}

/// Answers in every dialect, with the reasons for differences.
pub(super) fn matrix(question: &Question<'_>) -> Answer {
    let table = Crawlers::builtin();
    let list = question.urls()?;
    let all = question.is_set("all_crawlers");
    let named = if question.has("agents") { Some(question.crawlers(&table)?) } else { None };
    if all && named.is_some() {
        return Err(Refusal::bad_request("expected `agents` or `all_crawlers`, found both"));
    }
    let body = question.file()?;
    let questions = Questions::of_site(list, question.site()?)?;
    let query = |name: &str| CrawlerQuery::new(name, Some(&table));
    let crawlers: Vec<CrawlerQuery> = match named {
        Some(crawlers) => crawlers,
        None if all => table.iter().map(|profile| query(&profile.token)).collect(),
        None => usual_names(&Robots::parse(body)).iter().map(|name| query(name)).collect(),
    };
    expect_few(questions.list.len(), crawlers.len())?;
    let matrix = Matrix::new("robots.txt", body, &questions, &crawlers);
    Ok(json(&document(body, matrix)))
}
