//! Masks: summaries of texts that exclude most tails without reading them.

/// The bytes and the pairs of adjacent bytes that occur in a text, each hashed to one bit of 64. A `*` is left out,
/// as are pairs with it: in a pattern it is an operator, and in a path leaving it out makes no difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    pub(super) octets: u64,
    pub(super) pairs: u64,
}

impl Mask {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut mask = Self { octets: 0, pairs: 0 };
        let mut before = b'*';
        for &octet in text {
            if octet != b'*' {
                mask.octets |= 1 << (octet & 63);
                if before != b'*' {
                    let pair = before.wrapping_add(octet.wrapping_mul(5));
                    mask.pairs |= 1 << (pair & 63);
                }
            }
            before = octet;
        }
        mask
    }

    pub(super) fn complement(self) -> Self {
        Self { octets: !self.octets, pairs: !self.pairs }
    }

    pub(super) fn meets(self, octets: u64, pairs: u64) -> bool {
        self.octets & octets | self.pairs & pairs != 0
    }
}

/// Returns the index of the first mask that has none of the bits in `lacks`. It examines eight at a time, since there
/// can be thousands.
pub(super) fn first_within(masks: &[u64], lacks: u64) -> Option<usize> {
    let is_within = |mask: &u64| mask & lacks == 0;
    let out = 8 * masks.as_chunks::<8>().0.iter().take_while(|eight| !eight.iter().any(is_within)).count();
    masks[out..].iter().position(is_within).map(|at| out + at)
}
