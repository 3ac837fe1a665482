//! Delivery of alerts to receivers.

mod jsonl;
mod webhook;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use comity::Escaped;
use comity_fetch::Client;
use comity_fetch::store::StoreError;

use crate::alert::Alert;
use crate::config::{Address, Receiver};
use crate::outbox::Outbox;

/// The number of alerts that are read at once.
const PAGE: usize = 256;

/// A failed delivery. The alerts stay in the store, and are delivered later.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeliveryError {
    /// The receiver refused an alert or could not be reached; the text says why, without its address.
    Receiver(String),
    /// The store failed.
    Store(StoreError),
}

impl fmt::Display for DeliveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Receiver(problem) => f.write_str(problem),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DeliveryError {}

impl From<StoreError> for DeliveryError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A receiver, with its secret.
#[derive(Clone)]
pub struct Delivery {
    receiver: Receiver,
    secret: Option<Arc<[u8]>>,
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").field("receiver", &self.receiver).finish_non_exhaustive()
    }
}

impl Delivery {
    /// Creates it from its configuration, and the secret for signatures, if there is one.
    pub fn new(receiver: Receiver, secret: Option<Vec<u8>>) -> Self {
        Self { receiver, secret: secret.map(Arc::from) }
    }

    /// Returns a name for messages: the file, or the host of the webhook. The rest of its URL may be a secret.
    pub fn name(&self) -> String {
        match &self.receiver.to {
            Address::Webhook(url) => format!("the webhook at {}", url.host_str().unwrap_or_default()),
            Address::Jsonl(path) => Escaped(path.as_os_str().as_encoded_bytes()).to_string(),
        }
    }

    /// Returns the text that identifies the receiver and its cursor.
    fn key(&self) -> String {
        match &self.receiver.to {
            Address::Webhook(url) => format!("webhook {url}"),
            Address::Jsonl(path) => format!("jsonl {}", absolute(path)),
        }
    }

    /// Delivers all alerts that the receiver does not have yet, in order. Returns their number.
    ///
    /// # Errors
    ///
    /// At the first alert that cannot be delivered. Those before it are.
    pub async fn run(&self, outbox: &Outbox, client: &Client) -> Result<u64, DeliveryError> {
        let key = self.key();
        let (file, last) = match &self.receiver.to {
            Address::Webhook(_) => (None, None),
            Address::Jsonl(path) => {
                let (file, last) = jsonl::open(path, outbox).await?;
                (Some((path, file)), last)
            }
        };
        let mut cursor = match last {
            Some(last) => last,
            None => outbox.cursor(&key).await?,
        };
        let mut delivered = 0;
        loop {
            let alerts = outbox.alerts(cursor, PAGE).await?;
            let Some(newest) = alerts.last().map(|alert| alert.number) else { return Ok(delivered) };
            let sent: Vec<&Alert> = alerts.iter().filter(|alert| self.receiver.gets(alert.kind)).collect();
            if let Some((path, file)) = &file {
                jsonl::append(path, file, &sent).await?;
            }
            if let Address::Webhook(url) = &self.receiver.to {
                for alert in &sent {
                    webhook::send(client, url, alert, self.secret.as_deref()).await?;
                    outbox.set_cursor(&key, alert.number).await?;
                }
            }
            delivered += sent.len() as u64;
            cursor = newest;
            outbox.set_cursor(&key, cursor).await?;
        }
    }

    /// Returns the number of alerts that were not offered to the receiver yet.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub async fn left(&self, outbox: &Outbox) -> Result<u64, StoreError> {
        Ok(outbox.newest().await?.saturating_sub(outbox.cursor(&self.key()).await?))
    }
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
