//! Keeps answers in the order of their questions, while some have to wait.

use std::collections::VecDeque;

/// Answers that wait for those before them.
#[derive(Debug, Default)]
pub(super) struct Order {
    slots: VecDeque<Slot>,
    /// The number of slots that have been sent.
    gone: u64,
    /// The size of the answers that wait.
    bytes: usize,
}

#[derive(Debug)]
enum Slot {
    /// No answer yet.
    Open,
    /// The answers of one line or of several lines in sequence.
    Filled(Vec<u8>),
}

impl Order {
    /// Returns true if no slot waits.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the size of the answers that wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a slot for a later answer and returns its number.
    pub(super) fn open(&mut self) -> u64 {
        self.slots.push_back(Slot::Open);
        self.gone + self.slots.len() as u64 - 1
    }

    /// Returns the buffer for the answers that are ready now: `out`, or the last slot if an earlier one waits.
    pub(super) fn now<'o>(&'o mut self, out: &'o mut Vec<u8>) -> &'o mut Vec<u8> {
        if self.slots.is_empty() {
            return out;
        }
        if !matches!(self.slots.back(), Some(Slot::Filled(_))) {
            self.slots.push_back(Slot::Filled(Vec::new()));
        }
        match self.slots.back_mut() {
            Some(Slot::Filled(answers)) => answers,
            _ => out,
        }
    }

    /// Counts bytes that were written to the buffer of [`now`](Self::now).
    pub(super) fn count(&mut self, bytes: usize) {
        if !self.slots.is_empty() {
            self.bytes += bytes;
        }
    }

    /// Fills a slot, and moves all answers that wait for nothing to `out`.
    pub(super) fn fill(&mut self, place: u64, answer: Vec<u8>, out: &mut Vec<u8>) {
        self.bytes += answer.len();
        if let Some(slot) = place.checked_sub(self.gone).and_then(|at| self.slots.get_mut(at as usize)) {
            *slot = Slot::Filled(answer);
        }
        while let Some(Slot::Filled(answers)) = self.slots.front() {
            self.bytes -= answers.len();
            out.extend_from_slice(answers);
            self.slots.pop_front();
            self.gone += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn answers_keep_their_order() {
        let (mut order, mut out) = (Order::default(), Vec::new());
        order.now(&mut out).extend_from_slice(b"1");
        let two = order.open();
        let three = order.open();
        order.now(&mut out).extend_from_slice(b"45");
        order.count(2);
        let six = order.open();
        assert_eq!((out.as_slice(), order.bytes()), (&b"1"[..], 2));
        order.fill(three, b"3".to_vec(), &mut out);
        assert_eq!((out.as_slice(), order.bytes()), (&b"1"[..], 3));
        order.fill(two, b"2".to_vec(), &mut out);
        assert_eq!((out.as_slice(), order.bytes()), (&b"12345"[..], 0));
        assert!(!order.is_empty());
        order.fill(six, b"6".to_vec(), &mut out);
        assert_eq!(out, b"123456");
        assert!(order.is_empty() && order.bytes() == 0);
        order.now(&mut out).extend_from_slice(b"7");
        assert_eq!(out, b"1234567");
    }
}
