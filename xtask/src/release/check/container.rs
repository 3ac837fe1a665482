//! The image in a container, by crun: read-only, without capabilities, as nobody.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::super::{Release, image};
use super::site::Site;
use super::{Answer, ROBOTS, asks};

/// The time after which the service accepts requests, at the latest.
const MAX_START: Duration = Duration::from_secs(1);

/// The identifier of the container.
const NAME: &str = "comity-release-check";

/// The program in the image.
const PROGRAM: &str = "/usr/bin/comity";

/// Runs crun with a single hierarchy of control groups: it knows no mixture of both kinds.
const CRUN: &str = "\
if [ \"$(stat -f -c %T /sys/fs/cgroup)\" != cgroup2fs ]; then \
umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; fi; exec crun --cgroup-manager=disabled \"$@\"";

pub(crate) fn check(release: &Release) -> Result<()> {
    let bundle = release.folder("container")?;
    let config = unpack(release, &bundle.join("rootfs"))?;
    ensure!(config["User"] == "65534:65534", "the image has the user {}", config["User"]);
    let files = release.folder("container-site")?;
    fs::write(files.join("robots.txt"), ROBOTS)?;
    let specification = specification(&config, &files);
    fs::write(bundle.join("config.json"), serde_json::to_vec_pretty(&specification)?)?;

    let start = Instant::now();
    let container = Container::start(&bundle, release.folder("container-state")?)?;
    let test: Vec<&str> = items(&config["Healthcheck"]["Test"]).filter_map(Value::as_str).collect();
    ensure!(test.first() == Some(&"CMD"), "the image has the health check {test:?}");
    let health = loop {
        let answer = container.exec(&test[1..])?;
        if answer.code == Some(0) || start.elapsed() > MAX_START * 10 {
            break answer;
        }
    };
    let time = start.elapsed();
    ensure!(health.code == Some(0) && health.out.contains("accepts requests"), "{health:?}");
    println!("{:<40} is ready after {:.2} s", "the service in a container", time.as_secs_f64());
    ensure!(time < MAX_START, "the service was ready after {time:?}, more than {MAX_START:?}");

    let process = fs::read_to_string(format!("/proc/{}/status", container.process()?))?;
    for line in ["Uid:\t65534\t", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"] {
        ensure!(process.contains(line), "the process has no line {line:?}:\n{process}");
    }
    container.serves()?;
    let site = Site::start_beside(release, container.process()?)?;
    asks(&site, "/site/robots.txt", |arguments| {
        let mut command = container.command();
        command.arg(PROGRAM).args(arguments);
        command
    })?;
    container.end()
}

/// Unpacks the image. Returns its configuration.
fn unpack(release: &Release, root: &Path) -> Result<Value> {
    let mut archive = Vec::new();
    GzDecoder::new(fs::File::open(release.artifact(&release.image_name()))?).read_to_end(&mut archive)?;
    let files: BTreeMap<_, _> = image::entries(&archive)?;
    let file = |name: &Value| files.get(name.as_str().unwrap_or_default()).context("the image is not complete");
    let manifest: Value = serde_json::from_slice(file(&json!("manifest.json"))?)?;
    for layer in items(&manifest[0]["Layers"]) {
        let mut layer = tar::Archive::new(&file(layer)?[..]);
        layer.set_preserve_permissions(true);
        layer.unpack(root)?;
    }
    // Where a runtime mounts something.
    for folder in ["dev", "proc", "site"] {
        fs::create_dir_all(root.join(folder))?;
    }
    let mut config: Value = serde_json::from_slice(file(&manifest[0]["Config"])?)?;
    Ok(config["config"].take())
}

/// Returns the specification of the container, with the command of the image, and with a folder of files.
fn specification(config: &Value, files: &Path) -> Value {
    let command: Vec<&Value> = items(&config["Entrypoint"]).chain(items(&config["Cmd"])).collect();
    let none: [&str; 0] = [];
    json!({
        "ociVersion": "1.0.0",
        "process": {
            "terminal": false,
            "user": { "uid": 65534, "gid": 65534 },
            "args": command,
            "env": config["Env"],
            "cwd": "/",
            "noNewPrivileges": true,
            "capabilities": {
                "bounding": none, "effective": none, "inheritable": none, "permitted": none, "ambient": none,
            },
        },
        "root": { "path": "rootfs", "readonly": true },
        "mounts": [
            { "destination": "/proc", "type": "proc", "source": "proc" },
            { "destination": "/site", "type": "bind", "source": files, "options": ["bind", "ro"] },
            {
                "destination": "/dev", "type": "tmpfs", "source": "tmpfs",
                "options": ["nosuid", "ro", "mode=755", "size=64k"],
            },
        ],
        "linux": {
            "namespaces": [
                { "type": "pid" }, { "type": "mount" }, { "type": "ipc" }, { "type": "uts" }, { "type": "network" },
            ],
        },
    })
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A container that runs until it is dropped.
struct Container {
    child: Child,
    state: PathBuf,
}

impl Container {
    fn start(bundle: &Path, state: PathBuf) -> Result<Self> {
        let mut command = crun(&state);
        command.args(["run", "--bundle"]).arg(bundle).arg(NAME);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().context("cannot start unshare")?;
        Ok(Self { child, state })
    }

    /// Runs a program in the container, as its user.
    fn exec(&self, words: &[&str]) -> Result<Answer> {
        Answer::of(self.command().args(words))
    }

    /// Returns the start of a command that runs in the container, as its user.
    fn command(&self) -> Command {
        let mut command = crun(&self.state);
        command.args(["exec", "--user", "65534:65534", NAME]);
        command
    }

    /// Returns the number of its first process.
    fn process(&self) -> Result<u64> {
        let state = Answer::of(crun(&self.state).args(["state", NAME]))?;
        let state: Value = serde_json::from_str(&state.out).with_context(|| format!("crun printed {state:?}"))?;
        state["pid"].as_u64().context("crun names no process")
    }

    /// Asks the service about a file, and the command about a site that cannot be reached.
    fn serves(&self) -> Result<()> {
        let network = format!("/proc/{}/ns/net", self.process()?);
        let request =
            r#"{"robots": "User-agent: *\nDisallow: /private/", "urls": ["/private/a", "/a"], "agents": ["a"]}"#;
        let script = "\
            import json, sys, urllib.request\n\
            request = urllib.request.Request('http://127.0.0.1:9309/v1/check', sys.argv[1].encode(), \
            {'Content-Type': 'application/json'})\n\
            print(json.dumps(json.load(urllib.request.urlopen(request))))";
        let mut asked = Command::new("nsenter");
        asked.arg(format!("--net={network}")).args(["python3", "-c", script, request]);
        let answer = Answer::of(&mut asked)?;
        let compact = answer.out.replace(' ', "");
        ensure!(
            answer.code == Some(0) && compact.contains("\"allowed\":false") && compact.contains("\"allowed\":true"),
            "{answer:?}"
        );
        let refused = self.exec(&[PROGRAM, "check", "--no-cache", "--agent", "a", "http://127.0.0.1:1/a"])?;
        refused.is_refusal(&[])?;
        // There is no place for a cache.
        let refused = self.exec(&[PROGRAM, "cache", "list", "--cache", "/var/cache"])?;
        ensure!(refused.code != Some(1), "{refused:?}");
        Ok(())
    }

    /// Ends the service by the signal that runtimes send.
    fn end(mut self) -> Result<()> {
        let sent = Answer::of(crun(&self.state).args(["kill", NAME, "TERM"]))?;
        ensure!(sent.code == Some(0), "{sent:?}");
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            ensure!(start.elapsed() < Duration::from_secs(10), "the service does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let status = self.child.wait()?;
        ensure!(status.code() == Some(0), "the service ended with {status}");
        Ok(())
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = crun(&self.state).args(["delete", "--force", NAME]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the start of a command of crun.
fn crun(state: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-euc", CRUN, "sh", "--root"]).arg(state);
    command
}
