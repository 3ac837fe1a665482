//! The rules that a file has for a selection of its groups. Many classes of crawlers share a selection.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::OnceCell;

use comity::{Crawler, Robots, Rules};

use crate::budget::{Exhausted, Meter};
use crate::compare::FileGroups;
use crate::ranked::RuleList;

/// The maximum number of rules that are kept for other classes. A selection with more rules is kept alone.
const MAX_KEPT_RULES: usize = 10_000;

/// The rules of a selection of groups.
pub(crate) struct SelectedRules<'a> {
    pub(crate) list: RuleList<'a>,
    texts: OnceCell<Vec<(bool, &'a [u8])>>,
    compiled: OnceCell<Rules>,
}

impl<'a> SelectedRules<'a> {
    /// Returns the answers and the patterns of the rules, sorted.
    pub(crate) fn texts(&self) -> &[(bool, &'a [u8])] {
        self.texts.get_or_init(|| self.list.texts())
    }

    /// Returns the rules for questions to the engine. The crawler is one that selects these groups of the file.
    pub(crate) fn compiled(&self, file: &Robots, crawler: &Crawler<'_>) -> &Rules {
        self.compiled.get_or_init(|| file.rules_for(crawler))
    }
}

/// The selections of a file that were needed last.
pub(crate) struct Selections<'a> {
    groups: FileGroups<'a>,
    kept: BTreeMap<Vec<usize>, Rc<SelectedRules<'a>>>,
    kept_rules: usize,
}

impl<'a> Selections<'a> {
    pub(crate) fn new(file: &'a Robots) -> Self {
        Self { groups: FileGroups::new(file), kept: BTreeMap::new(), kept_rules: 0 }
    }

    /// Returns the rules of the groups with these indices.
    pub(crate) fn rules(
        &mut self,
        indices: &[usize],
        meter: &mut Meter<'_>,
    ) -> Result<Rc<SelectedRules<'a>>, Exhausted> {
        if let Some(known) = self.kept.get(indices) {
            return Ok(Rc::clone(known));
        }
        let list = self.groups.rules(indices, meter)?;
        self.kept_rules += list.rules.len();
        if self.kept_rules > MAX_KEPT_RULES {
            self.kept.clear();
            self.kept_rules = list.rules.len();
        }
        let selected = Rc::new(SelectedRules { list, texts: OnceCell::new(), compiled: OnceCell::new() });
        self.kept.insert(indices.to_vec(), Rc::clone(&selected));
        Ok(selected)
    }
}
