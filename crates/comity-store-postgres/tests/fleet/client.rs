//! Clients as processes: the test program starts itself.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use comity::{Crawler, Origin};
use comity_fetch::store::Store as _;
use comity_fetch::{Addresses, Client, Clock, Fixed, Time};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use tokio::task::JoinSet;

use crate::lease::Leased;
use crate::web::Web;

/// The maximum time for the whole fleet.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The maximum time between two answers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// The variables of a client's environment.
const DATABASE: &str = "COMITY_FLEET_DATABASE";
const WEB: &str = "COMITY_FLEET_WEB";
const SITES: &str = "COMITY_FLEET_SITES";
const AT_ONCE: &str = "COMITY_FLEET_AT_ONCE";
const WAIT: &str = "COMITY_FLEET_WAIT";
const LEASE: &str = "COMITY_FLEET_LEASE";
const CLOCK: &str = "COMITY_FLEET_CLOCK";
const SEED: &str = "COMITY_FLEET_SEED";

/// The settings of all clients of a fleet.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) database: String,
    /// The addresses of the database for the first clients, if they have others.
    pub(crate) far: Vec<String>,
    pub(crate) web: String,
    pub(crate) origins: usize,
    pub(crate) at_once: usize,
    /// The time to wait for a database that is down. If it is not zero, the store is required.
    pub(crate) wait: Duration,
    /// The maximum span of a lease.
    pub(crate) lease: Duration,
}

/// An answer about an origin.
#[derive(Debug)]
pub(crate) struct Answer {
    origin: usize,
    /// The version of the file that decided. 0 if there was none, so that everything is disallowed.
    pub(crate) version: usize,
    asked: Duration,
    answered: Duration,
}

/// A line of a client's output.
enum Line {
    Answer(Answer),
    /// The client has asked about all origins, with this number of errors of the store.
    Done(u64),
    /// The client has ended.
    Ended,
}

/// The processes of a fleet.
pub(crate) struct Fleet {
    settings: Settings,
    members: Vec<Member>,
    began: SystemTime,
    sender: Sender<(u32, Line)>,
    lines: Receiver<(u32, Line)>,
    answers: Vec<Answer>,
    store_errors: u64,
}

struct Member {
    process: Child,
    input: ChildStdin,
    is_done: bool,
    database: String,
    days: i64,
}

impl Settings {
    pub(crate) fn new(database: &str, web: &Web, origins: usize) -> Self {
        let (database, web, far) = (database.to_owned(), web.address().to_string(), Vec::new());
        Self { database, far, web, origins, at_once: 1, wait: Duration::ZERO, lease: Duration::MAX }
    }

    /// Checks everything that the database contains. If there are answers, it contains all origins, and no copy is older
    /// than one of the answers.
    pub(crate) fn is_clean(&self, answers: &[Answer]) {
        let mut newest = vec![0; self.origins];
        for answer in answers {
            newest[answer.origin] = newest[answer.origin].max(answer.version);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = PostgresStore::new(self.database.parse().unwrap()).unwrap();
            let report = store.archive().unwrap().verify().await.unwrap();
            let is_complete = answers.is_empty() || report.origins == self.origins as u64;
            assert!(report.is_clean() && is_complete, "{report:?}");
            for (origin, newest) in newest.iter().enumerate() {
                let stored = store.load(&Origin::of(&url(origin)).unwrap()).await.unwrap();
                let stored = stored.and_then(|stored| stored.record.copy).map_or(0, |copy| version(&copy.body));
                assert!(stored >= *newest, "site{origin}: version {stored} is stored, and {newest} was answered");
            }
        });
    }
}

impl Fleet {
    /// Starts a client for each of these numbers of days, by which its clock is wrong.
    pub(crate) fn start(settings: &Settings, clocks: &[i64]) -> Self {
        let (sender, lines) = channel();
        let mut fleet = Self {
            settings: settings.clone(),
            members: Vec::new(),
            began: SystemTime::now(),
            sender,
            lines,
            answers: Vec::new(),
            store_errors: 0,
        };
        for &days in clocks {
            let far = settings.far.get(fleet.members.len());
            let member = fleet.member(far.unwrap_or(&settings.database), days, fleet.members.len());
            fleet.members.push(member);
        }
        fleet
    }

    fn member(&self, database: &str, days: i64, seed: usize) -> Member {
        let began = self.began.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "client_process", "--ignored", "--nocapture"])
            .env(DATABASE, database)
            .env(WEB, &self.settings.web)
            .env(SITES, self.settings.origins.to_string())
            .env(AT_ONCE, self.settings.at_once.to_string())
            .env(WAIT, self.settings.wait.as_secs().to_string())
            .env(LEASE, self.settings.lease.as_secs().to_string())
            .env(CLOCK, days.to_string())
            .env(SEED, seed.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (id, sender) = (process.id(), self.sender.clone());
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // The first line of a test may begin with its name.
                let words: Vec<&str> =
                    line.split(' ').skip_while(|word| *word != "answer" && *word != "done").collect();
                let numbers: Vec<u64> = words.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
                let line = match (words.first().copied(), &numbers[..]) {
                    (Some("answer"), [origin, version, asked, answered]) => {
                        let time = |micros: &u64| Duration::from_micros(*micros).saturating_sub(began);
                        let (origin, version) = (*origin as usize, *version as usize);
                        Line::Answer(Answer { origin, version, asked: time(asked), answered: time(answered) })
                    }
                    (Some("done"), [errors]) => Line::Done(*errors),
                    _ => continue,
                };
                if sender.send((id, line)).is_err() {
                    return;
                }
            }
            let _ = sender.send((id, Line::Ended));
        });
        let input = process.stdin.take().unwrap();
        Member { process, input, is_done: false, database: database.to_owned(), days }
    }

    fn receive(&mut self) {
        let (id, line) = self.lines.recv_timeout(ANSWER_TIMEOUT).expect("an answer");
        // One that was killed is no member.
        let member = self.members.iter_mut().find(|member| member.process.id() == id);
        match (line, member) {
            (Line::Answer(answer), _) => self.answers.push(answer),
            (Line::Done(errors), member) => {
                self.store_errors += errors;
                if let Some(member) = member {
                    member.is_done = true;
                }
            }
            (Line::Ended, Some(_)) => panic!("a client ended by itself: its error is above"),
            (Line::Ended, None) => {}
        }
    }

    /// Waits until there are so many answers in all.
    pub(crate) fn wait_for(&mut self, answers: usize) {
        while self.answers.len() < answers {
            self.receive();
        }
    }

    /// Waits until all clients have asked about all origins. Returns their answers.
    pub(crate) fn finish(&mut self) -> Vec<Answer> {
        let end = Instant::now() + TIMEOUT;
        while !self.members.iter().all(|member| member.is_done) {
            assert!(Instant::now() < end, "the fleet does not finish");
            self.receive();
        }
        std::mem::take(&mut self.answers)
    }

    /// Makes all clients ask again. Returns the answers.
    pub(crate) fn ask_again(&mut self) -> Vec<Answer> {
        self.store_errors = 0;
        for member in &mut self.members {
            member.is_done = false;
            writeln!(member.input).unwrap();
        }
        self.finish()
    }

    /// Returns the number of errors of the store that the clients counted.
    pub(crate) fn store_errors(&self) -> u64 {
        self.store_errors
    }

    /// Kills a client, and starts another one, which asks about all origins in another order.
    pub(crate) fn kill_and_start_again(&mut self, nth: usize) {
        let member = &mut self.members[nth];
        let _ = member.process.kill();
        let _ = member.process.wait();
        let (database, days) = (member.database.clone(), member.days);
        self.members[nth] = self.member(&database, days, self.answers.len());
    }

    /// Stops some clients for a time.
    pub(crate) fn stop(&mut self, clients: &[usize], time: Duration) {
        for nth in clients {
            self.signal(*nth, "STOP");
        }
        std::thread::sleep(time);
        for nth in clients {
            self.signal(*nth, "CONT");
        }
    }

    /// Sends a signal to a client.
    pub(crate) fn signal(&self, nth: usize, name: &str) {
        let id = self.members[nth].process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for member in &mut self.members {
            let _ = member.process.kill();
            let _ = member.process.wait();
        }
    }
}

/// Checks that every answer is by a version, and by none that is older than that of an answer that was given before its
/// question.
pub(crate) fn never_older(answers: &[Answer]) {
    let mut by_origin: HashMap<usize, Vec<&Answer>> = HashMap::new();
    for answer in answers {
        by_origin.entry(answer.origin).or_default().push(answer);
    }
    for answers in by_origin.values() {
        for later in answers {
            let earlier = answers.iter().filter(|earlier| earlier.answered < later.asked);
            let newest = earlier.map(|earlier| earlier.version).max().unwrap_or(1);
            assert!(newest <= later.version, "{answers:?}");
        }
    }
}

fn url(origin: usize) -> String {
    format!("http://site{origin}.test/private/x")
}

/// Returns the version of a file.
fn version(body: &[u8]) -> usize {
    let number = body.rsplit(|byte| *byte == b' ').next().unwrap();
    std::str::from_utf8(number).unwrap().parse().unwrap()
}

/// Asks about all origins, and prints `answer ORIGIN VERSION ASKED ANSWERED` for each, then `done ERRORS`. Repeats that for
/// each line of standard input.
pub(crate) fn run() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let number = |name: &str| variable(name).parse::<i64>().unwrap();
    let count = |name: &str| variable(name).parse::<usize>().unwrap();
    let wait = Duration::from_secs(number(WAIT).unsigned_abs());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let options: PostgresOptions = variable(DATABASE).parse().unwrap();
        // On a busy machine, the database may take longer than the patience of a question.
        let store = Arc::new(PostgresStore::new(options.wait(wait).patience(Duration::MAX)).unwrap());
        let lease = Duration::from_secs(variable(LEASE).parse().unwrap());
        let days = Duration::from_secs(number(CLOCK).unsigned_abs() * 24 * 60 * 60);
        let now = SystemTime::now();
        let clock = match number(CLOCK) {
            0 => Clock::system(),
            1.. => Clock::set_to(Time::from(now + days)),
            _ => Clock::set_to(Time::from(now - days)),
        };
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .resolver(Arc::new(Fixed::new([variable(WEB).parse().unwrap()])))
            .clock(clock)
            .store(Arc::new(Leased::new(&store, lease)))
            .require_store(!wait.is_zero())
            .build()
            .unwrap();
        let (origins, at_once, seed) = (count(SITES), count(AT_ONCE), count(SEED));
        loop {
            let mut tasks = JoinSet::new();
            for task in 0..at_once {
                let client = client.clone();
                tasks.spawn(async move {
                    for nth in (task..origins).step_by(at_once) {
                        // 7919 is a prime, and no divisor of the number of origins: each origin comes once.
                        ask(&client, (nth * 7919 + seed * 104_729) % origins).await;
                    }
                });
            }
            tasks.join_all().await;
            println!("done {}", client.stats().store_errors_total);
            if std::io::stdin().read_line(&mut String::new()).unwrap_or_default() == 0 {
                return;
            }
        }
    });
}

async fn ask(client: &Client, origin: usize) {
    let micros = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_micros();
    let asked = micros();
    let decision = client.check(&Crawler::ANY, url(origin)).await.unwrap();
    let answered = micros();
    assert!(decision.is_disallowed(), "{decision}");
    let version = decision.site().copy().map_or(0, |copy| version(&copy.body));
    println!("answer {origin} {version} {asked} {answered}");
}
