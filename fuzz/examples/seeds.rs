//! Writes the binary seeds again: models, certificates, ledgers, bundles, answers, and files of
//! rows. `fuzz/make-seeds` runs it.
//!
//! Noise is drawn each time, so models and certificates differ from those of the last run. That is
//! no reason to replace them: seeds are replaced when a format changes.

use std::error::Error;
use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use datafusion::arrow::compute::cast;
use datafusion::arrow::ipc::CompressionType;
use datafusion::arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use scumble::bundle::{self, Publisher, Release};
use scumble::{AccountingKind, ApproxDp, Delta, Epsilon, Fit, Input, Method, Model, Sampling, Schema, create_ledger};
use scumble_fuzz::{SEEDS, folder, text_of_file};
use scumble_mechanisms::marginals::{Marginals, fit};
use scumble_vault::account::ThresholdDelta;
use scumble_vault::ledger::{Ledger, ReservationRequest};

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    models()?;
    bundles()?;
    ledgers()?;
    answers()?;
    rows()
}

fn write(target: &str, name: &str, bytes: impl AsRef<[u8]>) -> Done {
    let folder = folder(SEEDS, target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}

fn goal(delta: f64) -> Result<ApproxDp, Box<dyn Error>> {
    Ok(ApproxDp { epsilon: Epsilon::new(2.0)?, delta: Delta::new(delta)? })
}

fn model(name: &str, model: &Model) -> Done {
    write("model", &format!("{name}.txt"), text_of_file(&model.to_bytes()))?;
    match model.certificate() {
        Some(certificate) => write("certificate", &format!("{name}.json"), serde_json::to_string(certificate)?),
        None => Ok(()),
    }
}

/// A model of every kind of distribution, each of a small table.
fn models() -> Done {
    let text = "sex,age,smokes\n".to_owned() + &"f,36,true\nm,41,\nf,8,false\nm,77,true\n".repeat(50);
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("rows.csv");
    fs::write(&path, text)?;
    let columns = "
fields:
  - {name: sex, type: string, constraints: {enum: [f, m], required: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 25}}}
  - {name: smokes, type: boolean}
";
    let schema = Schema::parse(columns)?;
    for method in ["independent", "mst", "auto", "privmrf", "privbayes-nist"] {
        let fitted = Fit::new(&schema, goal(1e-6)?).method(Method::named(method)?).run(&[Input::new(&path)])?;
        model(method, &fitted)?;
    }
    let pure = Fit::new(&schema, goal(0.0)?).method(Method::named("privbayes")?).run(&[Input::new(&path)])?;
    model("privbayes", &pure)?;
    let replaced = Schema::parse(&format!("dp: {{adjacency: replace-one}}{columns}"))?;
    let histogram = Method::named("smoothed-histogram")?;
    let drawn = Fit::new(&replaced, goal(0.0)?).method(histogram).public_rows(200).run(&[Input::new(&path)])?;
    model("smoothed-histogram", &drawn)?;
    let declared = Schema::parse(
        "
fields:
  - {name: sex, type: string, constraints: {enum: [female, male], required: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {bins: {width: 25}}}
  - {name: smokes, type: boolean}
",
    )?;
    let office = Marginals::read(&folder(SEEDS, "marginals").join("office.json"), &declared)?;
    model("external", &fit(&declared, office)?)?;
    all_types()
}

/// A model of columns of all types, with one made-up table for each.
fn all_types() -> Done {
    let schema = Schema::read(&folder(SEEDS, "schema").join("all-types.yaml"))?.without_unit();
    let tables = schema.attributes().iter().map(|column| {
        let counts: Vec<u32> = (0..column.size()).map(|code| 10 + code % 7).collect();
        serde_json::json!({"columns": [column.name()], "standard_deviation": 1, "counts": counts})
    });
    let file = serde_json::json!({
        "version": 1,
        "privacy": {"epsilon": 1, "delta": 0, "adjacency": "add-remove", "unit": "row", "max_contributions": 3, "maker": "nobody"},
        "tables": tables.collect::<Vec<_>>(),
    });
    let tables = Marginals::parse(file.to_string().as_bytes(), &schema)?;
    model("all-types", &fit(&schema, tables)?)
}

/// The files of a sound bundle that a target replaces one by one.
fn bundles() -> Done {
    let text = fs::read(folder(SEEDS, "model").join("external.txt"))?;
    let model = Model::from_bytes(&scumble_fuzz::file_of_text(&text))?;
    let publisher = Publisher { curator: Some("Office of Statistics".into()), ..Publisher::default() };
    let release = Release::of_model(&model, Some(30), Some(1), "2026-11-15".parse()?)?;
    let release = Release { publisher, sampling: Sampling::LowVariance, ..release };
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("bundle");
    let mut names = bundle::create(&model, &release, &path, |_| true)?;
    names.retain(|name| *name != "SHA256SUMS");
    for (name, letter) in names.into_iter().chain(["SHA256SUMS"]).zip(b'A'..) {
        // Pages and pictures are compared and never parsed.
        if [".html", ".svg", ".md", ".txt"].iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let bytes = [&[letter], fs::read(path.join(name))?.as_slice()].concat();
        write("bundle", &name.replace('/', "-"), bytes)?;
    }
    Ok(())
}

fn ledgers() -> Done {
    let schema = Schema::parse("fields: [{name: smokes, type: boolean}]")?;
    for (name, accounting, delta) in
        [("gdp", AccountingKind::Gdp, 1e-6), ("pure", AccountingKind::Pure, 0.0), ("zcdp", AccountingKind::Zcdp, 1e-6)]
    {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("people.ledger");
        let ledger = create_ledger(&path, "people", &schema, goal(delta)?, Some(accounting))?;
        let cap = ledger.terms().cap;
        for (share, events) in [(4, Some(3)), (8, None)] {
            let reservation = ledger.reserve(&request(&ledger, cap / share))?;
            if let Some(events) = events {
                reservation.commit(cap / share / 2, ThresholdDelta::ZERO, events)?;
            }
        }
        drop(ledger);
        let database = rusqlite::Connection::open(&path)?;
        let mut statement = database.prepare("SELECT body FROM record ORDER BY number")?;
        let records = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        write("ledger", &format!("{name}.txt"), records.join("\n"))?;
    }
    let text = fs::read_to_string(folder(SEEDS, "ledger").join("gdp.txt"))?;
    write("ledger", "database", scumble_fuzz::sealed_ledger(&text.lines().collect::<Vec<_>>()))
}

fn request(ledger: &Ledger, quanta: u128) -> ReservationRequest {
    ReservationRequest {
        fingerprint: "schema, method and goal".into(),
        description: "independent".into(),
        accounting: ledger.terms().accounting,
        goal: ledger.terms().goal,
        quanta,
        thresholds: ThresholdDelta::ZERO,
        command: Some("scumble fit people.csv".into()),
        anew: true,
    }
}

/// The parts of answers that a server sends in its own frames, and an error.
fn answers() -> Done {
    scumble_fuzz::sound_answers().into_iter().try_for_each(|(name, bytes)| write("postgres", name, bytes))
}

fn rows() -> Done {
    let cities = ["Bergen", "Oulu", "Tartu", "Kaunas, and more", ""];
    let city: StringArray = (0..60).map(|row| (row % 7 != 3).then(|| cities[row % 5])).collect();
    let age: Int64Array = (0..60).map(|row| (row % 11 != 2).then_some(row * 3 - 10)).collect();
    let born: Date32Array = (0..60).map(|row| (row % 5 != 1).then_some(row * 400 - 9_000)).collect();
    let batch = |city: ArrayRef| {
        RecordBatch::try_from_iter_with_nullable([
            ("city", city, true),
            ("age", Arc::new(age.clone()) as ArrayRef, true),
            ("born", Arc::new(born.clone()) as ArrayRef, true),
        ])
    };
    let text: ArrayRef = Arc::new(city);
    let plain = batch(Arc::clone(&text))?;
    let small = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let dictionary = batch(cast(&text, &small)?)?;
    parquet(&plain)?;
    for (name, batch, codec) in [
        ("plain", &plain, None),
        ("dictionary", &dictionary, None),
        ("zstd", &plain, Some(CompressionType::ZSTD)),
        ("lz4", &dictionary, Some(CompressionType::LZ4_FRAME)),
    ] {
        let options = IpcWriteOptions::default().try_with_compression(codec)?;
        let mut file = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options.clone())?;
        file.write(batch)?;
        write("arrow", &format!("{name}.arrow"), file.into_inner()?)?;
        let mut stream = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options)?;
        stream.write(batch)?;
        write("arrow", &format!("{name}.arrows"), stream.into_inner()?)?;
    }
    Ok(())
}

fn parquet(batch: &RecordBatch) -> Done {
    let plain = || WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None);
    let codec = |codec| plain().set_compression(codec);
    let second = || plain().set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false);
    let delta = second()
        .set_column_encoding("city".into(), Encoding::DELTA_BYTE_ARRAY)
        .set_column_encoding("age".into(), Encoding::DELTA_BINARY_PACKED)
        .set_column_encoding("born".into(), Encoding::BYTE_STREAM_SPLIT);
    let lengths = second().set_column_encoding("city".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY);
    for (name, properties) in [
        ("plain", plain().set_dictionary_enabled(false)),
        ("dictionary", plain()),
        ("two-pages", plain().set_data_page_row_count_limit(20).set_write_batch_size(20)),
        ("two-groups", plain().set_max_row_group_row_count(Some(30))),
        ("statistics", WriterProperties::builder()),
        ("snappy", codec(Compression::SNAPPY)),
        ("gzip", codec(Compression::GZIP(GzipLevel::default()))),
        ("zstd", codec(Compression::ZSTD(ZstdLevel::default()))),
        ("lz4", codec(Compression::LZ4_RAW)),
        ("delta", delta),
        ("delta-lengths", lengths),
    ] {
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.build()))?;
        writer.write(batch)?;
        write("parquet", &format!("{name}.parquet"), writer.into_inner()?)?;
    }
    Ok(())
}
