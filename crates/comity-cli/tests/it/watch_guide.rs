//! Runs the commands of `docs/watch.md`, and compares what they print.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use crate::watch::{Sites, commit, text};

const GUIDE: &str = include_str!("../../../../docs/watch.md");

/// Returns the blocks of the guide in a language.
fn blocks(language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    GUIDE.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Replaces times and hashes of files, which differ in each run.
fn normal(text: &str) -> String {
    let is_hash = |word: &str| word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = |word: &str| {
        let bare = word.trim_end_matches([' ', '\n', '.', ')', ':']);
        let end = &word[bare.len()..];
        match bare.trim_start_matches('(') {
            bare if humantime::parse_rfc3339(bare).is_ok() => format!("TIME{end}"),
            bare if is_hash(bare) => format!("HASH{end}"),
            _ => word.to_owned(),
        }
    };
    text.split_inclusive([' ', '\n']).map(word).collect()
}

/// The file of the guide's site, with or without its lines 12 and 13.
fn file(is_shop_blocked: bool) -> String {
    let carts = (2..12).fold("User-agent: *\n".to_owned(), |text, line| text + &format!("Disallow: /cart/{line}\n"));
    if is_shop_blocked { carts + "Disallow: /shop/\nAllow: /shop/help/\n" } else { carts }
}

/// A server, and a folder as the guide expects it.
fn guide_sites() -> (Sites, String) {
    let sites = Sites::new();
    let url = sites.url("shop.example");
    let folder = sites.folder.path();
    fs::create_dir(folder.join("public")).unwrap();
    // One URL more of /shop/ stays allowed, by line 13.
    let shop = (0..1203).map(|number| format!("/shop/{number}"));
    let paths = ["/shop/hats".to_owned(), "/shop/help/a".to_owned()].into_iter().chain(shop);
    let others = (0..41_233 - 1205).map(|number| format!("/{number}"));
    let mut sitemap = String::from("<urlset>");
    for path in paths.chain(others) {
        write!(sitemap, "<url><loc>{url}{path}</loc></url>").unwrap();
    }
    fs::write(folder.join("sitemap.xml"), sitemap + "</urlset>").unwrap();
    sites.serve("shop.example", &file(false));
    (sites, url)
}

/// The first configuration is watched, its git history imported, a change reported, and an earlier time asked about.
#[test]
fn the_commands_print_what_the_guide_shows() {
    let (sites, url) = guide_sites();
    sites.configure(&blocks("toml")[0].replace("https://shop.example", &url));
    let versions: Vec<String> = (0..23).map(|number| format!("# {number}\n")).chain([file(false)]).collect();
    let versions: Vec<_> = (0..).map(|day| 1_790_000_000 + day * 3600).zip(versions).collect();
    commit(sites.folder.path(), "public/robots.txt", versions.iter().map(|(time, body)| (*time, Some(body.as_str()))));
    let mut between = String::new();
    let shown: Vec<String> = blocks("text").into_iter().filter(|block| block.starts_with("$ ")).collect();
    assert_eq!(shown.len(), 4, "the guide has another example, which is not tested");
    for (number, block) in shown.iter().enumerate() {
        let (command, expected) = block.split_once('\n').unwrap();
        let mut arguments: Vec<&str> = command.strip_prefix("$ comity ").unwrap().split(' ').collect();
        let replaced: Vec<String> = arguments.iter().map(|word| word.replace("https://shop.example", &url)).collect();
        arguments = replaced.iter().map(String::as_str).collect();
        if number == 2 {
            // Between the last commit and the look.
            between = humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
            std::thread::sleep(std::time::Duration::from_millis(5));
            sites.serve("shop.example", &file(true));
        }
        if let Some(at) = arguments.iter().position(|word| *word == "--at") {
            arguments[at + 1] = &between;
        }
        let (_, said) = if number == 1 {
            // The second way to begin, in place of the first look. It sends no request.
            fs::remove_dir_all(sites.folder.path().join("cache")).unwrap();
            sites.run_offline(&arguments)
        } else {
            sites.run(&arguments)
        };
        assert_eq!(normal(&said.replace(&url, "https://shop.example")), normal(expected), "{command}\n{said}");
    }
}

/// The commands for cron, systemd and GitHub run as they are written, in other folders.
#[test]
fn the_scheduled_commands_of_the_guide_run() {
    let (sites, url) = guide_sites();
    let folder = sites.folder.path();
    let [cache, folder_of_cache, resolve, address] = sites.options();
    let config = blocks("toml").remove(1).replace("https://shop.example", &url);
    fs::write(folder.join("public/robots.txt"), file(true)).unwrap();
    sites.configure(&config);
    let commands: Vec<&str> =
        GUIDE.lines().filter_map(|line| Some(line.split_once("comity watch --once --")?.1)).collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for options in commands {
        fs::remove_dir_all(folder.join("cache")).unwrap_or_default();
        let options = options.trim_end_matches("|| true");
        let options =
            options.replace("/etc/comity", &folder.display().to_string()).replace("/var/lib/comity", &folder_of_cache);
        let kept = if options.contains("cache ") { String::new() } else { format!("{cache} {folder_of_cache}") };
        let command = format!("\"$COMITY\" watch --once --{options} {kept} {resolve} '{address}'");
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("COMITY", env!("CARGO_BIN_EXE_comity"))
            .current_dir(folder)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {}", text(&output));
        assert!(text(&output).contains("differs in meaning from public/robots.txt"), "{}", text(&output));
    }
}

/// The receiver in Python accepts a request that was signed, and no other one.
#[test]
fn the_receiver_of_the_guide_checks_signatures() {
    let (sites, url) = guide_sites();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let hook = format!("http://{}/", listener.local_addr().unwrap());
    fs::write(sites.folder.path().join("hook.secret"), "a secret\n").unwrap();
    sites.configure(&format!(
        "[watch]\n[[watch.site]]\norigins = [\"{url}\"]\n[[watch.to]]\nwebhook = \"{hook}\"\nsecret_file = \"hook.secret\"\n"
    ));
    sites.serve("shop.example", "User-agent: *\nDisallow: /\n");
    let receiver = std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let (mut signature, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            if line == "\r\n" {
                break;
            }
            let (name, value) = line.trim_end().split_once(": ").unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "comity-signature" => value.clone_into(&mut signature),
                "content-length" => length = value.parse().unwrap(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        stream.get_mut().write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        (signature, body)
    });
    let (code, said) = sites.run(&["watch", "--once"]);
    assert_eq!(code, 1, "{said}");
    let (signature, body) = receiver.join().unwrap();
    let script = blocks("python").remove(0)
        + "\nimport sys\nheader, body = sys.argv[1], sys.argv[2].encode()\n\
           print(is_ours(header, body, b'a secret'), is_ours(header, body + b' ', b'a secret'), is_ours(header, body, b'b'))\n";
    let body = String::from_utf8(body).unwrap();
    let output = Command::new("python3").args(["-c", &script, &signature, &body]).output().unwrap();
    assert_eq!(text(&output), "True False False\n", "{signature}");
}
