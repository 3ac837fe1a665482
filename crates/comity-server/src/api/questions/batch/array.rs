//! Lines of JSON as an array.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};

/// Returns an array with the elements that arrive as lines; each piece must consist of whole lines.
pub(super) fn of_lines(
    pieces: impl Stream<Item = Result<Bytes, Infallible>>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let mut is_first = true;
    let elements = pieces.map(move |piece| piece.map(|piece| elements(&piece, &mut is_first)));
    let start = stream::iter([Ok(Bytes::from_static(b"["))]);
    start.chain(elements).chain(stream::iter([Ok(Bytes::from_static(b"\n]\n"))]))
}

fn elements(lines: &[u8], is_first: &mut bool) -> Bytes {
    let mut out = Vec::with_capacity(lines.len() + 1);
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        out.extend_from_slice(if std::mem::take(is_first) { b"\n" } else { b",\n" });
        out.extend_from_slice(line);
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined() {
        for (pieces, expected) in
            [(&[][..], "[\n]\n"), (&["1\n"], "[\n1\n]\n"), (&["1\n{}\n", "3\n"], "[\n1,\n{},\n3\n]\n")]
        {
            let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::from_static(piece.as_bytes()))).collect();
            let mut json = Vec::new();
            for piece in
                futures_util::FutureExt::now_or_never(of_lines(stream::iter(pieces)).collect::<Vec<_>>()).unwrap()
            {
                json.extend_from_slice(&piece.unwrap());
            }
            assert_eq!(String::from_utf8(json).unwrap(), expected);
        }
    }
}
