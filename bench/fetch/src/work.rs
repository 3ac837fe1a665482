//! Files like real ones, from the generator of the other benchmarks.

#[path = "../../src/work/generator.rs"]
mod generator;
#[path = "../../src/work/random.rs"]
mod random;

use std::rc::Rc;

/// A robots.txt.
#[derive(Debug)]
struct Body(Vec<u8>);

impl Body {
    fn new(_: String, bytes: Vec<u8>) -> Rc<Self> {
        Rc::new(Self(bytes))
    }
}

/// Returns `count` files. They are the same in every run, and no two are equal.
pub(crate) fn files(count: usize) -> Vec<Vec<u8>> {
    let files = generator::files(count).into_iter();
    files.enumerate().map(|(n, file)| [format!("# {n}\n").as_bytes(), &file.0].concat()).collect()
}
