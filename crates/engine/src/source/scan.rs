//! Files as DataFusion tables: one scan per group of files whose columns have the same types.
//!
//! DataFusion would read files of different types as one table and cast the values of some of them,
//! and a cast can fail on a value. Here every group is encoded from its own types, and only the
//! codes are combined. A column in the path of a file is a constant of that file.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::TableType;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    ArrowSource, FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use scumble_schema::Schema as RowSchema;

use crate::codes::encode::supports;
use crate::error::{ColumnProblem, EngineError};
use crate::source::csv::{CsvSource, TextLayout};
use crate::source::inspect::{FileColumns, Layout, parquet_format};
use crate::source::path_columns::{object_columns, path_field};

/// Files that one scan reads.
///
/// `Debug` prints no path, which may hold a value.
pub(crate) struct FileScan {
    store: ObjectStoreUrl,
    layout: Layout,
    compression: FileCompressionType,
    /// The columns to read from the files, then those in their paths. For Arrow files, and for text
    /// without a header, the former are all columns, because their readers select columns by
    /// position.
    columns: TableSchema,
    files: Vec<PartitionedFile>,
}

impl fmt::Debug for FileScan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns.table_schema();
        formatter
            .debug_struct("FileScan")
            .field("layout", &self.layout)
            .field("columns", columns)
            .finish_non_exhaustive()
    }
}

/// Groups the files into scans, after checking that each has every column of the schema in a
/// supported type. Directories do not separate them: files whose paths have other values are in one
/// scan.
pub(crate) fn scans(files: Vec<FileColumns>, schema: &RowSchema) -> std::result::Result<Vec<FileScan>, EngineError> {
    let mut scans: Vec<FileScan> = vec![];
    for file in files {
        let ReadColumns { fields, path_fields, path_values } = ReadColumns::find(&file, schema)?;
        let columns: SchemaRef = match file.layout {
            Layout::Csv(TextLayout { has_header: true, .. }) | Layout::Parquet => Arc::new(Schema::new(fields)),
            Layout::Csv(_) | Layout::ArrowFile | Layout::ArrowStream => Arc::clone(&file.columns),
        };
        let part = PartitionedFile::new_from_meta(file.meta).with_partition_values(path_values);
        let same = |scan: &&mut FileScan| {
            (&scan.store, scan.layout, scan.compression) == (&file.store, file.layout, file.compression)
                && *scan.columns.file_schema() == columns
                && *scan.columns.table_partition_cols() == path_fields
        };
        if let Some(scan) = scans.iter_mut().find(same) {
            scan.files.push(part);
        } else {
            let FileColumns { store, layout, compression, .. } = file;
            let columns = TableSchema::builder(columns).with_table_partition_cols(path_fields).build();
            scans.push(FileScan { store, layout, compression, columns, files: vec![part] });
        }
    }
    Ok(scans)
}

/// The columns of the schema, with their places in one file.
struct ReadColumns {
    /// Those in the file, with their types.
    fields: Vec<Field>,
    /// Those in its path.
    path_fields: Fields,
    path_values: Vec<ScalarValue>,
}

impl ReadColumns {
    fn find(file: &FileColumns, schema: &RowSchema) -> std::result::Result<Self, EngineError> {
        let (mut fields, mut path_fields, mut path_values) = (vec![], vec![], vec![]);
        for name in schema.columns_read() {
            let fail = |problem| file.fail(name, problem);
            let found = file.positions.get(name).map(Vec::as_slice).unwrap_or_default();
            if found.is_empty()
                && let Some(value) = file.path_columns.value(name).map_err(fail)?
            {
                path_fields.push(path_field(name));
                path_values.push(value);
                continue;
            }
            let names = file.columns.fields().iter().map(|field| field.name().as_str());
            let names = names.chain(file.path_columns.names());
            let position = ColumnProblem::find_unique(found.iter(), name, names).map_err(|problem| {
                // Directories below an input were looked at, so this one is above it.
                let is_above = || object_columns(&file.meta.location, 0).names().any(|above| above == name);
                fail(if found.is_empty() && is_above() { ColumnProblem::InNamedPath } else { problem })
            })?;
            let field = file.columns.field(*position);
            if !supports(field.data_type()) {
                return Err(fail(ColumnProblem::Type(short_name(field.data_type()))));
            }
            fields.push(field.clone());
        }
        Ok(Self { fields, path_fields: path_fields.into(), path_values })
    }
}

/// Returns the type's name without its nested types, which can be long.
pub(super) fn short_name(data_type: &DataType) -> String {
    let name = data_type.to_string();
    name.split(['(', '<', '{']).next().unwrap_or_default().trim().to_owned()
}

#[async_trait]
impl TableProvider for FileScan {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.columns.table_schema())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let source: Arc<dyn FileSource> = match self.layout {
            Layout::Csv(layout) => Arc::new(CsvSource::new(self.columns.clone(), layout)),
            Layout::Parquet => parquet_format(state).file_source(self.columns.clone()),
            Layout::ArrowFile => Arc::new(ArrowSource::new_file_source(self.columns.clone())),
            Layout::ArrowStream => Arc::new(ArrowSource::new_stream_file_source(self.columns.clone())),
        };
        let groups = FileGroup::new(self.files.clone()).split_files(state.config().target_partitions());
        let config: FileScanConfig = FileScanConfigBuilder::new(self.store.clone(), source)
            .with_file_groups(groups)
            .with_file_compression_type(self.compression)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        match self.layout {
            Layout::Parquet => parquet_format(state).create_physical_plan(state, config).await,
            _ => Ok(DataSourceExec::from_data_source(config)),
        }
    }
}
