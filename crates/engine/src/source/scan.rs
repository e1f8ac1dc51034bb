//! Files as DataFusion tables: one scan per group of files whose columns have the same types.
//!
//! DataFusion would read files of different types as one table and cast the values of some of them,
//! and a cast can fail on a value. Here every group is encoded from its own types, and only the
//! codes are combined.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::datasource::TableType;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    ArrowSource, FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use object_store::ObjectMeta;
use object_store::path::Path as StorePath;
use scumble_schema::Schema as TableSchema;

use crate::codes::encode::supports;
use crate::error::{ColumnProblem, EngineError};
use crate::source::csv::CsvSource;
use crate::source::inspect::{FileColumns, Layout, not_unicode, parquet_format};

/// Files that one scan reads.
#[derive(Debug)]
pub(crate) struct FileScan {
    store: ObjectStoreUrl,
    layout: Layout,
    compression: FileCompressionType,
    /// The columns to read; all columns for Arrow files, whose readers select columns by position.
    columns: SchemaRef,
    files: Vec<PartitionedFile>,
}

impl FileScan {
    /// Creates a scan of the Parquet files of a spill, which all have these columns.
    pub(crate) fn of_spill(columns: SchemaRef, files: &[PathBuf]) -> std::result::Result<Self, EngineError> {
        let part = |path: &PathBuf| {
            let refused = |error| EngineError::refused(path, &error);
            let file = std::fs::metadata(path).map_err(refused)?;
            Ok(PartitionedFile::new_from_meta(ObjectMeta {
                location: StorePath::from_absolute_path(path).map_err(|_| not_unicode(&path.display().to_string()))?,
                last_modified: file.modified().map_err(refused)?.into(),
                size: file.len(),
                e_tag: None,
                version: None,
            }))
        };
        let files = files.iter().map(part).collect::<std::result::Result<_, EngineError>>()?;
        let (store, compression) = (ObjectStoreUrl::local_filesystem(), FileCompressionType::UNCOMPRESSED);
        Ok(Self { store, layout: Layout::Parquet, compression, columns, files })
    }
}

/// Groups the files into scans, after checking that each has every column of the schema in a
/// supported type.
pub(crate) fn scans(files: Vec<FileColumns>, schema: &TableSchema) -> std::result::Result<Vec<FileScan>, EngineError> {
    let mut scans: Vec<FileScan> = vec![];
    for file in files {
        let fields = schema_columns(&file, schema)?;
        let columns: SchemaRef = match file.layout {
            Layout::Csv(_) | Layout::Parquet => Arc::new(Schema::new(fields)),
            Layout::ArrowFile | Layout::ArrowStream => Arc::clone(&file.columns),
        };
        let part = PartitionedFile::new_from_meta(file.meta);
        let same = |scan: &&mut FileScan| {
            (&scan.store, scan.layout, scan.compression) == (&file.store, file.layout, file.compression)
                && scan.columns == columns
        };
        if let Some(scan) = scans.iter_mut().find(same) {
            scan.files.push(part);
        } else {
            let FileColumns { store, layout, compression, .. } = file;
            scans.push(FileScan { store, layout, compression, columns, files: vec![part] });
        }
    }
    Ok(scans)
}

/// Returns the columns of the schema, with the types in `file`.
fn schema_columns(file: &FileColumns, schema: &TableSchema) -> std::result::Result<Vec<Field>, EngineError> {
    schema
        .columns_read()
        .map(|name| {
            let fail = |problem| EngineError::Schema { path: file.shown.clone(), column: name.to_owned(), problem };
            let found = file.positions.get(name).into_iter().flatten();
            let names = file.columns.fields().iter().map(|field| field.name().as_str());
            let field = file.columns.field(*ColumnProblem::find_unique(found, name, names).map_err(fail)?);
            if supports(field.data_type()) {
                Ok(field.clone())
            } else {
                Err(fail(ColumnProblem::Type(short_name(field.data_type()))))
            }
        })
        .collect()
}

/// Returns the type's name without its nested types, which can be long.
fn short_name(data_type: &DataType) -> String {
    let name = data_type.to_string();
    name.split(['(', '<', '{']).next().unwrap_or_default().trim().to_owned()
}

#[async_trait]
impl TableProvider for FileScan {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.columns)
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
            Layout::Csv(layout) => Arc::new(CsvSource::new(Arc::clone(&self.columns), layout)),
            Layout::Parquet => parquet_format(state).file_source(Arc::clone(&self.columns).into()),
            Layout::ArrowFile => Arc::new(ArrowSource::new_file_source(Arc::clone(&self.columns))),
            Layout::ArrowStream => Arc::new(ArrowSource::new_stream_file_source(Arc::clone(&self.columns))),
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
