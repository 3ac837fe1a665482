//! Generated files have no mistake that a linter finds, except that a site was closed on purpose.

use comity::Crawlers;
use comity_lint::{Evidence, Linter};
use comity_report::{GenerateChoices, GeneratePreset, generate};

/// Choices beside the presets, and the words `block_all` and so on.
fn choices() -> Vec<GenerateChoices> {
    let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let extras = [
        GenerateChoices::default(),
        GenerateChoices { block: owned(&["GPTBot", "CCBot"]), allow: owned(&["Googlebot"]), ..Default::default() },
        GenerateChoices {
            protect: owned(&["/drafts/", "bingbot:/x/", "Googlebot:/y/"]),
            allow_path: owned(&["/drafts/a"]),
            crawl_delay: owned(&["5", "bingbot:10"]),
            sitemap: owned(&["https://shop.example/sitemap.xml"]),
            ..Default::default()
        },
    ];
    let presets = std::iter::once(None).chain(GeneratePreset::ALL.map(Some));
    let mut all = Vec::new();
    for preset in presets {
        for extra in &extras {
            for bits in 0..32_u32 {
                let bit = |at: u32| bits >> at & 1 == 1;
                all.push(GenerateChoices {
                    preset,
                    block_all: bit(0),
                    block_ai_training: bit(1),
                    block_ai: bit(2),
                    preferences: bit(3),
                    explain: bit(4),
                    ..extra.clone()
                });
            }
        }
    }
    all
}

#[test]
fn generated_files_pass_the_linter() {
    let (table, linter) = (Crawlers::builtin(), Linter::new());
    let (mut written, mut closed) = (0, 0);
    for chosen in choices() {
        // Some choices exclude one another.
        let Ok(found) = generate(None, &chosen, &table, &|| true) else { continue };
        written += 1;
        let report = linter.lint(found.text.as_bytes(), &Evidence::default());
        for found in &report.diagnostics {
            let is_closed =
                chosen.block_all || matches!(chosen.preset, Some(GeneratePreset::Staging | GeneratePreset::SearchOnly));
            closed += 1;
            assert!(
                is_closed && found.lint.code == "L001",
                "{chosen:?}\n{}: {}\n{}",
                found.lint.code,
                found.message,
                String::from_utf8_lossy(report.source())
            );
        }
    }
    assert!(written > 200 && closed > 0, "{written} files were written, {closed} findings");
}
