//! The kernel in one thread, beside the engine without Arrow. Files are parsed and compiled within the time.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use arrow_array::builder::BinaryViewBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, LargeBinaryArray, StringArray};
use comity::{Crawler, Robots, Rules};
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table, UrlForm};

use crate::rows::Data;
use crate::{median, processor_time};

const ROUNDS: usize = 7;

/// The rows of a batch.
const BATCH: usize = 8_192;

/// The minimum ratio to the engine, and the minimum of million rows a second: sorted by site, and shuffled.
const MIN_RATIO: f64 = 0.8;
const MIN_GROUPED: f64 = 5.0;
const MIN_SHUFFLED: f64 = 2.0;

const CRAWLER: &str = "ExampleBot";

/// The files as columns, and the questions as columns in batches.
struct Columns {
    origins: StringArray,
    bodies: ArrayRef,
    urls: Vec<ArrayRef>,
    keys: Vec<ArrayRef>,
    dictionaries: Vec<ArrayRef>,
    views: Vec<ArrayRef>,
}

impl Columns {
    fn new(data: &Data, rows: &[(usize, String)]) -> Self {
        let bodies: ArrayRef = Arc::new(data.bodies.iter().map(|body| Some(&**body)).collect::<LargeBinaryArray>());
        let origins = data.origins.iter().map(Some).collect();
        let (urls, keys, dictionaries, views) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut columns = Self { origins, bodies: Arc::clone(&bodies), urls, keys, dictionaries, views };
        for rows in rows.chunks(BATCH) {
            columns.urls.push(Arc::new(rows.iter().map(|(_, url)| Some(&**url)).collect::<StringArray>()));
            columns
                .keys
                .push(Arc::new(rows.iter().map(|(site, _)| Some(&*data.origins[*site])).collect::<StringArray>()));
            let indexes: Int32Array = rows.iter().map(|(site, _)| Some(*site as i32)).collect();
            columns.dictionaries.push(Arc::new(DictionaryArray::<Int32Type>::new(indexes, Arc::clone(&bodies))));
            let mut views = BinaryViewBuilder::new().with_deduplicate_strings();
            rows.iter().for_each(|(site, _)| views.append_value(&data.bodies[*site]));
            columns.views.push(Arc::new(views.finish()));
        }
        columns
    }
}

/// Answers all rows with the engine alone.
fn engine(data: &Data, rows: &[(usize, String)]) {
    let crawler = Crawler::token(CRAWLER).expect("it is a token");
    let mut compiled: Vec<Option<Rules>> = data.bodies.iter().map(|_| None).collect();
    let parsed: Vec<Robots> = data.bodies.iter().map(Robots::parse).collect();
    for (site, url) in rows {
        let rules = compiled[*site].get_or_insert_with(|| parsed[*site].rules_for(&crawler));
        let _ = black_box(rules.check(url));
    }
}

fn kernel(form: UrlForm) -> Kernel {
    Kernel::new().with_url_form(form).with_memory(256 << 20)
}

fn crawler() -> CrawlerColumn<'static> {
    CrawlerColumn::One(Crawler::token(CRAWLER).expect("it is a token"))
}

fn by_table(columns: &Columns, form: UrlForm) -> Result<()> {
    let table = Table::new(&columns.origins, &columns.bodies)?;
    let mut kernel = kernel(form);
    for (urls, keys) in columns.urls.iter().zip(&columns.keys) {
        black_box(kernel.check(&RobotsColumn::Keys(&table, keys), urls, &crawler())?);
    }
    Ok(())
}

fn by_bodies(urls: &[ArrayRef], bodies: &[ArrayRef]) -> Result<()> {
    let mut kernel = kernel(UrlForm::Unchanged);
    for (urls, bodies) in urls.iter().zip(bodies) {
        black_box(kernel.check(&RobotsColumn::Bodies(bodies), urls, &crawler())?);
    }
    Ok(())
}

/// A body in each row. The columns are built batch by batch, which is not measured.
fn by_rows(data: &Data, rows: &[(usize, String)], urls: &[ArrayRef]) -> Result<f64> {
    let mut kernel = kernel(UrlForm::Unchanged);
    let mut spent = 0.0;
    for (rows, urls) in rows.chunks(BATCH).zip(urls) {
        let bodies = rows.iter().map(|(site, _)| Some(&*data.bodies[*site])).collect::<LargeBinaryArray>();
        spent += time(|| {
            black_box(kernel.check(&RobotsColumn::Bodies(&bodies), urls, &crawler())?);
            Ok(())
        })?;
    }
    Ok(spent)
}

fn time(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = processor_time();
    work()?;
    Ok(processor_time() - start)
}

/// Measures all forms, and adds a table to the text. Returns the targets that were missed.
pub(crate) fn measure(data: &Data, text: &mut String) -> Result<Vec<String>> {
    const FORMS: [&str; 6] =
        ["engine without Arrow", "table", "table, URLs as sent", "dictionary", "views", "a body in each row"];
    let mut missed = Vec::new();
    writeln!(
        text,
        "## The kernel\n\n{} rows in one thread. Files are parsed and compiled within the time. Medians of {ROUNDS} \
         rounds.\n\n\
         | M rows in a second of the processor | sorted by site | of the engine | shuffled | of the engine |\n\
         |---|--:|--:|--:|--:|",
        data.grouped.len()
    )?;
    let mut cells = vec![String::new(); FORMS.len()];
    for (rows, min_rate, order) in [(&data.grouped, MIN_GROUPED, "sorted"), (&data.shuffled, MIN_SHUFFLED, "shuffled")]
    {
        let columns = Columns::new(data, rows);
        let mut times = vec![Vec::new(); FORMS.len()];
        for _ in 0..ROUNDS {
            let round = [
                time(|| {
                    engine(data, rows);
                    Ok(())
                })?,
                time(|| by_table(&columns, UrlForm::Unchanged))?,
                time(|| by_table(&columns, UrlForm::AsSent))?,
                time(|| by_bodies(&columns.urls, &columns.dictionaries))?,
                time(|| by_bodies(&columns.urls, &columns.views))?,
                by_rows(data, rows, &columns.urls)?,
            ];
            for (times, time) in times.iter_mut().zip(round) {
                times.push(time);
            }
        }
        for (form, of_form) in times.iter().enumerate() {
            let ratio = median(times[0].iter().zip(of_form).map(|(engine, time)| engine / time).collect());
            let rate = rows.len() as f64 / median(of_form.clone()) / 1e6;
            cells[form] += &format!(" {rate:.2} | {:.0} % |", ratio * 100.0);
            if form == 1 && rate < min_rate {
                missed.push(format!("table, {order}: {rate:.2} M rows/s, expected {min_rate}"));
            }
            if form == 1 && order == "sorted" && ratio < MIN_RATIO {
                missed.push(format!("table, {order}: {ratio:.2} of the engine, expected {MIN_RATIO}"));
            }
        }
    }
    for (form, cells) in FORMS.iter().zip(cells) {
        writeln!(text, "| {form} |{cells}")?;
    }
    let ratio = MIN_RATIO * 100.0;
    writeln!(text, "| target for the table | ≥ {MIN_GROUPED} | ≥ {ratio} % | ≥ {MIN_SHUFFLED} | |\n")?;
    Ok(missed)
}
