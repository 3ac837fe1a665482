//! A report in the XML format of `JUnit`, for continuous integration.

use anyhow::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

/// The cases of one file.
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

/// A test, or a finding.
pub(crate) struct Case {
    pub(crate) class: String,
    pub(crate) name: String,
    /// The reason why it fails, if it does.
    pub(crate) failure: Option<String>,
    /// A remark that is not a failure.
    pub(crate) remark: Option<String>,
}

impl Suite {
    fn counts(&self) -> [usize; 2] {
        [self.cases.len(), self.cases.iter().filter(|case| case.failure.is_some()).count()]
    }
}

/// Returns the report as XML.
pub(crate) fn report(suites: &[Suite]) -> Result<Vec<u8>> {
    let all = suites.iter().map(Suite::counts).fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = xml.create_element("testsuites").with_attributes(pairs(&attributes(all)));
    root.write_inner_content(|xml| {
        for suite in suites {
            let counts = attributes(suite.counts());
            let element = xml.create_element("testsuite").with_attribute(("name", suite.name.as_str()));
            let element = element.with_attributes(pairs(&counts));
            if suite.cases.is_empty() {
                element.write_empty()?;
                continue;
            }
            element.write_inner_content(|xml| suite.cases.iter().try_for_each(|case| write(xml, case)))?;
        }
        Ok(())
    })?;
    let mut xml = xml.into_inner();
    xml.push(b'\n');
    Ok(xml)
}

fn write(xml: &mut Writer<Vec<u8>>, case: &Case) -> std::io::Result<()> {
    let attributes = [("classname", case.class.as_str()), ("name", case.name.as_str())];
    let element = xml.create_element("testcase").with_attributes(attributes);
    if case.failure.is_none() && case.remark.is_none() {
        element.write_empty()?;
        return Ok(());
    }
    element.write_inner_content(|xml| {
        if let Some(failure) = &case.failure {
            let first = failure.lines().next().unwrap_or_default();
            let element = xml.create_element("failure").with_attribute(("message", first));
            element.write_text_content(BytesText::new(failure))?;
        }
        if let Some(remark) = &case.remark {
            xml.create_element("system-out").write_text_content(BytesText::new(remark))?;
        }
        Ok(())
    })?;
    Ok(())
}

fn attributes([tests, failures]: [usize; 2]) -> [(&'static str, String); 2] {
    [("tests", tests.to_string()), ("failures", failures.to_string())]
}

fn pairs<'a>(counts: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    counts.iter().map(|(name, count)| (*name, count.as_str()))
}
