//! Measures packed bytes by unpacking them without keeping anything.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use super::{Checked, Refusal, consistent};

/// Maximum number of bytes that one byte of Deflate unpacks to.
const MAX_GZIP_EXPANSION: u64 = 1032;
/// Bytes that a compressed text of any size may become. Beyond, it may be [`TEXT_FACTOR`] times its
/// size.
const TEXT: u64 = 64 << 20;
/// Tables as text compress to a tenth. A table of zeros with an occasional one compresses to a
/// two-hundredth, and with one non-zero in ten thousand, to a five-hundredth.
const TEXT_FACTOR: u64 = 512;

/// Bytes of the longest line that are ignored when the unpacked size of a compressed file is
/// checked.
pub(crate) const MAX_FREE_LINE: u64 = 1 << 30;

/// Returns the maximum bytes that `packed` bytes of gzip can become.
pub(super) fn max_gzip_bytes(packed: u64) -> u64 {
    packed.saturating_mul(MAX_GZIP_EXPANSION)
}

/// Checks that the gzip members at `offset` unpack to at most `stated` bytes.
pub(super) fn unpacks_within(file: &mut File, offset: u64, length: u64, stated: u64) -> Checked<()> {
    let mut part = file.try_clone()?;
    part.seek(SeekFrom::Start(offset))?;
    let reader = FileCompressionType::GZIP.convert_read(part.take(length)).map_err(|_| Refusal::Damaged)?;
    // One byte more than allowed is enough to know.
    let unpacked =
        io::copy(&mut reader.take(stated.saturating_add(1)), &mut io::sink()).map_err(|_| Refusal::Damaged)?;
    consistent(unpacked <= stated)
}

/// Returns a reader that decompresses `bytes`.
pub(crate) fn unpacking<R: Read + Send + 'static>(
    compression: FileCompressionType,
    bytes: R,
) -> datafusion::common::Result<Box<dyn Read + Send>> {
    if compression == FileCompressionType::BZIP2 {
        compression.convert_read(Members { bytes, empty: 0 })
    } else {
        compression.convert_read(bytes)
    }
}

/// The bytes of an empty bzip2 member after its first four.
const EMPTY_MEMBER: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
const EMPTY_MEMBERS: usize = 1000;

/// Fails if a bzip2 file has many empty members. The decoder allocates megabytes for each of them,
/// although it has only fourteen bytes, and a file of nothing else would keep it busy for hours.
struct Members<R> {
    bytes: R,
    empty: usize,
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        let is_empty = |window: &&[u8]| window.starts_with(b"BZh") && window[4..] == EMPTY_MEMBER;
        self.empty += buffer[..length].windows(10).filter(is_empty).count();
        if self.empty > EMPTY_MEMBERS { Err(io::ErrorKind::InvalidData.into()) } else { Ok(length) }
    }
}

/// Checks that a compressed text that has become `unpacked` bytes from `packed` is not a
/// decompression bomb.
pub(crate) fn check_unpacked(packed: u64, unpacked: u64) -> Checked<()> {
    if unpacked <= TEXT || unpacked <= packed.saturating_mul(TEXT_FACTOR) { Ok(()) } else { Err(Refusal::Outsized) }
}
