//! Checks of journals.

use comity_policy::Time;

use super::{Check, Shared};
use crate::store::{Journal, JournalChange, JournalEntry};

pub(super) const CHECKS: &[Check] = &[
    |store| Box::pin(notes_are_replaced(store)),
    |store| Box::pin(entries_are_appended_once(store)),
    |store| Box::pin(numbers_continue_after_old_entries_were_removed(store)),
    |store| Box::pin(concurrent_writers_leave_no_gap_to_readers(store)),
];

fn journal(store: &Shared) -> &dyn Journal {
    store.journal().expect("the store has a journal")
}

fn entry(id: &str, second: u64) -> JournalEntry {
    let at = Time::from_unix_seconds(second);
    JournalEntry { number: 0, id: id.to_owned(), at, text: format!("{{\"of\":\"{id} \u{202E}ä\"}}") }
}

fn change(notes: &[(&str, &str)], entries: Vec<JournalEntry>) -> JournalChange {
    let notes = notes.iter().map(|(name, note)| ((*name).to_owned(), (*note).to_owned())).collect();
    JournalChange { notes, entries }
}

async fn notes(store: &Shared, names: &[&str]) -> Vec<Option<String>> {
    journal(store).notes(names.iter().map(|name| (*name).to_owned()).collect()).await.unwrap()
}

async fn notes_are_replaced(store: &Shared) {
    assert_eq!(notes(store, &["a", "b"]).await, [None, None], "before the first write");
    let long = "x".repeat(8000);
    journal(store).write(change(&[("a", "1"), (&long, "long")], Vec::new())).await.unwrap();
    journal(store).write(change(&[("a", "2"), ("c", "")], Vec::new())).await.unwrap();
    let found = notes(store, &["c", "a", "b", &long, "a"]).await;
    let expected = [Some(""), Some("2"), None, Some("long"), Some("2")];
    assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    assert_eq!(journal(store).newest().await.unwrap(), 0);
}

async fn entries_are_appended_once(store: &Shared) {
    let journal = journal(store);
    assert_eq!(journal.entries(0, 10).await.unwrap(), []);
    journal.write(change(&[("a", "1")], vec![entry("x", 1), entry("y", 2)])).await.unwrap();
    journal.write(change(&[("a", "2")], vec![entry("y", 9), entry("z", 3)])).await.unwrap();
    let entries = journal.entries(0, 10).await.unwrap();
    let ids: Vec<(&str, Time)> = entries.iter().map(|entry| (entry.id.as_str(), entry.at)).collect();
    let at = Time::from_unix_seconds;
    assert_eq!(ids, [("x", at(1)), ("y", at(2)), ("z", at(3))]);
    assert!(entries.windows(2).all(|pair| pair[0].number < pair[1].number));
    assert_eq!(entries[0].text, entry("x", 1).text);
    assert_eq!(notes(store, &["a"]).await, [Some("2".to_owned())]);
    let after = entries[0].number;
    assert_eq!(journal.entries(after, 1).await.unwrap(), entries[1..2]);
    assert_eq!(journal.newest().await.unwrap(), entries[2].number);
}

async fn numbers_continue_after_old_entries_were_removed(store: &Shared) {
    let journal = journal(store);
    let entries = (1..=5).map(|second| entry(&second.to_string(), second)).collect();
    journal.write(change(&[], entries)).await.unwrap();
    assert_eq!(journal.trim(Time::from_unix_seconds(3), 100).await.unwrap(), 2);
    assert_eq!(journal.trim(Time::default(), 2).await.unwrap(), 1);
    assert_eq!(journal.trim(Time::from_unix_seconds(100), 0).await.unwrap(), 1, "the newest stays");
    journal.write(change(&[], vec![entry("6", 6)])).await.unwrap();
    let ids: Vec<(u64, String)> =
        journal.entries(0, 10).await.unwrap().into_iter().map(|entry| (entry.number, entry.id)).collect();
    assert_eq!(ids, [(5, "5".to_owned()), (6, "6".to_owned())]);
}

async fn concurrent_writers_leave_no_gap_to_readers(store: &Shared) {
    const WRITERS: u64 = 8;
    const EACH: u64 = 10;
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in 0..EACH {
                    // Some entries come from several writers, as when two watchers find the same.
                    let entries = vec![entry(&format!("{writer} {number}"), 1), entry(&format!("all {number}"), 1)];
                    journal(&store).write(change(&[("a", "1")], entries)).await.unwrap();
                }
            })
        })
        .collect();
    let mut seen = Vec::new();
    let all = (WRITERS + 1) * EACH;
    while (seen.len() as u64) < all {
        let after = seen.last().copied().unwrap_or_default();
        seen.extend(journal(store).entries(after, 7).await.unwrap().iter().map(|entry| entry.number));
        tokio::task::yield_now().await;
        if writers.iter().all(tokio::task::JoinHandle::is_finished)
            && journal(store).newest().await.unwrap() == *seen.last().unwrap()
        {
            break;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(seen.len() as u64, all, "a reader that continues after the last number misses none");
}
