//! A report in the XML format of `JUnit`, for continuous integration.

use anyhow::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::Case;

pub(super) fn report(suite: &str, cases: &[Case]) -> Result<Vec<u8>> {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count().to_string();
    let counts = [("tests", cases.len().to_string()), ("failures", failures)];
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = xml.create_element("testsuites").with_attributes(pairs(&counts));
    root.write_inner_content(|xml| {
        let element = xml.create_element("testsuite").with_attribute(("name", suite)).with_attributes(pairs(&counts));
        element.write_inner_content(|xml| {
            for case in cases {
                let attributes = [("classname", "robots.txt"), ("name", case.name.as_str())];
                let element = xml.create_element("testcase").with_attributes(attributes);
                if case.failure.is_none() && case.change.is_none() {
                    element.write_empty()?;
                    continue;
                }
                element.write_inner_content(|xml| {
                    if let Some(failure) = &case.failure {
                        let first = failure.lines().next().unwrap_or_default();
                        let element = xml.create_element("failure").with_attribute(("message", first));
                        element.write_text_content(BytesText::new(failure))?;
                    }
                    if let Some(change) = &case.change {
                        xml.create_element("system-out").write_text_content(BytesText::new(change))?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    let mut xml = xml.into_inner();
    xml.push(b'\n');
    Ok(xml)
}

fn pairs<'a>(counts: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    counts.iter().map(|(name, count)| (*name, count.as_str()))
}
