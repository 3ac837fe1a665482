//! Bodies of robots.txt files as arguments.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

/// A body: `bytes`, `bytearray` or `str`.
pub(crate) enum Body<'py> {
    Bytes(Bound<'py, PyBytes>),
    Text(Bound<'py, PyString>),
    Owned(Vec<u8>),
}

impl<'py> Body<'py> {
    /// Returns the bytes of the body as an object of Python, to be kept.
    pub(crate) fn kept(self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => PyBytes::new(py, &self.bytes()),
        }
    }

    /// Returns the bytes of the body. A `str` is encoded in UTF-8.
    pub(crate) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Bytes(bytes) => Cow::Borrowed(bytes.as_bytes()),
            Self::Owned(bytes) => Cow::Borrowed(bytes),
            // Parsing never fails, so half a surrogate pair is replaced.
            Self::Text(text) => match text.to_str() {
                Ok(text) => Cow::Borrowed(text.as_bytes()),
                Err(_) => Cow::Owned(text.to_string_lossy().into_owned().into_bytes()),
            },
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Body<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.to_owned()));
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self::Text(text.to_owned()));
        }
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            return Ok(Self::Owned(bytes.to_vec()));
        }
        let found = object.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "expected the body as bytes or str, found {found}; pass the content of the response, not the response"
        )))
    }
}
