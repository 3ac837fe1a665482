//! Questions about a robots.txt as a whole.

mod generate;
mod lint;
mod matrix;
mod meaning;
mod overview;

use crate::api::Endpoints;

pub(super) fn endpoints() -> Endpoints {
    [overview::endpoints(), generate::endpoints(), lint::endpoints(), matrix::endpoints(), meaning::endpoints()]
        .concat()
}
