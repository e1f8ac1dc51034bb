//! Parquet files of a few bytes that claim, or unpack to, far more.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;

use super::handmade::{
    BYTE_ARRAY, Column, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH, FIXED_BYTES, HandMade, INT64, PLAIN, Page,
    PageKind, RLE_DICTIONARY, Thrift, delta, plain_text, repeated, run, with_footer,
};
use super::seed::{compress, one_value_dictionary};

/// Bytes of one member of a bomb; a bomb repeats its members.
const MEMBER: usize = 16 << 20;
const GZIP: i32 = 2;
const ZSTD: i32 = 6;

type Files = Vec<(String, Vec<u8>)>;

pub(crate) fn files() -> Files {
    [pages(), unpacking(), rows(), deltas(), footers(), schemas(), places(), lengths()].concat()
}

fn page(values: i32, body: Vec<u8>) -> Page {
    Page::new(PageKind::Data, values, PLAIN, body)
}

fn age(pages: Vec<Page>, values: i64) -> HandMade {
    HandMade::of(Column::new("age", INT64, values, pages))
}

fn city(pages: Vec<Page>, values: i64) -> HandMade {
    HandMade::of(Column::new("city", BYTE_ARRAY, values, pages))
}

fn with_codec(mut file: HandMade, codec: i32) -> HandMade {
    file.columns[0].codec = codec;
    file
}

/// Page headers that lie.
pub(crate) fn pages() -> Files {
    let mut files = vec![];
    let sound = page(4, vec![1; 32]);
    for codec in [0, 1, 2, 4, 5, 6, 7] {
        for (claim, unpacked) in [("max", i32::MAX), ("minus", -1)] {
            let file = with_codec(age(vec![Page { unpacked, ..sound.clone() }], 4), codec);
            files.push((format!("page-unpacks-to-{claim}-codec{codec}.age"), file.bytes()));
        }
    }
    for (claim, number) in [("max", i32::MAX), ("minus", -1), ("min", i32::MIN)] {
        let mut push = |name: &str, file: HandMade| files.push((format!("{name}-{claim}"), file.bytes()));
        push("page-packed.age", age(vec![Page { packed: number, ..sound.clone() }], 4));
        push("page-values.age", age(vec![page(number, vec![1; 32])], 4));
        push("page-values-agreed.age", age(vec![page(number, vec![1; 32])], number.into()));
        push("page-values.city", city(vec![page(number, plain_text(b"Oulu"))], number.into()));
        let [dictionary, data] = repeated(plain_text(b"Oulu"), 100);
        push("dictionary-values.city", city(vec![Page { values: number, ..dictionary }, data], 100));
        let [dictionary, data] = repeated(vec![7; 8], 100);
        push("dictionary-values.age", age(vec![Page { values: number, ..dictionary }, data], 100));
        let v2 = Page::new(PageKind::DataV2, 4, PLAIN, vec![1; 32]);
        push("v2-definition-levels.age", age(vec![Page { levels: (number, 0), ..v2.clone() }], 4));
        push("v2-levels-sum.age", age(vec![Page { levels: (number, number), ..v2 }], 4));
    }
    let file = |pages| age(pages, 4).bytes();
    files.push(("page-encoding-unknown.age".into(), file(vec![Page { encoding: 99, ..sound.clone() }])));
    files.push(("page-kind-unknown.age".into(), file(vec![Page { kind: PageKind::Unknown, ..sound.clone() }; 1000])));
    files.push(("codec-unknown.age".into(), with_codec(age(vec![sound.clone()], 4), 99).bytes()));
    let [dictionary, data] = repeated(vec![7; 8], 100);
    files.push(("two-dictionaries.age".into(), age(vec![dictionary.clone(), dictionary, data], 100).bytes()));
    let wide = Page::new(PageKind::Data, 100, RLE_DICTIONARY, [vec![255], run(100), vec![0; 40]].concat());
    files.push((
        "dictionary-keys-of-255-bits.age".into(),
        age(vec![repeated(vec![7; 8], 1)[0].clone(), wide], 100).bytes(),
    ));
    let far = Page::new(PageKind::Data, 100, RLE_DICTIONARY, [vec![32], run(100), vec![0xFF; 4]].concat());
    files.push((
        "dictionary-key-out-of-range.age".into(),
        age(vec![repeated(vec![7; 8], 1)[0].clone(), far], 100).bytes(),
    ));
    // Lists of lists of truth values, which some readers walk without taking a byte for each.
    let mut lists = Thrift::default();
    (0..1000).for_each(|_| {
        lists.raw(&[0xF1]).varint(i32::MAX.unsigned_abs().into());
    });
    let field = [&[0x19, 0xF9][..], &[0xE8, 0x07], &lists.finish()].concat();
    files.push(("page-header-of-lists.age".into(), file(vec![Page { unknown_fields: field, ..sound.clone() }])));
    files.push((
        "page-header-of-structs.age".into(),
        file(vec![Page { unknown_fields: vec![0x1C; 100_000], ..sound.clone() }]),
    ));
    let text = [&[0x18][..], &[0xFF; 9], &[0x01]].concat();
    files.push(("page-header-of-endless-text.age".into(), file(vec![Page { unknown_fields: text, ..sound }])));
    files
}

/// Pages that unpack to gigabytes.
fn unpacking() -> Files {
    let gzip = compress(FileCompressionType::GZIP, vec![0; MEMBER]);
    let zstd = compress(FileCompressionType::ZSTD, vec![0; MEMBER]);
    let mut files = vec![];
    for (name, codec, member) in [("gzip", GZIP, gzip), ("zstd", ZSTD, zstd)] {
        for members in [4, 20, 120] {
            let unpacked = i32::try_from(members * MEMBER).expect("below 2 GiB");
            let honest = Page { unpacked, ..page(unpacked / 8, member.repeat(members)) };
            let file = with_codec(age(vec![honest.clone()], (unpacked / 8).into()), codec);
            files.push((format!("{name}-page-of-{}-mib.age", unpacked >> 20), file.bytes()));
            let lying = Page { unpacked: 32, values: 4, ..honest };
            files.push((
                format!("{name}-page-of-{}-mib-that-lies.age", unpacked >> 20),
                with_codec(age(vec![lying], 4), codec).bytes(),
            ));
        }
        // Many pages below any limit of one page.
        let unpacked = i32::try_from(8 * MEMBER).expect("below 2 GiB");
        let one = Page { unpacked, ..page(unpacked / 8, member.repeat(8)) };
        let file = with_codec(age(vec![one; 60], i64::from(unpacked / 8) * 60), codec);
        files.push((format!("{name}-60-pages-of-128-mib.age"), file.bytes()));
        // One text per page, so that hardly any rows come of it.
        let head = u32::try_from(8 * MEMBER - 4).expect("below 4 GiB").to_le_bytes().to_vec();
        let compression = if codec == GZIP { FileCompressionType::GZIP } else { FileCompressionType::ZSTD };
        let body = [compress(compression, head), compress(compression, vec![0; MEMBER - 4]), member.repeat(7)].concat();
        let one = Page { unpacked, ..page(1, body) };
        let file = with_codec(city(vec![one; 100], 100), codec);
        files.push((format!("{name}-100-texts-of-128-mib.city"), file.bytes()));
    }
    files
}

/// Few bytes, many rows.
pub(crate) fn rows() -> Files {
    let constant = repeated(vec![7; 8], i32::MAX);
    let nulls = |rows: i32| {
        let levels = [run(rows), vec![0]].concat();
        page(rows, [&u32::try_from(levels.len()).expect("short").to_le_bytes()[..], &levels].concat())
    };
    let optional = |mut file: HandMade| {
        file.columns[0].optional = true;
        file.bytes()
    };
    let many = [vec![constant[0].clone()], vec![constant[1].clone(); 500]].concat();
    let blank = plain_text(&vec![b' '; 1 << 20]);
    let digits = plain_text(&vec![b'9'; 1 << 20]);
    let rows = 1 << 23;
    vec![
        ("constant-2-billion.age".into(), age(constant.to_vec(), i32::MAX.into()).bytes()),
        ("constant-trillion.age".into(), age(many, i64::from(i32::MAX) * 500).bytes()),
        ("constant-100-million.age".into(), age(repeated(vec![7; 8], 100_000_000).to_vec(), 100_000_000).bytes()),
        (
            "constant-in-1000-groups.age".into(),
            HandMade { groups: 1000, ..age(constant.to_vec(), i32::MAX.into()) }.bytes(),
        ),
        ("null-2-billion.age".into(), optional(age(vec![nulls(i32::MAX)], i32::MAX.into()))),
        ("null-quadrillion.age".into(), optional(age(vec![nulls(i32::MAX)], 1_000_000_000_000_000))),
        ("rows-quadrillion-no-pages.age".into(), age(vec![], 1_000_000_000_000_000).bytes()),
        ("rows-max.age".into(), age(vec![page(4, vec![1; 32])], i64::MAX).bytes()),
        ("rows-minus.age".into(), age(vec![page(4, vec![1; 32])], -1).bytes()),
        ("rows-differ.age".into(), HandMade { rows: 1_000_000, ..age(vec![page(4, vec![1; 32])], 4) }.bytes()),
        (
            "mebibyte-of-blanks-8-million-times.city".into(),
            city(repeated(blank.clone(), rows).to_vec(), rows.into()).bytes(),
        ),
        ("mebibyte-of-blanks-8-million-times.age".into(), {
            let mut file = city(repeated(blank, rows).to_vec(), rows.into());
            file.columns[0].name = "age";
            file.bytes()
        }),
        ("mebibyte-of-digits-8-million-times.age".into(), {
            let mut file = city(repeated(digits, rows).to_vec(), rows.into());
            file.columns[0].name = "age";
            file.bytes()
        }),
        ("mebibyte-of-blanks-130-million-times.city".into(), {
            let (blank, rows) = (plain_text(&vec![b' '; 1 << 20]), 130_000_000);
            city(repeated(blank, rows).to_vec(), rows.into()).bytes()
        }),
        ("dictionary-column-that-falls-back.city".into(), falling_back()),
    ]
}

/// A dictionary column whose dictionary grows too large on the way, so that a reader may have to
/// write its values out.
fn falling_back() -> Vec<u8> {
    let text = |letter: &str| letter.repeat(900_000);
    let batch = |letter: &str, rows| {
        let column: ArrayRef = Arc::new(one_value_dictionary(&text(letter), rows));
        RecordBatch::try_from_iter([("city", column)]).expect("one column")
    };
    let first = batch("a", 7_000);
    let properties = WriterProperties::builder().set_write_batch_size(64).build();
    let mut writer = ArrowWriter::try_new(vec![], first.schema(), Some(properties)).expect("a sound schema");
    for (letter, rows) in [("a", 7_000), ("b", 64), ("c", 4)] {
        writer.write(&batch(letter, rows)).expect("sound rows");
    }
    writer.into_inner().expect("memory takes the file")
}

/// Delta encodings that claim or share too much.
pub(crate) fn deltas() -> Files {
    let delta_page = |encoding, values, body| Page::new(PageKind::Data, values, encoding, body);
    let mut files = vec![];
    for (name, claimed) in [("2-31", 1 << 31), ("2-40", 1 << 40), ("2-60", 1 << 60), ("max", u64::MAX)] {
        for (kind, encoding) in [("length", DELTA_LENGTH), ("bytes", DELTA_BYTE_ARRAY)] {
            let body = [delta(&[4; 300], claimed), vec![b'x'; 1200]].concat();
            files.push((
                format!("delta-{kind}-claims-{name}.city"),
                city(vec![delta_page(encoding, 300, body)], 300).bytes(),
            ));
        }
        let body = [delta(&[0; 300], 300), delta(&[4; 300], claimed), vec![b'x'; 1200]].concat();
        files.push((
            format!("delta-suffix-claims-{name}.city"),
            city(vec![delta_page(DELTA_BYTE_ARRAY, 300, body)], 300).bytes(),
        ));
        files.push((
            format!("delta-integers-claim-{name}.age"),
            age(vec![delta_page(DELTA_BINARY_PACKED, 300, delta(&[4; 300], claimed))], 300).bytes(),
        ));
    }
    // One block of zeros that is as long as it likes.
    let mut block = Thrift::default();
    block.varint(1 << 62).varint(1).varint(i32::MAX.unsigned_abs().into()).varint(8).varint(0).raw(&[0]);
    let body = block.finish();
    files.push((
        "delta-length-one-block.city".into(),
        city(vec![delta_page(DELTA_LENGTH, i32::MAX, body.clone())], i32::MAX.into()).bytes(),
    ));
    files.push((
        "delta-integers-one-block.age".into(),
        age(vec![delta_page(DELTA_BINARY_PACKED, i32::MAX, body)], i32::MAX.into()).bytes(),
    ));
    for values in [1_000_i32, 100_000] {
        // Every value is the one before it: a mebibyte that is written once.
        let (length, count) = (1_i64 << 20, usize::try_from(values).expect("small"));
        let prefixes: Vec<i64> = (0..count).map(|row| if row == 0 { 0 } else { length }).collect();
        let suffixes: Vec<i64> = (0..count).map(|row| if row == 0 { length } else { 0 }).collect();
        let claimed = u64::from(values.unsigned_abs());
        let body = [delta(&prefixes, claimed), delta(&suffixes, claimed), vec![b'x'; 1 << 20]].concat();
        files.push((
            format!("delta-bytes-shares-a-mebibyte-{values}-times.city"),
            city(vec![delta_page(DELTA_BYTE_ARRAY, values, body)], values.into()).bytes(),
        ));
    }
    files
}

/// Footers that ask for memory or time before a single page is read.
pub(crate) fn footers() -> Files {
    let mut files: Files = vec![];
    for (name, bytes) in [
        ("tail-ten-bytes", &b"PA\xFF\xFF\xFF\x7FPAR1"[..]),
        ("tail-twelve-bytes", b"PAR1\xFF\xFF\xFF\x7FPAR1"),
        ("tail-minus", b"PAR1\xFF\xFF\xFF\xFFPAR1"),
        ("tail-zero", b"PAR1\0\0\0\0PAR1"),
        ("tail-one-too-many", b"PAR1\x05\0\0\0PAR1"),
        ("tail-encrypted", b"PARE\x04\0\0\0PARE"),
    ] {
        files.push((name.into(), bytes.to_vec()));
    }
    let mut footer = |name: &str, write: &dyn Fn(&mut Thrift)| {
        let mut thrift = Thrift::new();
        write(&mut thrift);
        files.push((name.into(), with_footer(b"PAR1".to_vec(), &thrift.finish())));
    };
    let max = i32::MAX.unsigned_abs() as usize;
    footer("schema-list-of-2-billion", &|thrift| {
        thrift.i32(1, 2).structs(2, max);
    });
    for (name, length) in [("2-billion", max), ("8-exa", usize::MAX >> 1)] {
        footer(&format!("row-groups-{name}"), &|thrift| {
            schema_of(thrift, 1).i64(3, 1).structs(4, length);
        });
        footer(&format!("columns-{name}"), &|thrift| {
            schema_of(thrift, 1).i64(3, 1).structs(4, 1).begin().structs(1, length);
        });
        footer(&format!("notes-{name}"), &|thrift| {
            schema_of(thrift, 1).i64(3, 1).structs(4, 0).structs(5, length);
        });
        footer(&format!("text-of-{name}"), &|thrift| {
            schema_of(thrift, 1).i64(3, 1).structs(4, 0).field(6, 8).varint(length as u64);
        });
    }
    footer("unknown-field-of-lists", &|thrift| {
        thrift.i32(1, 2).list(10, 9, 1000);
        (0..1000).for_each(|_| {
            thrift.raw(&[0xF1]).varint(max as u64);
        });
    });
    footer("unknown-field-of-structs", &|thrift| {
        thrift.i32(1, 2).begin_field(10).raw(&vec![0x1C; 1_000_000]);
    });
    footer("varint-without-end", &|thrift| {
        thrift.field(1, 5).raw(&vec![0xFF; 100_000]);
    });
    files
}

fn schema_of(thrift: &mut Thrift, columns: usize) -> &mut Thrift {
    thrift.i32(1, 2).structs(2, 1 + columns);
    thrift.begin().text(4, "schema").i32(5, i32::try_from(columns).expect("few")).end();
    for column in 0..columns {
        let name = if column == 0 { "age".to_owned() } else { format!("c{column}") };
        thrift.begin().i32(1, INT64).i32(3, 0).text(4, &name).end();
    }
    thrift
}

/// Schemas that are too deep, too wide or not trees.
pub(crate) fn schemas() -> Files {
    let mut files: Files = vec![];
    let mut footer = |name: String, write: &dyn Fn(&mut Thrift)| {
        let mut thrift = Thrift::new();
        write(&mut thrift);
        files.push((name, with_footer(b"PAR1".to_vec(), &thrift.finish())));
    };
    for depth in [60, 1_000, 100_000, 1_000_000] {
        footer(format!("schema-{depth}-deep.age"), &|thrift| {
            thrift.i32(1, 2).structs(2, depth + 2);
            thrift.begin().text(4, "schema").i32(5, 1).end();
            (0..depth).for_each(|_| {
                thrift.begin().i32(3, 1).text(4, "a").i32(5, 1).end();
            });
            thrift.begin().i32(1, INT64).i32(3, 0).text(4, "age").end();
            thrift.i64(3, 0).structs(4, 0);
        });
    }
    for columns in [20_000, 1_000_000] {
        footer(format!("schema-of-{columns}-columns.age"), &|thrift| {
            schema_of(thrift, columns).i64(3, 0).structs(4, 0);
        });
    }
    for (name, children) in [("max", i32::MAX), ("minus", -1), ("more", 3)] {
        footer(format!("schema-children-{name}"), &|thrift| {
            thrift.i32(1, 2).structs(2, 2).begin().text(4, "schema").i32(5, children).end();
            thrift.begin().i32(1, INT64).i32(3, 0).text(4, "age").end();
            thrift.i64(3, 0).structs(4, 0);
        });
    }
    files
}

/// Pages that are not where the footer says.
pub(crate) fn places() -> Files {
    let sound = page(4, vec![1; 32]);
    let mut files = vec![];
    for (name, place) in [
        ("before-the-file", (-1, 60)),
        ("behind-the-file", (1 << 40, 60)),
        ("of-negative-length", (4, -60)),
        ("of-endless-length", (4, i64::MAX)),
        ("that-wraps-around", (i64::MAX, i64::MAX)),
        ("of-a-tebibyte", (4, 1 << 40)),
        ("in-the-magic-word", (0, 60)),
        ("of-no-length", (4, 0)),
    ] {
        let mut file = age(vec![sound.clone()], 4);
        file.columns[0].place = Some(place);
        files.push((format!("chunk-{name}.age"), file.bytes()));
    }
    // A mebibyte that thirty thousand row groups share.
    let shared = age(vec![page(1 << 17, vec![1; 1 << 20])], 1 << 17);
    files.push(("chunk-shared-by-30000-groups.age".into(), HandMade { groups: 30_000, ..shared }.bytes()));
    let empty = age(vec![], 0);
    files.push(("30000-empty-groups.age".into(), HandMade { groups: 30_000, ..empty }.bytes()));
    files
}

/// Values of fixed length that are anything but short.
pub(crate) fn lengths() -> Files {
    let mut files = vec![];
    for (name, length) in [("max", i32::MAX), ("minus", -1), ("zero", 0), ("mebibyte", 1 << 20)] {
        let value = if name == "mebibyte" { vec![b' '; 1 << 20] } else { vec![b' '; 16] };
        let mut column = Column::new("city", FIXED_BYTES, 1 << 20, repeated(value, 1 << 20).to_vec());
        column.fixed_length = length;
        files.push((format!("fixed-length-{name}.city"), HandMade::of(column).bytes()));
    }
    files
}
