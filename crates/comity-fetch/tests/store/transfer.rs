//! Transfer between stores.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

use comity_fetch::store::{Archive, MemoryStore, Purge, SqliteStore, Store, export, import};
use comity_policy::Failure;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::attempts::{Attempts, found, noise, origin};

const DAY: u64 = 24 * 60 * 60;

/// Fills a store with records of all kinds.
async fn fill(store: &dyn Store) {
    for site in 0..300 {
        let mut attempts = Attempts::at(&format!("https://site{site}.example:{}/", 443 + site % 2));
        for version in 0..site % 4 {
            store
                .complete(&attempts.after(DAY).found(&noise(site * 10 + version, site as usize * 50)), None)
                .await
                .unwrap();
        }
        let last = match site % 5 {
            0 => attempts.after(DAY).status(404),
            1 => attempts.after(DAY).failed(Failure::Connect),
            2 => attempts.after(DAY).found(b"the same everywhere"),
            3 => attempts.after(DAY).pages_answer(false),
            _ => attempts.after(DAY).redirected_to("https://elsewhere.example/robots.txt", b""),
        };
        store.complete(&last, None).await.unwrap();
    }
}

async fn exported(store: &dyn Archive) -> String {
    let mut lines = Vec::new();
    let exported = export(store, &mut lines).await.unwrap();
    assert_eq!((exported.damaged.len(), exported.more), (0, 0));
    assert_eq!(exported.written, lines.split_inclusive(|byte| *byte == b'\n').count() as u64);
    String::from_utf8(lines).unwrap()
}

#[tokio::test]
async fn there_and_back() {
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let first = MemoryStore::new(1 << 30);
    fill(&first).await;
    let stores: [Arc<dyn Archive>; 4] = [
        Arc::new(first),
        Arc::new(SqliteStore::open(directories[0].path()).unwrap()),
        Arc::new(MemoryStore::new(1 << 30)),
        Arc::new(SqliteStore::open(directories[1].path()).unwrap()),
    ];
    let lines = exported(&*stores[0]).await;
    assert_eq!(lines.lines().count(), 300);
    for (from, to) in [(0, 1), (1, 2), (0, 3)] {
        let exported = exported(&*stores[from]).await;
        let imported = import(&*stores[to], &mut exported.as_bytes()).await.unwrap();
        assert_eq!((imported.taken, imported.older, imported.refused.len()), (300, 0, 0));
    }
    for store in &stores[1..] {
        assert_eq!(exported(&**store).await, lines);
        assert!(store.verify().await.unwrap().is_clean());
        for summary in stores[0].list(None, 1000).await.unwrap() {
            let origin = origin(&summary.origin);
            assert_eq!(store.entry(&origin).await.unwrap(), stores[0].entry(&origin).await.unwrap());
        }
        let [there, here] = [stores[0].stats().await.unwrap(), store.stats().await.unwrap()];
        assert_eq!((there.origins, there.bodies), (here.origins, here.bodies));
    }
    let again = import(&*stores[1], &mut lines.as_bytes()).await.unwrap();
    // Nothing is later than a record that was never attempted.
    assert_eq!((again.taken, again.older), (0, 300));
}

#[tokio::test]
async fn a_line_is_taken_as_a_whole_or_not_at_all() {
    let store = MemoryStore::new(1 << 30);
    let mut attempts = Attempts::at("https://example.com/");
    store.complete(&attempts.found(b"A"), None).await.unwrap();
    store.complete(&attempts.after(DAY).found(b"B"), None).await.unwrap();
    let line = exported(&store).await;
    let good: Value = serde_json::from_str(&line).unwrap();
    store.purge(Purge::All).await.unwrap();

    let a = good["versions"][1]["copy"]["hash"].as_str().unwrap();
    let b = good["copy"].as_str().unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut line = good.clone();
        change(&mut line);
        line.to_string()
    };
    let without = |name: &str| {
        let mut line = good.clone();
        line.as_object_mut().unwrap().remove(name);
        line.to_string()
    };
    let older = {
        let store = MemoryStore::new(1 << 30);
        store.complete(&found("https://example.com/", &noise(1, 500_000)), None).await.unwrap();
        exported(&store).await
    };
    let cases = [
        (line[..line.len() / 2].to_owned(), "can't be understood: "),
        ("[]".to_owned(), "can't be understood: "),
        ("{}".to_owned(), "is no line of an export: it has no `format`"),
        ("\u{1b}[2J".to_owned(), "can't be understood: "),
        (without("record"), "can't be understood: missing field `record`"),
        (without("bodies"), "can't be understood: missing field `bodies`"),
        (with(&|line| line["format"] = json!(2)), "has format 2; this version of comity knows 1"),
        (with(&|line| line["bodies"][a] = json!("QQ")), "is no Base64: "),
        (with(&|line| line["bodies"][a] = json!("Qg==")), "has another hash"),
        (with(&|line| drop(line["bodies"].as_object_mut().unwrap().remove(a))), "a version whose content is missing"),
        (with(&|line| drop(line["bodies"].as_object_mut().unwrap().remove(b))), "is missing"),
        (with(&|line| line["copy"] = json!(null)), "the record and its copy contradict each other"),
        (with(&|line| line["copy"] = json!("abc")), "expected the 64 hexadecimal digits of a SHA-256"),
        (with(&|line| line["record"]["copy"] = json!(null)), "the record and its copy contradict each other"),
        (with(&|line| line["record"]["origin"] = json!("https://Example.com")), "a store cannot contain the origin"),
        (with(&|line| line["record"]["origin"] = json!("\u{1b}")), r"a store cannot contain the origin `\x1B`"),
        (with(&|line| line["record"]["failures"] = json!(-1)), "can't be understood: "),
        (with(&|line| line["versions"][1]["copy"]["size"] = json!(7)), "a version of 7 bytes with 1"),
        (with(&|line| line["versions"][1]["event"] = json!("perhaps")), "can't be understood: "),
    ];
    let mut input = String::new();
    for (line, _) in &cases {
        input += &format!("{line}\n");
    }
    input += &format!("\n  \n{line}{}", older.trim_end());
    let imported = import(&store, &mut input.as_bytes()).await.unwrap();
    for ((line, reason), refused) in cases.iter().zip(&imported.refused) {
        assert!(refused.reason.contains(reason), "{line}: {refused}");
        assert!(!refused.to_string().contains('\u{1b}'));
    }
    let lines: Vec<u64> = imported.refused.iter().map(|refused| refused.line).collect();
    assert_eq!(lines, (1..=cases.len() as u64).collect::<Vec<_>>());
    assert_eq!((imported.taken, imported.older), (1, 1), "the last two, of the same origin at different times");
    assert_eq!(exported(&store).await, line);
}

/// A reader that returns a number of bytes in one line, and then another line.
struct Endless(usize);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.min(buffer.len());
        buffer[..length].fill(b' ');
        self.0 -= length;
        Ok(length)
    }
}

#[tokio::test]
async fn lines_without_end() {
    let from = MemoryStore::new(1 << 30);
    from.complete(&found("https://example.com/", b"A"), None).await.unwrap();
    let line = format!("\n{}", exported(&from).await);
    for (length, refused) in [(1 << 20, 0), (16 << 20, 0), ((16 << 20) + 1, 1), (100 << 20, 1)] {
        let to = MemoryStore::new(1 << 30);
        let mut input = BufReader::new(Endless(length).chain(line.as_bytes()));
        let imported = import(&to, &mut input).await.unwrap();
        assert_eq!((imported.taken, imported.refused.len()), (1, refused), "{length}");
        let imported = import(&to, &mut BufReader::new(Endless(length))).await.unwrap();
        assert_eq!((imported.taken, imported.refused.len()), (0, refused), "{length}");
    }
}

proptest! {
    /// Checks lines with any changes: they are accepted or refused, and accepted ones are whole.
    #[test]
    fn lines_that_were_changed(
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
        cut in proptest::option::of(any::<Index>()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = MemoryStore::new(1 << 30);
            let mut attempts = Attempts::at("https://example.com/");
            store.complete(&attempts.found(b"User-agent: *\nDisallow: /a\n"), None).await.unwrap();
            store.complete(&attempts.after(DAY).status(404), None).await.unwrap();
            store.complete(&attempts.after(DAY).found(b"User-agent: *\nDisallow: /b\n"), None).await.unwrap();
            let mut line = exported(&store).await.into_bytes();
            for (at, byte) in &changes {
                *at.get_mut(&mut line) = *byte;
            }
            if let Some(cut) = cut {
                line.truncate(cut.index(line.len()));
            }
            let store = MemoryStore::new(1 << 30);
            let imported = import(&store, &mut &line[..]).await.unwrap();
            prop_assert!(!changes.is_empty() || cut.is_some() || imported.taken == 1);
            prop_assert!(store.verify().await.unwrap().is_clean());
            for summary in store.list(None, 10).await.unwrap() {
                let entry = store.entry(&origin(&summary.origin)).await.unwrap().unwrap();
                for copy in entry.versions.iter().filter_map(|version| version.copy.as_ref()) {
                    prop_assert_eq!(store.body(copy.hash).await.unwrap().unwrap().len(), copy.size);
                }
            }
            Ok(())
        })?;
    }

    /// Checks lines of arbitrary bytes.
    #[test]
    fn lines_of_anything(bytes in vec(any::<u8>(), 0..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let store = MemoryStore::new(1 << 30);
        let imported = runtime.block_on(import(&store, &mut &bytes[..])).unwrap();
        prop_assert_eq!(imported.taken, 0);
    }
}

/// A writer that accepts nothing.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_room_for_the_export() {
    let store = MemoryStore::new(1 << 30);
    store.complete(&found("https://example.com/", b"A"), None).await.unwrap();
    let error = export(&store, &mut Full).await.unwrap_err();
    assert!(error.is_full() && error.is_io(), "{error}");
}
