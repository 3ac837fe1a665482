//! Questions of the form "May this crawler fetch this URL?".

mod batch;
mod check;
mod check_one;

use crate::api::Endpoints;

pub(super) fn endpoints() -> Endpoints {
    [check::endpoints(), check_one::endpoints(), batch::endpoints()].concat()
}
