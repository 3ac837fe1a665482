//! Several crawls in one folder, and tables of bodies that are damaged or incomplete.

use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};

use crate::archives::{response, write_archive};
use crate::folder::{Folder, ROBOTS, text};
use crate::many::MANY;

#[test]
fn a_second_crawl_leaves_the_bodies_of_the_first() {
    let folder = Folder::new();
    let crawls = [("jan", "/jan/"), ("feb", "/feb/")];
    for (name, path) in crawls {
        let archive = response("https://a.example/robots.txt", "200 OK", &format!("User-agent: *\nDisallow: {path}\n"));
        fs::write(folder.path(&format!("{name}.warc.gz")), archive).unwrap();
        folder.succeed(&["warc", &format!("{name}.warc.gz"), "--sites", &format!("{name}.parquet")]);
    }
    let urls = text(&["https://a.example/jan/1", "https://a.example/feb/1"]);
    folder.write("questions.parquet", vec![("url", urls)], 10);
    for (name, path) in crawls {
        let (input, sites) = ("questions.parquet", format!("{name}.parquet"));
        folder.succeed(&["batch", "--input", input, "--robots", &sites, "-a", "x", "--output", "out.parquet"]);
        let allowed: Vec<_> = folder.answers("out.parquet").into_iter().map(|(allowed, ..)| allowed).collect();
        assert_eq!(allowed, ["/jan/", "/feb/"].map(|other| Some(other != path)), "{name}");
    }
}

#[test]
fn damaged_bodies_are_never_answered_by() {
    /// Each copy has one damaged byte.
    const COPIES: usize = 60;
    let folder = Folder::new();
    write_archive(&folder.path("1.warc.gz"), 0..40);
    folder.succeed(&["warc", "1.warc.gz"]);
    let urls: Vec<_> = (0..40).map(|site| format!("https://site{site}.example/{site}")).collect();
    folder.write("questions.parquet", vec![("url", Arc::new(StringArray::from(urls)) as ArrayRef)], 100);
    folder.succeed(&MANY);
    let expected = folder.answers("out.parquet");
    let bodies = fs::read(folder.path("sites.bodies.parquet")).unwrap();
    let mut refused = 0;
    for copy in 0..COPIES {
        let mut damaged = bodies.clone();
        damaged[copy * bodies.len() / COPIES] ^= 1 << (copy % 8);
        fs::write(folder.path("sites.bodies.parquet"), damaged).unwrap();
        fs::remove_file(folder.path("out.parquet")).unwrap_or_default();
        match folder.run(&MANY).status.code() {
            Some(0) => assert_eq!(folder.answers("out.parquet"), expected, "copy {copy}"),
            code => {
                assert_eq!((code, folder.path("out.parquet").exists()), (Some(2), false), "copy {copy}");
                refused += 1;
            }
        }
    }
    assert!(refused > COPIES / 2, "{refused}");
}

#[test]
fn bodies_that_do_not_belong_to_the_sites_are_errors() {
    const HASH: &[u8] = &[7; 32];
    let folder = Folder::new();
    folder.write("questions.parquet", vec![("url", text(&["https://a.example/a"]))], 10);
    let sites = |hash: &[u8]| {
        let hash = Arc::new(BinaryArray::from(vec![hash])) as ArrayRef;
        let columns =
            vec![("origin", text(&["https://a.example"])), ("outcome", text(&["rules"])), ("body_hash", hash)];
        folder.write("sites.parquet", columns, 10);
    };
    let bodies = |name, hash: &[u8]| {
        let hash = Arc::new(BinaryArray::from(vec![hash])) as ArrayRef;
        folder.write(name, vec![("hash", hash), ("body", text(&[ROBOTS]))], 10);
    };
    sites(HASH);
    let error = folder.fail(&MANY);
    assert!(error.contains("found no such file: name it with --bodies"), "{error}");
    bodies("sites.bodies.parquet", HASH);
    let error = folder.fail(&MANY);
    assert!(error.contains("sites.bodies.parquet: expected a body with the SHA-256 0707"), "{error}");
    bodies("sites.bodies.parquet", b"another name");
    let error = folder.fail(&MANY);
    assert!(error.contains("sites.parquet: expected a body for each outcome `rules`, found none"), "{error}");
    assert!(!folder.path("out.parquet").exists());
    // A name that is no SHA-256 is not checked.
    sites(b"a name");
    bodies("named.parquet", b"a name");
    folder.succeed(&[&MANY[..], &["--bodies", "named.parquet"]].concat());
    assert_eq!(folder.answers("out.parquet")[0].0, Some(false));
}
