//! A parser of structured field values (RFC 9651), limited to the types that crawling uses: dictionaries and lists.
//! Their members borrow the field.
//!
//! A field with a syntax error anywhere is invalid as a whole (§4.2), so it is parsed to its end before anything is
//! returned.

use alloc::vec::Vec;

/// A value without its parameters. Only the types that crawling uses are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bare<'a> {
    /// A token.
    Token(&'a [u8]),
    /// Any other type.
    Other,
}

/// Parses a dictionary and returns its members in the order of the field, including repeated keys. Returns `None` if it
/// is not a dictionary.
pub fn dictionary(field: &[u8]) -> Option<Vec<(&[u8], Bare<'_>)>> {
    let mut reader = Reader { rest: field };
    let mut members = Vec::new();
    reader.members(|reader| {
        let key = reader.key()?;
        let value = if reader.eat(b'=') { reader.member()? } else { Bare::Other };
        reader.parameters(|_| {})?;
        members.push((key, value));
        Some(())
    })?;
    Some(members)
}

/// Parses a list and returns its members with their parameters. Returns `None` if it is not a list. If the field was
/// cut, it returns the members before the last comma, since the last member may be incomplete.
pub fn list(field: &[u8], is_cut: bool) -> Option<Vec<(Bare<'_>, Vec<Parameter<'_>>)>> {
    let mut reader = Reader { rest: field };
    let mut members = Vec::new();
    let read = reader.members(|reader| {
        let value = reader.member()?;
        let mut parameters = Vec::new();
        reader.parameters(|parameter| parameters.push(parameter))?;
        members.push((value, parameters, reader.rest.is_empty()));
        Some(())
    });
    if is_cut && reader.rest.is_empty() {
        members.retain(|(_, _, touches_end)| !touches_end);
    } else {
        read?;
    }
    Some(members.into_iter().map(|(value, parameters, _)| (value, parameters)).collect())
}

/// A parameter of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The value as written in the field; empty if there is none.
    pub text: &'a [u8],
    /// The key and the value as written in the field, with the `=` between them.
    pub whole: &'a [u8],
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Parses members separated by commas (§4.2.1, §4.2.2).
    fn members(&mut self, mut member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.skip(|b| b == b' ');
        while !self.rest.is_empty() {
            member(self)?;
            self.skip(|b| matches!(b, b' ' | b'\t'));
            if self.rest.is_empty() {
                break;
            }
            self.expect(b',')?;
            self.skip(|b| matches!(b, b' ' | b'\t'));
            if self.rest.is_empty() {
                return None;
            }
        }
        Some(())
    }

    /// Parses an item or an inner list, without the parameters after it.
    fn member(&mut self) -> Option<Bare<'a>> {
        if !self.eat(b'(') {
            return self.bare();
        }
        loop {
            self.skip(|b| b == b' ');
            if self.eat(b')') {
                return Some(Bare::Other);
            }
            self.bare()?;
            self.parameters(|_| {})?;
            if !matches!(self.rest.first(), Some(b' ' | b')')) {
                return None;
            }
        }
    }

    fn parameters(&mut self, mut each: impl FnMut(Parameter<'a>)) -> Option<()> {
        while self.eat(b';') {
            self.skip(|b| b == b' ');
            let before = self.rest;
            let key = self.key()?;
            let mut text: &[u8] = b"";
            if self.eat(b'=') {
                let start = self.rest;
                self.bare()?;
                text = &start[..start.len() - self.rest.len()];
            }
            each(Parameter { key, text, whole: &before[..before.len() - self.rest.len()] });
        }
        Some(())
    }

    fn key(&mut self) -> Option<&'a [u8]> {
        if !matches!(self.rest.first(), Some(b'a'..=b'z' | b'*')) {
            return None;
        }
        Some(self.skip(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*')))
    }

    fn bare(&mut self) -> Option<Bare<'a>> {
        match *self.rest.first()? {
            b'-' | b'0'..=b'9' => self.number().map(|_| Bare::Other),
            b'"' => self.string(),
            b'*' | b'A'..=b'Z' | b'a'..=b'z' => Some(Bare::Token(self.skip(is_token))),
            b':' => {
                self.rest = &self.rest[1..];
                let digits = self.skip(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/')).len();
                let padding = self.skip(|b| b == b'=').len();
                self.expect(b':')?;
                // Padding may be missing (§4.2.7), but must not be longer than needed.
                let is_whole = digits % 4 != 1 && padding <= (4 - digits % 4) % 4;
                is_whole.then_some(Bare::Other)
            }
            b'?' => {
                self.rest = &self.rest[1..];
                (self.eat(b'0') || self.eat(b'1')).then_some(Bare::Other)
            }
            b'@' => {
                self.rest = &self.rest[1..];
                (self.number()? == Number::Integer).then_some(Bare::Other)
            }
            b'%' => self.display_string(),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<Number> {
        self.eat(b'-');
        let whole = self.skip(|b| b.is_ascii_digit()).len();
        if whole == 0 {
            return None;
        }
        if !self.eat(b'.') {
            return (whole <= 15).then_some(Number::Integer);
        }
        let fraction = self.skip(|b| b.is_ascii_digit()).len();
        (whole <= 12 && (1..=3).contains(&fraction)).then_some(Number::Decimal)
    }

    fn string(&mut self) -> Option<Bare<'a>> {
        self.expect(b'"')?;
        loop {
            match self.next()? {
                b'"' => return Some(Bare::Other),
                b'\\' if !matches!(self.next()?, b'"' | b'\\') => return None,
                b' '..=b'~' => {}
                _ => return None,
            }
        }
    }

    fn display_string(&mut self) -> Option<Bare<'a>> {
        self.expect(b'%')?;
        self.expect(b'"')?;
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'"' => return core::str::from_utf8(&text).is_ok().then_some(Bare::Other),
                b'%' => text.push(self.hex()? << 4 | self.hex()?),
                octet @ b' '..=b'~' => text.push(octet),
                _ => return None,
            }
        }
    }

    /// Parses a digit of an escape, which is in lower case (§4.2.10).
    fn hex(&mut self) -> Option<u8> {
        match self.next()? {
            digit @ b'0'..=b'9' => Some(digit - b'0'),
            digit @ b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        }
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn eat(&mut self, octet: u8) -> bool {
        let is_there = self.rest.first() == Some(&octet);
        self.rest = &self.rest[usize::from(is_there)..];
        is_there
    }

    fn expect(&mut self, octet: u8) -> Option<()> {
        self.eat(octet).then_some(())
    }

    /// Consumes bytes as long as `wanted` accepts them, and returns them.
    fn skip(&mut self, wanted: fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|b| !wanted(*b)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

#[derive(PartialEq, Eq)]
enum Number {
    Integer,
    Decimal,
}

/// Returns true for `tchar` of RFC 9110 §5.6.2, `:` and `/`.
fn is_token(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&octet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn dictionaries() {
        let token = Bare::Token;
        for (field, expected) in [
            ("", Some(vec![])),
            ("  ", Some(vec![])),
            ("a=y", Some(vec![("a", token(b"y"))])),
            ("a=y,b=n;p=1;q", Some(vec![("a", token(b"y")), ("b", token(b"n"))])),
            ("a=y \t,\t b", Some(vec![("a", token(b"y")), ("b", Bare::Other)])),
            ("a=(1 2.5 \"x\\\"\");p, a=?0", Some(vec![("a", Bare::Other), ("a", Bare::Other)])),
            (
                "a=:aGk=:, b=@-12, c=%\"caf%c3%a9\"",
                Some(vec![("a", Bare::Other), ("b", Bare::Other), ("c", Bare::Other)]),
            ),
            ("*k.9=*a/b:c", Some(vec![("*k.9", token(b"*a/b:c"))])),
            ("a=y,", None),
            ("a=y b=n", None),
            ("A=y", None),
            ("a=", None),
            ("a = y", None),
            ("a=1.", None),
            ("a=1.2345", None),
            ("a=1234567890123456", None),
            ("a=(1,2)", None),
            ("a=(1", None),
            ("a=\"x", None),
            ("a=@1.5", None),
            ("a=%\"%C3%A9\"", None),
            ("a=%\"%ff\"", None),
            ("a=?2", None),
            ("a=:aGk:", Some(vec![("a", Bare::Other)])),
            ("a=:aGkt==:", None),
            ("a=:aGktb:", None),
            ("a=:a=k=:", None),
            (",", None),
            ("\ta=y", None),
            ("a=é", None),
        ] {
            let expected: Option<Vec<(&[u8], Bare<'_>)>> =
                expected.map(|list| list.into_iter().map(|(key, value)| (key.as_bytes(), value)).collect());
            assert_eq!(dictionary(field.as_bytes()), expected, "{field}");
        }
    }

    #[test]
    fn lists() {
        let found = list(b"*;nosnippet, ExampleBot;noindex;max-snippet=5", false).unwrap();
        assert_eq!(found[0].0, Bare::Token(b"*"));
        assert_eq!(found[1].1[1], Parameter { key: b"max-snippet", text: b"5", whole: b"max-snippet=5" });
        assert_eq!(list(b"a b", false), None);
        assert_eq!(list(b"a;x, b;y=\"unfin", true).unwrap().len(), 1);
        assert_eq!(list(b"a;x, b;noin", true).unwrap().len(), 1);
        assert_eq!(list(b"a;x b, c", true), None);
    }
}
