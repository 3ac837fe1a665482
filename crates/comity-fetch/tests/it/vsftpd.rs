//! Fetches by FTP from a server that many sites run: vsftpd. Skipped with a message without it, or without root.

#![cfg(all(feature = "ftp", unix))]

use std::fs::{self, File, Permissions};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity::Crawler;
use comity_fetch::{Access, Client, Event, Failure, Fixed, SiteRobots};
use comity_policy::BODY_LIMIT;

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

/// A running vsftpd with a folder, which is stopped on drop.
struct Vsftpd {
    process: Child,
    address: SocketAddr,
    folder: PathBuf,
    _whole: tempfile::TempDir,
}

impl Vsftpd {
    /// Starts vsftpd with these lines in its configuration; returns `None` if that is not possible here.
    fn start(more: &str) -> Option<Self> {
        let program = ["/usr/sbin/vsftpd", "/usr/local/sbin/vsftpd"].into_iter().find(|path| Path::new(path).exists());
        let Some(program) = program else {
            eprintln!("SKIPPED: vsftpd is not installed; with apt-get: `apt-get install vsftpd`");
            return None;
        };
        let whole = tempfile::tempdir().unwrap();
        // Files of this process belong to the user that runs it.
        if std::os::unix::fs::MetadataExt::uid(&fs::metadata(whole.path()).unwrap()) != 0 {
            eprintln!("SKIPPED: vsftpd does not start but as root");
            return None;
        }
        let [folder, empty] = ["files", "empty"].map(|name| whole.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&empty).unwrap();
        // It runs as another user, who must be able to read, and not to write.
        for path in [whole.path(), &folder, &empty] {
            fs::set_permissions(path, Permissions::from_mode(0o555)).unwrap();
        }
        // It does not accept port 0.
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, comity_testserver::free_port()));
        let configuration = whole.path().join("vsftpd.conf");
        let (root, empty) = (folder.display(), empty.display());
        // Its sandbox kills it in containers.
        let lines = format!(
            "listen=YES\nlisten_ipv6=NO\nbackground=NO\nlisten_address=127.0.0.1\nlisten_port={}\n\
             anonymous_enable=YES\nlocal_enable=NO\nwrite_enable=NO\nno_anon_password=YES\nanon_root={root}\n\
             secure_chroot_dir={empty}\nftp_username=ftp\nnopriv_user=nobody\npasv_enable=YES\n\
             seccomp_sandbox=NO\nconnect_from_port_20=NO\nxferlog_enable=NO\n{more}\n",
            address.port()
        );
        fs::write(&configuration, lines).unwrap();
        let said = whole.path().join("said");
        let process = Command::new(program)
            .arg(&configuration)
            .stdin(Stdio::null())
            .stdout(File::create(&said).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { process, address, folder, _whole: whole };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(address).is_err() {
            let ended = server.process.try_wait().unwrap();
            let said = || fs::read_to_string(&said).unwrap_or_default();
            assert!(ended.is_none() && Instant::now() < until, "vsftpd does not start: {}", said());
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(server)
    }

    fn put(&self, name: &str, bytes: &[u8], mode: u32) {
        let path = self.folder.join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }

    async fn robots(&self) -> SiteRobots {
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses("127.0.0.0/8".parse().unwrap())
            .resolver(Arc::new(Fixed::new([self.address])))
            .build()
            .unwrap();
        client.robots("ftp://a.test/file").await.unwrap()
    }
}

impl Drop for Vsftpd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn a_file_by_ftp() {
    let Some(server) = Vsftpd::start("") else { return };
    server.put("robots.txt", ROBOTS.as_bytes(), 0o444);
    let site = server.robots().await;
    assert_eq!((site.ruling().event, site.ruling().access), (Event::Found, Access::Rules), "{:?}", site.attempt());
    assert_eq!(&*site.copy().unwrap().body, ROBOTS.as_bytes());
    assert!(site.check(&Crawler::ANY, "ftp://a.test/private/").is_disallowed());

    // Only the start of a large file is read, and the server is left in the middle of it.
    server.put("robots.txt", &ROBOTS.as_bytes().repeat(100_000), 0o444);
    let site = server.robots().await;
    assert_eq!(site.copy().unwrap().body.len(), BODY_LIMIT);

    server.put("robots.txt", b"", 0o444);
    let site = server.robots().await;
    assert_eq!((site.ruling().event, site.copy().unwrap().body.len()), (Event::Found, 0));

    // vsftpd reports an unreadable file as a missing one.
    server.put("robots.txt", ROBOTS.as_bytes(), 0o000);
    let site = server.robots().await;
    assert_eq!((site.ruling().event, site.ruling().access), (Event::Ftp(550), Access::AllowAll));

    fs::remove_file(server.folder.join("robots.txt")).unwrap();
    let site = server.robots().await;
    assert_eq!((site.ruling().event, site.ruling().access), (Event::Ftp(550), Access::AllowAll));
}

#[tokio::test]
async fn by_the_passive_mode_of_old() {
    // It states an address that only this client could reach, and means its own.
    let Some(server) = Vsftpd::start("cmds_denied=EPSV\npasv_address=10.0.0.1") else { return };
    server.put("robots.txt", ROBOTS.as_bytes(), 0o444);
    let site = server.robots().await;
    assert_eq!(site.ruling().event, Event::Found, "{:?}", site.attempt());
    assert_eq!(&*site.copy().unwrap().body, ROBOTS.as_bytes());
}

#[tokio::test]
async fn forbidden_command_is_no_missing_file() {
    // It replies 550 to this, as to a file that does not exist.
    for more in ["pasv_enable=NO", "cmds_denied=TYPE"] {
        let Some(server) = Vsftpd::start(more) else { return };
        server.put("robots.txt", ROBOTS.as_bytes(), 0o444);
        let site = server.robots().await;
        assert_eq!(site.ruling().event, Event::Failed(Failure::Other), "{more}: {:?}", site.attempt());
        assert_eq!(site.ruling().access, Access::DisallowAll);
    }
}

#[tokio::test]
async fn refused_login_disallows_all() {
    let Some(server) = Vsftpd::start("max_clients=1") else { return };
    server.put("robots.txt", ROBOTS.as_bytes(), 0o444);
    let _other = TcpStream::connect(server.address).unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let site = server.robots().await;
        // The process that waited for its start may be ending, and the next one may be starting.
        if site.ruling().event != Event::Found {
            assert_eq!(site.ruling().event, Event::Ftp(421), "{:?}", site.attempt());
            assert_eq!(site.ruling().access, Access::DisallowAll);
            return;
        }
        assert!(Instant::now() < until, "the other one never came");
    }
}
