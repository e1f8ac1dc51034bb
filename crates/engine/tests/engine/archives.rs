//! Builds archives and workbooks by hand, so that tests can corrupt them.

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use crate::common::compress;

/// Builds a ZIP archive of these files, compressed with deflate.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (vec![], vec![]);
    for (name, bytes) in files {
        // A gzip file is deflated data between ten header bytes and eight bytes of checksum and
        // length.
        let gzip = compress(FileCompressionType::GZIP, bytes.to_vec());
        assert_eq!(gzip[3], 0, "the header has no more than ten bytes");
        let (packed, trailer) = gzip[10..].split_at(gzip.len() - 18);
        let sizes = [trailer[..4].to_vec(), word(packed.len()), word(bytes.len())].concat();
        let place = archive.len();
        archive.extend([b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0", &sizes[..], &short(name.len()), &short(0)].concat());
        archive.extend([name.as_bytes(), packed].concat());
        directory.extend([b"PK\x01\x02\x14\0\x14\0\0\0\x08\0\0\0\0\0", &sizes[..], &short(name.len())].concat());
        directory.extend([vec![0; 12], word(place), name.as_bytes().to_vec()].concat());
    }
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &short(files.len()), &short(files.len()), &word(directory.len())].concat();
    let place = word(archive.len());
    [archive, directory, end, place, short(0)].concat()
}

/// Builds a workbook with these sheets, given as the rows inside `sheetData`. Style 1 is a date.
pub(crate) fn workbook(sheets: &[(&str, &str)], texts: &[&str]) -> Vec<u8> {
    let relation = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"http://x/{kind}\" Target=\"{target}\"/>")
    };
    let relations = |inner: String| format!("<?xml version=\"1.0\"?><Relationships>{inner}</Relationships>");
    let numbered = || sheets.iter().enumerate();
    let listed: Vec<String> =
        numbered().map(|(number, (name, _))| format!("<sheet name=\"{name}\" r:id=\"s{number}\"/>")).collect();
    let listed = listed.concat();
    let mut inner: String = numbered()
        .map(|(number, _)| relation(&format!("s{number}"), "worksheet", &format!("worksheets/sheet{number}.xml")))
        .collect();
    inner += &relation("t", "sharedStrings", "sharedStrings.xml");
    inner += &relation("f", "styles", "/xl/styles.xml");
    let shared: Vec<String> = texts.iter().map(|text| format!("<si><t>{text}</t></si>")).collect();
    let shared = shared.concat();
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd\\.mm\\.yyyy\"/></numFmts><cellXfs>\
                  <xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>";
    let mut parts = vec![
        ("_rels/.rels".to_owned(), relations(relation("r", "officeDocument", "xl/workbook.xml"))),
        ("xl/workbook.xml".to_owned(), format!("<workbook><sheets>{listed}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels".to_owned(), relations(inner)),
        ("xl/sharedStrings.xml".to_owned(), format!("<sst>{shared}</sst>")),
        ("xl/styles.xml".to_owned(), styles.to_owned()),
    ];
    parts.extend(numbered().map(|(number, (_, rows))| {
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        (format!("xl/worksheets/sheet{number}.xml"), sheet)
    }));
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    zip(&parts)
}

fn short(value: usize) -> Vec<u8> {
    u16::try_from(value).unwrap().to_le_bytes().to_vec()
}

fn word(value: usize) -> Vec<u8> {
    u32::try_from(value).unwrap().to_le_bytes().to_vec()
}
