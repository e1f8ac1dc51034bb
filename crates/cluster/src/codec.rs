//! Serialises our functions and our CSV scan in plans; everything else is Ballista's.

use std::any::Any;
use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::from_proto::{parse_protobuf_file_scan_config, parse_table_schema_from_proto};
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::FileScanExecConf;
use prost::Message;
use scumble_engine::remote::{self, TextLayout};

use crate::kept::ReadKept;
use crate::sample::WritePart;

/// First bytes of a CSV scan. Those of Ballista begin with the tag of a Protobuf field, which this
/// is not.
const CSV: &[u8] = b"scumble csv\0";
/// First bytes of a node of the engine.
const NODE: &[u8] = b"scumble node\0";
/// A node that reads kept rows.
const KEPT: &[u8] = b"scumble kept\0";

/// Serialises what only Scumble has.
#[derive(Debug, Default)]
pub(crate) struct Codec(BallistaPhysicalExtensionCodec);

impl PhysicalExtensionCodec for Codec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if node.downcast_ref::<ReadKept>().is_some() {
            bytes.extend_from_slice(KEPT);
            return Ok(());
        }
        if let Some(written) = remote::write_node(node.as_ref()) {
            bytes.extend_from_slice(NODE);
            bytes.extend_from_slice(written);
            return Ok(());
        }
        let Some((scan, layout)) = csv_scan(node.as_ref()) else {
            return self.0.try_encode(node, bytes, converter);
        };
        bytes.extend_from_slice(CSV);
        bytes.extend_from_slice(&layout.to_bytes());
        bytes.push(compression_number(scan.file_compression_type));
        serialize_file_scan_config(scan, self, converter)?
            .encode(bytes)
            .map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let (KEPT, [reader]) = (bytes, inputs) {
            return Ok(Arc::new(ReadKept::new(Arc::clone(reader))));
        }
        if let Some(written) = bytes.strip_prefix(NODE) {
            return remote::read_node(written, inputs);
        }
        let Some(written) = bytes.strip_prefix(CSV) else {
            return self.0.try_decode(bytes, inputs, context, converter);
        };
        let bad = || plan_datafusion_err!("not a CSV scan of Scumble");
        let (layout, written) = written.split_first_chunk().ok_or_else(bad)?;
        let layout = TextLayout::from_bytes(*layout);
        let (compression, scan) = written.split_first().ok_or_else(bad)?;
        let compression = compression_of(*compression).ok_or_else(bad)?;
        let scan = FileScanExecConf::decode(scan).map_err(|_| bad())?;
        let source = remote::csv_source(parse_table_schema_from_proto(&scan)?, layout);
        let context = PhysicalPlanDecodeContext::new(context, self);
        let scan = parse_protobuf_file_scan_config(&scan, &context, converter, source)?;
        let scan = FileScanConfigBuilder::from(scan).with_file_compression_type(compression).build();
        Ok(DataSourceExec::from_data_source(scan))
    }

    fn try_encode_udf(&self, function: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
        if let Some(part) = (function.inner().as_ref() as &dyn Any).downcast_ref::<WritePart>() {
            bytes.extend(part.to_bytes());
        } else if let Some(written) = remote::write_function(function) {
            bytes.extend(written);
        } else {
            self.0.try_encode_udf(function, bytes)?;
        }
        Ok(())
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        if bytes.is_empty() {
            return self.0.try_decode_udf(name, bytes);
        }
        if name == WritePart::NAME {
            return Ok(Arc::new(ScalarUDF::new_from_impl(WritePart::from_bytes(bytes)?)));
        }
        remote::read_function(bytes).map(Arc::new)
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, bytes: &mut Vec<u8>) -> Result<()> {
        match remote::write_aggregate(function) {
            Some(written) => bytes.extend(written),
            None => self.0.try_encode_udaf(function, bytes)?,
        }
        Ok(())
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        if bytes.is_empty() {
            return self.0.try_decode_udaf(name, bytes);
        }
        remote::read_aggregate(bytes).map(Arc::new)
    }

    fn try_encode_udwf(&self, function: &WindowUDF, bytes: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udwf(function, bytes)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.0.try_decode_udwf(name, bytes)
    }
}

/// Returns the scan and the layout of its files, if `node` is our CSV scan.
fn csv_scan(node: &dyn ExecutionPlan) -> Option<(&FileScanConfig, TextLayout)> {
    let source: &dyn Any = node.downcast_ref::<DataSourceExec>()?.data_source().as_ref();
    let scan = source.downcast_ref::<FileScanConfig>()?;
    Some((scan, remote::csv_layout(scan.file_source().as_ref())?))
}

const COMPRESSIONS: [FileCompressionType; 5] = [
    FileCompressionType::UNCOMPRESSED,
    FileCompressionType::GZIP,
    FileCompressionType::BZIP2,
    FileCompressionType::XZ,
    FileCompressionType::ZSTD,
];

fn compression_number(compression: FileCompressionType) -> u8 {
    let place = COMPRESSIONS.iter().position(|known| *known == compression);
    u8::try_from(place.expect("all ways to pack a file are listed")).expect("they are few")
}

fn compression_of(number: u8) -> Option<FileCompressionType> {
    COMPRESSIONS.get(usize::from(number)).copied()
}
