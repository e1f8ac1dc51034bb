//! Parquet files written byte by byte, so that they can claim anything.

/// A writer of Thrift's compact protocol.
#[derive(Default)]
pub(crate) struct Thrift {
    bytes: Vec<u8>,
    /// The number of the last field, for every struct that is open.
    open: Vec<i16>,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Thrift {
    /// With the outermost struct open.
    pub(crate) fn new() -> Self {
        Self { bytes: vec![], open: vec![0] }
    }

    pub(crate) fn varint(&mut self, mut value: u64) -> &mut Self {
        while value >= 0x80 {
            self.bytes.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.bytes.push(value.to_le_bytes()[0]);
        self
    }

    fn zigzag(&mut self, value: i64) -> &mut Self {
        self.varint(((value << 1) ^ (value >> 63)).cast_unsigned())
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn field(&mut self, id: i16, kind: u8) -> &mut Self {
        let last = self.open.last_mut().expect("a struct is open");
        let step = u8::try_from(id - *last).ok().filter(|step| (1..16).contains(step)).expect("fields come in order");
        *last = id;
        self.bytes.push(step << 4 | kind);
        self
    }

    pub(crate) fn i32(&mut self, id: i16, value: i32) -> &mut Self {
        self.field(id, I32).zigzag(value.into())
    }

    pub(crate) fn i64(&mut self, id: i16, value: i64) -> &mut Self {
        self.field(id, I64).zigzag(value)
    }

    pub(crate) fn text(&mut self, id: i16, text: &str) -> &mut Self {
        self.field(id, BINARY).varint(text.len() as u64).raw(text.as_bytes())
    }

    pub(crate) fn list(&mut self, id: i16, kind: u8, length: usize) -> &mut Self {
        self.field(id, LIST).raw(&[0xF0 | kind]).varint(length as u64)
    }

    pub(crate) fn structs(&mut self, id: i16, length: usize) -> &mut Self {
        self.list(id, STRUCT, length)
    }

    pub(crate) fn begin(&mut self) -> &mut Self {
        self.open.push(0);
        self
    }

    pub(crate) fn begin_field(&mut self, id: i16) -> &mut Self {
        self.field(id, STRUCT).begin()
    }

    pub(crate) fn end(&mut self) -> &mut Self {
        self.open.pop();
        self.raw(&[0])
    }

    /// The bytes, with the outermost struct closed.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    Data = 0,
    Dictionary = 2,
    DataV2 = 3,
    Unknown = 9,
}

/// A page and what its header says about it.
#[derive(Clone)]
pub(crate) struct Page {
    pub(crate) kind: PageKind,
    pub(crate) unpacked: i32,
    pub(crate) packed: i32,
    pub(crate) values: i32,
    pub(crate) encoding: i32,
    /// Lengths of the definition and repetition levels of a page of version 2.
    pub(crate) levels: (i32, i32),
    /// Thrift fields that no reader knows, from field 9 on.
    pub(crate) unknown_fields: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

pub(crate) const PLAIN: i32 = 0;
pub(crate) const DELTA_BINARY_PACKED: i32 = 5;
pub(crate) const DELTA_LENGTH: i32 = 6;
pub(crate) const DELTA_BYTE_ARRAY: i32 = 7;
pub(crate) const RLE_DICTIONARY: i32 = 8;

impl Page {
    /// A page that says the truth, as far as `values` and `encoding` do.
    pub(crate) fn new(kind: PageKind, values: i32, encoding: i32, body: Vec<u8>) -> Self {
        let length = i32::try_from(body.len()).expect("a small page");
        let (levels, unknown_fields) = ((0, 0), vec![]);
        Self { kind, unpacked: length, packed: length, values, encoding, levels, unknown_fields, body }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut header = Thrift::new();
        header.i32(1, self.kind as i32).i32(2, self.unpacked).i32(3, self.packed);
        match self.kind {
            PageKind::Data => {
                header.begin_field(5).i32(1, self.values).i32(2, self.encoding).i32(3, 3).i32(4, 3).end();
            }
            PageKind::Dictionary => {
                header.begin_field(7).i32(1, self.values).i32(2, self.encoding).end();
            }
            PageKind::DataV2 => {
                header.begin_field(8).i32(1, self.values).i32(2, 0).i32(3, self.values).i32(4, self.encoding);
                header.i32(5, self.levels.0).i32(6, self.levels.1).end();
            }
            PageKind::Unknown => {}
        }
        header.raw(&self.unknown_fields);
        [header.finish(), self.body.clone()].concat()
    }
}

pub(crate) const INT64: i32 = 2;
pub(crate) const BYTE_ARRAY: i32 = 6;
pub(crate) const FIXED_BYTES: i32 = 7;

/// One column of the file.
#[derive(Clone)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: i32,
    pub(crate) fixed_length: i32,
    pub(crate) optional: bool,
    pub(crate) codec: i32,
    pub(crate) values: i64,
    pub(crate) pages: Vec<Page>,
    /// Where the footer says the pages are, if not where they are.
    pub(crate) place: Option<(i64, i64)>,
}

impl Column {
    pub(crate) fn new(name: &'static str, kind: i32, values: i64, pages: Vec<Page>) -> Self {
        Self { name, kind, fixed_length: 0, optional: false, codec: 0, values, pages, place: None }
    }
}

/// The file, and what its footer says about it.
#[derive(Clone)]
pub(crate) struct HandMade {
    pub(crate) columns: Vec<Column>,
    /// Rows of every row group.
    pub(crate) rows: i64,
    /// Row groups, all with the same pages.
    pub(crate) groups: usize,
}

impl HandMade {
    pub(crate) fn of(column: Column) -> Self {
        Self { rows: column.values, columns: vec![column], groups: 1 }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut file = b"PAR1".to_vec();
        let mut places = vec![];
        for column in &self.columns {
            let (start, mut data_start) = (file.len(), file.len());
            for page in &column.pages {
                file.extend(page.bytes());
                if page.kind == PageKind::Dictionary {
                    data_start = file.len();
                }
            }
            places.push((start, data_start, file.len() - start));
        }
        let mut footer = Thrift::new();
        footer.i32(1, 2).structs(2, 1 + self.columns.len());
        footer.begin().text(4, "schema").i32(5, i32::try_from(self.columns.len()).expect("few")).end();
        for column in &self.columns {
            footer.begin().i32(1, column.kind);
            if column.kind == FIXED_BYTES {
                footer.i32(2, column.fixed_length);
            }
            footer.i32(3, column.optional.into()).text(4, column.name).end();
        }
        footer.i64(3, self.rows.saturating_mul(i64::try_from(self.groups).expect("few"))).structs(4, self.groups);
        for _ in 0..self.groups {
            footer.begin().structs(1, self.columns.len());
            for (column, (start, data_start, length)) in self.columns.iter().zip(&places) {
                let signed = |value: usize| i64::try_from(value).expect("a small file");
                let (start, length) = column.place.unwrap_or((signed(*start), signed(*length)));
                let shift = signed(*data_start) - signed(places[0].0);
                footer.begin().i64(2, 0).begin_field(3).i32(1, column.kind).list(2, I32, 1).varint(0);
                footer.list(3, BINARY, 1).varint(column.name.len() as u64).raw(column.name.as_bytes());
                footer.i32(4, column.codec).i64(5, column.values).i64(6, length).i64(7, length);
                if column.pages.first().is_some_and(|page| page.kind == PageKind::Dictionary) {
                    footer.i64(9, start.saturating_add(shift)).i64(11, start);
                } else {
                    footer.i64(9, start);
                }
                footer.end().end();
            }
            footer.i64(2, 1).i64(3, self.rows).end();
        }
        with_footer(file, &footer.finish())
    }
}

/// A file that ends in this footer.
pub(crate) fn with_footer(mut file: Vec<u8>, footer: &[u8]) -> Vec<u8> {
    file.extend_from_slice(footer);
    file.extend(u32::try_from(footer.len()).expect("a small footer").to_le_bytes());
    file.extend_from_slice(b"PAR1");
    file
}

/// A dictionary of one value, and a page that repeats it `rows` times in a few bytes.
pub(crate) fn repeated(value: Vec<u8>, rows: i32) -> [Page; 2] {
    let dictionary = Page::new(PageKind::Dictionary, 1, PLAIN, value);
    [dictionary, Page::new(PageKind::Data, rows, RLE_DICTIONARY, [vec![1], run(rows), vec![0]].concat())]
}

/// The header of a run of `length` equal values.
pub(crate) fn run(length: i32) -> Vec<u8> {
    let mut header = Thrift::default();
    header.varint(u64::from(length.unsigned_abs()) << 1);
    header.bytes
}

/// A text as plain pages hold it.
pub(crate) fn plain_text(text: &[u8]) -> Vec<u8> {
    [&u32::try_from(text.len()).expect("a short text").to_le_bytes(), text].concat()
}

/// Numbers as `DELTA_BINARY_PACKED`, in blocks of 128 with four parts, with any claim about how
/// many they are.
pub(crate) fn delta(numbers: &[i64], claimed: u64) -> Vec<u8> {
    let mut coded = Thrift::default();
    coded.varint(128).varint(4).varint(claimed).zigzag(numbers.first().copied().unwrap_or(0));
    let steps: Vec<i64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for block in steps.chunks(128) {
        let least = *block.iter().min().expect("chunks are not empty");
        let above = |step: &i64| (step - least).cast_unsigned();
        let widths: Vec<u32> = block
            .chunks(32)
            .map(|part| part.iter().map(|step| 64 - above(step).leading_zeros()).max().unwrap_or(0))
            .collect();
        coded.zigzag(least);
        (0..4).for_each(|part| {
            coded.raw(&[u8::try_from(widths.get(part).copied().unwrap_or(0)).expect("at most 64")]);
        });
        for (part, width) in block.chunks(32).zip(&widths) {
            let mut bits = vec![0_u8; 4 * *width as usize];
            for (index, step) in part.iter().enumerate() {
                for bit in 0..*width as usize {
                    if above(step) >> bit & 1 == 1 {
                        let place = index * *width as usize + bit;
                        bits[place / 8] |= 1 << (place % 8);
                    }
                }
            }
            coded.raw(&bits);
        }
    }
    coded.bytes
}
