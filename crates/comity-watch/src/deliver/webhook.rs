//! Alerts by `POST`, each at least once and in order.
//!
//! The cursor moves after a 2xx, so the only duplicate is an alert whose 2xx was not yet noted when the program ended. It has
//! the same `Idempotency-Key`.

use comity_fetch::{Client, Time};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;
use std::time::SystemTime;
use url::Url;

use super::DeliveryError;
use crate::alert::Alert;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const SIGNATURE: HeaderName = HeaderName::from_static("comity-signature");

/// Sends an alert, with a signature if there is a secret.
pub(super) async fn send(
    client: &Client,
    url: &Url,
    alert: &Alert,
    secret: Option<&[u8]>,
) -> Result<(), DeliveryError> {
    let failed = |problem: String| DeliveryError::Receiver(problem);
    let body = alert.json()?;
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let value = |text: String| HeaderValue::try_from(text).map_err(|error| failed(error.to_string()));
    headers.insert(KEY, value(alert.id.clone())?);
    if let Some(secret) = secret {
        let now = Time::from(SystemTime::now()).as_unix_millis() / 1000;
        headers.insert(SIGNATURE, value(signature(secret, now, &body))?);
    }
    match client.post(url, &headers, &body).await {
        Ok(200..=299) => Ok(()),
        Ok(status) => Err(failed(format!("alert {} was answered {status}", alert.number))),
        // The error itself contains the URL.
        Err(error) => Err(failed(format!("alert {} was not accepted: the receiver {}", alert.number, error.failure()))),
    }
}

/// Returns the signature of a body: `t=SECONDS,v1=HEX`, where `HEX` is the HMAC-SHA-256 of `SECONDS.BODY`.
fn signature(secret: &[u8], seconds: u64, body: &str) -> String {
    // Keys of any length are valid.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body.as_bytes());
    let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={seconds},v1={digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf '1800000000.{}' | openssl dgst -sha256 -hmac secret`
    #[test]
    fn a_signature_is_an_hmac_of_the_time_and_the_body() {
        assert_eq!(
            signature(b"secret", 1_800_000_000, "{}"),
            "t=1800000000,v1=bb7079132825ac793cea8c013c1dd24d926b9b02132245b10588d9e5c0df70d7"
        );
    }
}
