//! The reference of the API for people, made of its `OpenAPI` description.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Returns the reference as HTML.
pub(super) fn render(description: &Value) -> String {
    let operations = operations(description);
    let mut html = String::new();
    let info = &description["info"];
    let _ = write!(
        html,
        "<a class=\"skip\" href=\"#operations\">Skip to the operations</a>\n<header><h1>The API of comity</h1>\n{}\n\
         <p>Version {}. <a href=\"openapi.json\">The OpenAPI description</a> is for programs, and \
         <a href=\"./\">the tester</a> answers without them. If the service has a token, each request under \
         <code>/v1/</code> needs the header <code>Authorization: Bearer TOKEN</code>. Errors are \
         <a href=\"#Problem\">problem documents</a>.</p></header>\n<nav aria-label=\"Operations\"><ul>\n",
        prose(text(&info["description"])),
        escape(text(&info["version"])),
    );
    for operation in &operations {
        let _ = writeln!(
            html,
            "<li><a href=\"#{}\"><code>{} {}</code></a></li>",
            operation.id,
            operation.method,
            escape(operation.path)
        );
    }
    html.push_str("<li><a href=\"#documents\">Documents</a></li>\n</ul></nav>\n<main id=\"operations\">\n");
    let mut tags: Vec<&str> = Vec::new();
    tags.extend(operations.iter().map(|operation| operation.tag));
    tags.sort_unstable();
    tags.dedup();
    for tag in tags {
        let _ = writeln!(html, "<h2>{}</h2>", escape(tag));
        operations.iter().filter(|operation| operation.tag == tag).for_each(|operation| operation.render(&mut html));
    }
    html.push_str("<h2 id=\"documents\">Documents</h2>\n");
    for (name, schema) in object(&description["components"]["schemas"]) {
        let _ = writeln!(html, "<h3 id=\"{name}\">{name}</h3>\n{}", prose(text(&schema["description"])));
        fields(&mut html, name, schema);
    }
    html.push_str("</main>");
    html
}

/// An operation of the API.
struct Operation<'d> {
    path: &'d str,
    method: String,
    id: &'d str,
    tag: &'d str,
    details: &'d Value,
}

fn operations(description: &Value) -> Vec<Operation<'_>> {
    let methods = object(&description["paths"]).flat_map(|(path, item)| object(item).map(move |found| (path, found)));
    methods
        .map(|(path, (method, details))| Operation {
            path,
            method: method.to_ascii_uppercase(),
            id: text(&details["operationId"]),
            tag: text(&details["tags"][0]),
            details,
        })
        .collect()
}

impl Operation<'_> {
    fn render(&self, html: &mut String) {
        let Self { path, method, id, details, .. } = self;
        let _ = writeln!(
            html,
            "<h3 id=\"{id}\"><span class=\"method\">{method}</span> <code>{}</code></h3>\n{}\n{}",
            escape(path),
            prose(&sentence(text(&details["summary"]))),
            prose(text(&details["description"])),
        );
        let parameters: Vec<Row> = list(&details["parameters"]).map(Row::of_parameter).collect();
        table(html, &format!("Parameters of {id}"), "Parameters", &parameters);
        for (kind, content) in object(&details["requestBody"]["content"]) {
            let _ = writeln!(html, "<p>Reads <code>{}</code>: {}.</p>", escape(kind), type_of(&content["schema"]));
        }
        let _ = writeln!(html, "<h4>Example</h4>\n<pre>{}</pre>", escape(&self.command()));
        for (kind, content) in object(&details["responses"]["200"]["content"]) {
            let _ = writeln!(html, "<p>Answers <code>{}</code>: {}.</p>", escape(kind), type_of(&content["schema"]));
            if let Some(example) = content.get("example") {
                let example = match example {
                    Value::String(text) => text.clone(),
                    other => serde_json::to_string_pretty(other).unwrap_or_default(),
                };
                let _ = writeln!(html, "<pre>{}</pre>", escape(&example));
            }
        }
    }

    /// Returns a command that sends the example.
    fn command(&self) -> String {
        let mut url = format!("http://localhost:9309{}", self.path);
        let mut separator = '?';
        for parameter in list(&self.details["parameters"]) {
            let (name, Some(example)) = (text(&parameter["name"]), parameter["example"].as_str()) else { continue };
            let place = format!("{{{name}}}");
            if url.contains(&place) {
                url = url.replace(&place, example);
            } else {
                let _ = write!(url, "{separator}{name}={example}");
                separator = '&';
            }
        }
        match self.details.pointer("/requestBody/content/application~1json/example") {
            Some(example) => format!("curl {url} --json '{example}'"),
            None => format!("curl '{url}'"),
        }
    }
}

/// A row of a table: a field or a parameter.
struct Row<'d> {
    name: &'d str,
    kind: String,
    about: &'d str,
}

impl<'d> Row<'d> {
    fn of_parameter(parameter: &'d Value) -> Self {
        let kind = type_of(&parameter["schema"]);
        let is_needed = parameter["required"] == true;
        Self {
            name: text(&parameter["name"]),
            kind: if is_needed { format!("{kind}, required") } else { kind },
            about: text(&parameter["description"]),
        }
    }
}

/// Adds the fields of a schema, and names the schemas whose fields it has in addition.
fn fields(html: &mut String, name: &str, schema: &Value) {
    let parts = || std::iter::once(schema).chain(list(&schema["allOf"]));
    let others: Vec<String> = parts().filter(|part| part.get("$ref").is_some()).map(type_of).collect();
    if !others.is_empty() {
        let _ = writeln!(html, "<p>It has all fields of {}.</p>", others.join(" and "));
    }
    let rows: Vec<Row> = parts()
        .flat_map(|part| object(&part["properties"]))
        .map(|(name, field)| Row { name, kind: type_of(field), about: text(&field["description"]) })
        .collect();
    table(html, &format!("Fields of {name}"), "Fields", &rows);
    if rows.is_empty() && others.is_empty() {
        let _ = writeln!(html, "<p>{}.</p>", type_of(schema));
    }
}

fn table(html: &mut String, label: &str, title: &str, rows: &[Row<'_>]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        html,
        "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>\n\
         <thead><tr><th scope=\"col\">{title}</th><th scope=\"col\">Type</th><th scope=\"col\">Meaning</th></tr></thead>\n<tbody>",
        escape(label)
    );
    for Row { name, kind, about } in rows {
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\"><code>{}</code></th><td>{kind}</td><td>{}</td></tr>",
            escape(name),
            prose(about)
        );
    }
    html.push_str("</tbody></table></div>\n");
}

/// Returns the type of a schema in words, as HTML.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> =
            values.iter().map(|value| format!("<code>{}</code>", escape(&plain(value)))).collect();
        return values.join(", ");
    }
    let choices: Vec<String> = ["oneOf", "anyOf"].iter().flat_map(|key| list(&schema[key])).map(type_of).collect();
    if !choices.is_empty() && schema.get("properties").is_none() {
        return choices.join(" or ");
    }
    let word = |kind: &Value| match text(kind) {
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => "integer".to_owned(),
        "number" => "number".to_owned(),
        "array" => format!("list of {}", type_of(&schema["items"])),
        "null" => "null".to_owned(),
        _ => "object".to_owned(),
    };
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(word).collect::<Vec<_>>().join(", or "),
        Value::Null if schema["items"].is_null() => "any value".to_owned(),
        kind => word(kind),
    }
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// Returns a value as people write it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn object(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

/// Returns a description as HTML: paragraphs, and code between backticks.
fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty());
    paragraphs
        .map(|paragraph| {
            let mut html = String::new();
            for (nth, part) in paragraph.split('`').enumerate() {
                let part = escape(part);
                html += &if nth % 2 == 1 { format!("<code>{part}</code>") } else { part };
            }
            format!("<p>{html}</p>")
        })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_links_lead_somewhere_and_nothing_is_left_out() {
        let description: Value = serde_json::from_str(crate::OPENAPI).unwrap();
        let html = render(&description);
        let values = |name: &str| -> Vec<String> {
            let start = format!(" {name}=\"");
            let parts = html.split(&start).skip(1);
            parts.map(|part| part.split('"').next().unwrap().to_owned()).collect()
        };
        let mut ids = values("id");
        for target in values("href").iter().filter_map(|link| link.strip_prefix('#')) {
            assert!(ids.iter().any(|id| id == target), "#{target}");
        }
        let number = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), number, "each id is there once");
        for operation in operations(&description) {
            assert!(html.contains(&format!("<h3 id=\"{}\">", operation.id)), "{}", operation.path);
        }
        assert!(html.matches("<pre>curl ").count() == operations(&description).len());
        assert!(!html.contains("<script") && !html.contains("style="), "the content security policy forbids them");
    }

    #[test]
    fn descriptions_are_escaped() {
        assert_eq!(prose("a `<b>` & c\n\nd"), "<p>a <code>&lt;b&gt;</code> &amp; c</p><p>d</p>");
        assert_eq!(
            type_of(&serde_json::json!({"type": ["array", "null"], "items": {"type": "string"}})),
            "list of text, or null"
        );
    }
}
