//! Everything public of a file, walked and compared with its lines.

use comity::{Content, Field, LINE_LIMIT, Robots, RuleEffect, SourceText};

/// Panics if what was parsed is not what the lines say, one by one.
pub(crate) fn walk(robots: &Robots, body: &[u8]) {
    let text = SourceText::new(body, robots.dialect());
    assert_eq!((text.size(), text.encoding()), (robots.size(), robots.encoding()));
    assert_eq!(text.lines().count(), robots.line_count() as usize);

    let mut groups = robots.groups();
    let mut records = robots.records();
    let (mut agents, mut rules) = (None, None);
    let mut group = None;
    for (number, line) in (1..).zip(text.lines()) {
        assert_eq!(line.number, number);
        assert!(line.text.len() <= LINE_LIMIT);
        match line.content {
            Content::UserAgent { value, opens, .. } => {
                if opens {
                    assert!(agents.as_mut().is_none_or(|agents| Iterator::next(agents).is_none()));
                    assert!(rules.as_mut().is_none_or(|rules| Iterator::next(rules).is_none()));
                    let next = groups.next().unwrap();
                    assert_eq!(next.index(), group.map_or(0, |group: usize| group + 1));
                    assert_eq!(next.is_for_any(), next.agents().any(|agent| agent.is_any()));
                    group = Some(next.index());
                    (agents, rules) = (Some(next.agents()), Some(next.rules()));
                }
                let agent = agents.as_mut().unwrap().next().unwrap();
                assert_eq!((agent.line(), agent.value()), (number, value));
                assert!(agent.token().len() <= value.len());
            }
            Content::Rule { kind, value, effect: RuleEffect::Applies, .. } => {
                let rule = rules.as_mut().unwrap().next().unwrap();
                assert_eq!((rule.line(), rule.kind(), rule.value()), (number, kind, value));
                assert_eq!(usize::from(rule.priority()), rule.pattern().len());
            }
            Content::Other { field, name, value, in_group, .. } => {
                let record = records.next().unwrap();
                assert_eq!((record.line(), record.field(), record.value()), (number, field, value));
                if field == Field::Unknown {
                    assert_eq!(record.name(), name);
                } else {
                    assert_eq!(record.name(), field.name().as_bytes());
                }
                assert_eq!(record.group(), group.filter(|_| in_group && field != Field::Sitemap));
                assert!(field == Field::CrawlDelay || record.crawl_delay().is_none());
            }
            _ => {}
        }
    }
    assert!(agents.is_none_or(|mut agents| agents.next().is_none()));
    assert!(rules.is_none_or(|mut rules| rules.next().is_none()));
    assert!(groups.next().is_none() && records.next().is_none());
    assert!(robots.sitemaps().all(|record| record.field() == Field::Sitemap));
    assert!(robots.memory() > 0);
}
