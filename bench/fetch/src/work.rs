//! Files as they are on the web, from the generator of the other benchmarks.

#[path = "../../src/work/generator.rs"]
mod generator;
#[path = "../../src/work/random.rs"]
mod random;

use std::rc::Rc;

/// A file.
#[derive(Debug)]
struct Body(Vec<u8>);

impl Body {
    fn new(_: String, bytes: Vec<u8>) -> Rc<Self> {
        Rc::new(Self(bytes))
    }
}

/// So many of them, always the same, and no two alike.
pub(crate) fn files(count: usize) -> Vec<Vec<u8>> {
    let files = generator::files(count).into_iter();
    files.enumerate().map(|(n, file)| [format!("# {n}\n").as_bytes(), &file.0].concat()).collect()
}
