//! One HTTP/2 connection (RFC 9113). Its frames are those of the `h2` crate, until a reply has raw frames of its own. A
//! reply that the crate refuses to send becomes `RST_STREAM`.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::http::Shared;
use crate::render::{framing, pieces};
use crate::reply::{Field, Framing, Reply, Start};
use crate::request::{Request, host_of};
use crate::transport::{After, Transport, gone, send as send_raw};
use crate::wire::{Fault, Layout, Pieces, Repeat, ReplyAction, ReplyActions};

/// The way in which a stream ends its whole connection.
enum End {
    Cut,
    GoAway,
    /// By raw frames, with what happens to the connection after them.
    Raw(Moves),
}

type Moves = Box<dyn Iterator<Item = ReplyAction> + Send>;

/// The minimum size of the pieces in which endless frames are written.
const PIECE_BYTES: usize = 16 * 1024;

/// Answers each stream, until one side closes the connection.
pub(crate) async fn serve(
    mut stream: impl Transport,
    shared: &Arc<Shared>,
    peer: SocketAddr,
    number: usize,
) -> io::Result<()> {
    let Some(moves) = serve_streams(&mut stream, shared, peer, number).await.map_err(io::Error::other)? else {
        return Ok(());
    };
    match send_raw(&mut stream, moves).await? {
        After::Open => {
            stream.shutdown().await?;
            // Closing with unread frames of the client would be a reset, which destroys what was sent.
            gone(&mut stream).await;
            Ok(())
        }
        After::Cut => Ok(()),
        After::Reset => stream.tcp().set_zero_linger(),
    }
}

/// Serves with the crate's frames. If raw ones are to follow, returns them.
async fn serve_streams(
    stream: &mut impl Transport,
    shared: &Arc<Shared>,
    peer: SocketAddr,
    number: usize,
) -> Result<Option<Moves>, h2::Error> {
    let mut connection = h2::server::handshake(stream).await?;
    let mut streams = JoinSet::new();
    let (end, mut ended) = mpsc::unbounded_channel();
    loop {
        tokio::select! {
            accepted = connection.accept() => {
                let Some(accepted) = accepted else { return Ok(None) };
                let (asked, respond) = accepted?;
                let request = request(&asked, peer, number);
                streams.spawn(answer(request, respond, shared.clone(), end.clone()));
            }
            Some(end) = ended.recv() => {
                // Frames that were queued before are still sent.
                let _ = poll_fn(|cx| Poll::Ready(connection.poll_closed(cx))).await;
                return match end {
                    End::Cut => Ok(None),
                    End::GoAway => {
                        connection.abrupt_shutdown(Reason::INTERNAL_ERROR);
                        poll_fn(|cx| connection.poll_closed(cx)).await.map(|()| None)
                    }
                    End::Raw(moves) => Ok(Some(moves)),
                };
            }
            Some(_) = streams.join_next() => {}
        }
    }
}

fn request(asked: &http::Request<RecvStream>, peer: SocketAddr, connection: usize) -> Request {
    let headers: Vec<_> =
        asked.headers().iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    let mut request = Request {
        method: asked.method().to_string(),
        host: String::new(),
        path: asked.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
        headers,
        http2: true,
        peer,
        connection,
        at: Instant::now(),
    };
    let authority = asked.uri().authority().map(http::uri::Authority::as_str);
    request.host = host_of(authority.or_else(|| request.header("Host")).unwrap_or_default());
    request
}

async fn answer(
    request: Request,
    mut respond: SendResponse<Bytes>,
    shared: Arc<Shared>,
    end: mpsc::UnboundedSender<End>,
) {
    let with_body = request.method != "HEAD";
    let reply = shared.answer(request);
    let sent = match Head::of(&reply) {
        Some(head) => send(head, wire(&reply, with_body), &mut respond, &end).await,
        None => Ok(Ended::Reset),
    };
    // The client may have closed the connection, and then a reset has no effect.
    if let Ok(Ended::Reset) | Err(_) = sent {
        respond.send_reset(Reason::INTERNAL_ERROR);
    }
}

/// The head of a stream.
struct Head {
    interim: Vec<http::Response<()>>,
    response: http::Response<()>,
}

impl Head {
    /// Returns the head; `None` if HTTP/2 cannot express it.
    fn of(reply: &Reply) -> Option<Self> {
        let Start::Status(status) = reply.start else { return None };
        if reply.flood.is_some() {
            return None;
        }
        let mut response = http::Response::builder().status(status);
        for field in &reply.fields {
            match field {
                Field::Pair(name, _) if name.eq_ignore_ascii_case(b"Connection") => {}
                Field::Pair(name, value) => response = response.header(name.as_ref(), value.as_ref()),
                Field::Line(_) => return None,
            }
        }
        if let Some(codings) = reply.content_encoding() {
            response = response.header("content-encoding", codings);
        }
        if let Framing::Length(length) = framing(reply) {
            response = response.header("content-length", length);
        }
        let interim = reply.interim.iter().map(|status| http::Response::builder().status(*status).body(()));
        Some(Head { interim: interim.collect::<Result<_, _>>().ok()?, response: response.body(()).ok()? })
    }
}

/// Returns the data, after a byte that represents the head.
fn wire(reply: &Reply, with_body: bool) -> ReplyActions {
    let head = std::iter::once(Bytes::from_static(b"H"));
    let layout = Layout { status_line: 0, head: 1 };
    let bytes: Pieces = if with_body { Box::new(head.chain(pieces(reply))) } else { Box::new(head) };
    ReplyActions::new(bytes, layout, &reply.faults, reply.drip)
}

/// The end of a stream.
enum Ended {
    Done,
    Reset,
}

async fn send(
    head: Head,
    wire: ReplyActions,
    respond: &mut SendResponse<Bytes>,
    end: &mpsc::UnboundedSender<End>,
) -> Result<Ended, h2::Error> {
    let mut head = Some(head);
    let mut stream: Option<SendStream<Bytes>> = None;
    let mut wire = wire.filter(|step| !matches!(step, ReplyAction::Send(bytes) if bytes.is_empty())).peekable();
    while let Some(step) = wire.next() {
        match step {
            ReplyAction::Send(bytes) => match (&mut stream, head.take()) {
                (Some(stream), _) => send_data(stream, bytes).await?,
                (None, Some(head)) => {
                    for interim in head.interim {
                        respond.send_informational(interim)?;
                    }
                    let is_all = wire.peek().is_none();
                    stream = Some(respond.send_response(head.response, is_all)?);
                    if is_all {
                        return Ok(Ended::Done);
                    }
                }
                (None, None) => unreachable!("when the head is out, there is a stream"),
            },
            ReplyAction::Wait(time) | ReplyAction::Fault(Fault::Pause(time)) => tokio::time::sleep(time).await,
            ReplyAction::Fault(Fault::Hold(gate)) => gate.pass().await,
            ReplyAction::Fault(Fault::Stall) => {
                let gone = poll_fn(|cx| match &mut stream {
                    Some(stream) => stream.poll_reset(cx),
                    None => respond.poll_reset(cx),
                });
                return gone.await.map(|_| Ended::Done);
            }
            ReplyAction::Fault(Fault::Cut) => return ending(end, End::Cut).await,
            ReplyAction::Fault(Fault::GoAway) => return ending(end, End::GoAway).await,
            ReplyAction::Fault(Fault::Reset) => return Ok(Ended::Reset),
            step @ ReplyAction::Fault(Fault::Frames(..)) => {
                let moves = raw(std::iter::once(step).chain(wire), respond.stream_id().as_u32());
                return ending(end, End::Raw(moves)).await;
            }
        }
    }
    if let Some(stream) = &mut stream {
        stream.send_data(Bytes::new(), true)?;
    }
    Ok(Ended::Done)
}

/// Ends the connection. The stream stays open until then, because dropping it would be a reset.
async fn ending(end: &mpsc::UnboundedSender<End>, how: End) -> Result<Ended, h2::Error> {
    let _ = end.send(how);
    std::future::pending().await
}

/// Returns the frames as bytes, and what happens to the connection after them. The rest of the reply is skipped.
fn raw(moves: impl Iterator<Item = ReplyAction> + Send + 'static, stream: u32) -> Moves {
    let moves = moves.filter(|step| !matches!(step, ReplyAction::Send(_) | ReplyAction::Wait(_)));
    Box::new(moves.flat_map(move |step| -> Moves {
        let ReplyAction::Fault(Fault::Frames(frames, repeat)) = step else { return Box::new(std::iter::once(step)) };
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| frame.encode(stream)).collect();
        match repeat {
            Repeat::Once => Box::new(std::iter::once(ReplyAction::Send(bytes.into()))),
            Repeat::Forever => {
                let piece = Bytes::from(bytes.repeat(PIECE_BYTES.div_ceil(bytes.len())));
                Box::new(std::iter::repeat_with(move || ReplyAction::Send(piece.clone())))
            }
        }
    }))
}

/// Sends as much at a time as the client's window allows.
async fn send_data(stream: &mut SendStream<Bytes>, mut bytes: Bytes) -> Result<(), h2::Error> {
    while !bytes.is_empty() {
        stream.reserve_capacity(bytes.len());
        match poll_fn(|cx| stream.poll_capacity(cx)).await {
            Some(capacity) => {
                let capacity = capacity?.min(bytes.len());
                stream.send_data(bytes.split_to(capacity), false)?;
            }
            None => return Err(Reason::CANCEL.into()),
        }
    }
    Ok(())
}
