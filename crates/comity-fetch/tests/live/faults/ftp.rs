//! Faults of FTP.

use comity_testserver::{At, Reply};

use super::row::Then::{self, Empty, Found, FtpSays, Missing, Refused};
use super::row::{Does, Ftp, Over, Row};
use crate::ROBOTS;

fn answers(replies: &[(&'static str, Reply)]) -> Ftp {
    Ftp { answers: replies.to_vec(), ..Ftp::default() }
}

fn answer(command: &'static str, text: &str) -> Ftp {
    answers(&[(command, Reply::line(text))])
}

fn greeting(reply: Reply) -> Ftp {
    Ftp { greeting: Some(reply), ..Ftp::default() }
}

fn file(reply: Reply) -> Ftp {
    Ftp { file: Some(reply), ..Ftp::default() }
}

fn finish(reply: Reply) -> Ftp {
    Ftp { finish: Some(reply), ..Ftp::default() }
}

fn all(rows: Vec<(&str, Ftp, Then)>) -> Vec<Row> {
    rows.into_iter().map(|(name, ftp, then)| Row::new(Over::Ftp, name, ftp, then)).collect()
}

/// Returns faults before the file.
pub(super) fn replies() -> Vec<Row> {
    let no_epsv = |pasv: &str| answers(&[("EPSV", Reply::line("500 What?")), ("PASV", Reply::line(pasv))]);
    let forbidden = Reply::line("550 Permission denied.");
    let mut rows = all(vec![
        ("all is well", Ftp::default(), Found),
        ("no such file", answer("RETR", "550 Not there."), Missing),
        ("no such file, in two lines", answer("RETR", "550-Not\r\n550 there."), Missing),
        ("the file is locked", answer("RETR", "450 Busy."), FtpSays(450)),
        ("nobody may log in", answer("USER", "530 Members only."), FtpSays(530)),
        ("no guests", answer("PASS", "530 No guests."), FtpSays(530)),
        ("an account is needed", answer("PASS", "332 Account?"), FtpSays(332)),
        ("no such type", answer("TYPE", "504 No such type."), FtpSays(504)),
        ("too busy to greet", greeting(Reply::line("421 Too many users.")), FtpSays(421)),
        ("no data connection", answers(&[("EPSV", Reply::line("425 No."))]), FtpSays(425)),
        ("550 for USER", answers(&[("USER", forbidden.clone())]), Then::OTHER),
        ("550 for TYPE", answers(&[("TYPE", forbidden.clone())]), Then::OTHER),
        ("550 for EPSV and PASV", answers(&[("EPSV", forbidden.clone()), ("PASV", forbidden)]), Then::OTHER),
        ("no EPSV, no PASV", no_epsv("502 Not here."), FtpSays(502)),
        ("the port of another service", answer("EPSV", "229 Here (|||25|)"), Refused),
        ("the port of another service, by PASV", no_epsv("227 Here (127,0,0,1,0,25)"), Refused),
        ("port 0", answer("EPSV", "229 Here (|||0|)"), Refused),
        ("no port", answer("EPSV", "229 Here"), Then::INVALID),
        ("a port that is none", answer("EPSV", "229 Here (|||99999|)"), Then::INVALID),
        ("an address that is none", no_epsv("227 Here (127,0,0,1,999,1)"), Then::INVALID),
        ("a greeting of HTTP", greeting(Reply::line("HTTP/1.1 400 Bad Request")), Then::INVALID),
        ("a greeting of SSH", greeting(Reply::line("SSH-2.0-OpenSSH_9.9")), Then::INVALID),
        ("a greeting without end", greeting(Reply::raw("").endless("220-Welcome.\r\n")), Then::INVALID),
        ("a line without end", answers(&[("USER", Reply::raw("").endless("2"))]), Then::INVALID),
        ("two codes in a reply", answer("RETR", "550-Not\r\n226 there."), Then::INVALID),
        ("done before it began", answer("RETR", "226 That was it."), Then::INVALID),
        ("an empty line", answer("RETR", ""), Then::INVALID),
        ("no greeting, but the end", greeting(Reply::raw("").cut(At::Start)), Then::RESET),
        ("half a greeting", greeting(Reply::line("220 Ready.").cut(At::Body(3))), Then::INVALID),
        ("no greeting", greeting(Reply::line("220 Ready.").stall(At::Start)), Then::TIMEOUT),
    ]);
    rows.push(Row::new(Over::Ftp, "nobody listens", Does::Closed, Then::CONNECT));
    for command in ["USER", "PASS", "TYPE", "EPSV", "RETR"] {
        let faults = [
            ("the end", Reply::line("").cut(At::Start), Then::RESET),
            ("a reset", Reply::line("").reset(At::Start), Then::RESET),
            ("silence", Reply::line("200 Fine.").stall(At::Start), Then::TIMEOUT),
        ];
        for (name, reply, then) in faults {
            rows.push(Row::new(Over::Ftp, format!("{name} for {command}"), answers(&[(command, reply)]), then));
        }
    }
    rows
}

/// Returns faults in the file, and after it.
pub(super) fn files() -> Vec<Row> {
    let half = |reply: fn(Reply, At) -> Reply| file(reply(Reply::raw(ROBOTS), At::Body(20)));
    all(vec![
        ("an empty file", file(Reply::raw("")), Empty),
        ("a file without end", file(Reply::raw("").endless(ROBOTS)), Found),
        ("cut before the file", file(Reply::raw(ROBOTS).cut(At::Body(0))), Then::TRUNCATED),
        ("cut in the file", half(Reply::cut), Then::TRUNCATED),
        ("reset in the file", half(Reply::reset), Then::TRUNCATED),
        ("half a file, then nothing", half(Reply::stall), Then::TIMEOUT),
        ("all of it, then nothing", finish(Reply::line("226 Done.").stall(At::Start)), Then::TIMEOUT),
        ("all of it, then the end", finish(Reply::line("226 Done.").cut(At::Start)), Then::TRUNCATED),
        ("all of it, then half a reply", finish(Reply::line("226 Done.").cut(At::Body(2))), Then::TRUNCATED),
        ("all of it, or so it seems", finish(Reply::line("451 Disk error.")), Then::TRUNCATED),
        ("all of it, but broken off", finish(Reply::line("426 Broken.")), Then::TRUNCATED),
        ("all of it, and more to come", finish(Reply::line("150 More.")), Then::TRUNCATED),
        ("all of it, then no FTP", finish(Reply::line("HTTP/1.1 200 OK")), Then::TRUNCATED),
    ])
}
