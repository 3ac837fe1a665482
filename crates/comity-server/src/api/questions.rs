//! Questions of the form "May this crawler fetch this URL?".

pub(super) mod batch;
pub(super) mod check;
pub(super) mod check_one;
