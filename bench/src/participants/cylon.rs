//! cylon, which compiles the rules of one crawler to an automaton.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use cylon::{Compiler, Cylon as Automaton};

use super::Engine;
use crate::work::{Body, Question};

#[derive(Debug)]
pub(super) struct Cylon;

impl Engine for Cylon {
    const NAME: &'static str = "cylon";
    type Parsed<'a> = Automaton;
    type Prepared<'a> = Automaton;

    fn version(&self) -> &'static str {
        "0.3.3"
    }

    /// Parses with a single poll, because a reader of memory is always ready.
    fn parse<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Automaton> {
        let compiler = Compiler::new(agent);
        match pin!(compiler.compile(&*body.bytes)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(automaton) => automaton.ok(),
            Poll::Pending => None,
        }
    }

    fn prepare<'a>(&self, body: &'a Body, agent: &'a str) -> Option<Automaton> {
        self.parse(body, agent)
    }

    fn decide(&self, automaton: &Automaton, question: &Question) -> Option<bool> {
        Some(automaton.allow(&question.path))
    }
}
