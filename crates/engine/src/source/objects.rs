//! Parquet files in object stores: finds the objects of a URL, and reads their columns.
//!
//! Only the footer of an object is read here, and [checked](crate::source::guard). Its pages are
//! not: each would be a request, and a large table has hundreds of thousands. So a file in an
//! object store must come from a trusted source: a decompression bomb can crash the process that
//! reads it.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use datafusion::parquet::file::metadata::ParquetMetaDataReader;
use futures::TryStreamExt;
use futures::future::try_join_all;
use object_store::path::Path as StorePath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::error::{Damage, EngineError};
use crate::source::delta_table;
use crate::source::guard::{TAIL, check_footer_bytes, footer_start};
use crate::source::input::{ICEBERG_METADATA, OBJECTS, other_table};
use crate::source::inspect::{FileColumns, Layout, check_names, parquet_format, positions};
use crate::source::path_columns::{PathColumns, is_hidden, object_columns, shown_object};

/// Returns the columns of all objects that `urls` name, in their order and sorted within each.
pub(crate) async fn inspect(state: &dyn Session, urls: &[String]) -> Result<Vec<FileColumns>, EngineError> {
    let (mut files, mut seen) = (vec![], HashSet::new());
    for url in urls {
        let place = Place::parse(url)?;
        let store = state.runtime_env().object_store(&place.store).map_err(|_| no_store(url))?;
        let named = place.location.parts().count();
        for (meta, path_columns) in place.objects(&store, url).await? {
            let shown = format!("{}{}", place.store.as_str(), shown_object(&meta.location, named));
            if !seen.insert((place.store.clone(), meta.location.clone())) {
                return Err(EngineError::named_twice(&shown));
            }
            let columns = columns(state, &store, &meta, &shown).await?;
            files.push(FileColumns {
                shown,
                store: place.store.clone(),
                path_columns,
                meta,
                layout: Layout::Parquet,
                compression: FileCompressionType::UNCOMPRESSED,
                positions: positions(&columns),
                columns,
            });
        }
    }
    Ok(files)
}

/// Returns the version that is the newest now, if `url` names a Delta table without one.
pub(crate) async fn newest_version(state: &dyn Session, url: &str) -> Result<Option<u64>, EngineError> {
    let place = Place::parse(url)?;
    if !place.is_prefix || place.version.is_some() {
        return Ok(None);
    }
    let store = state.runtime_env().object_store(&place.store).map_err(|_| no_store(url))?;
    let log = place.log(place.list(&store, url, &place.location.clone().join(delta_table::LOG)).await?.iter());
    if log.is_empty() { Ok(None) } else { Ok(Some(delta_table::log_files(url, log.into_iter(), None)?.version)) }
}

/// The objects that a URL names.
struct Place {
    store: ObjectStoreUrl,
    location: StorePath,
    is_prefix: bool,
    /// Version of a Delta table.
    version: Option<u64>,
}

impl Place {
    fn parse(url: &str) -> Result<Self, EngineError> {
        let bad = || {
            EngineError::config(
                format!("`{url}` is not the address of an object"),
                "write `s3://bucket/path/people.parquet`, or `s3://bucket/path/` for all Parquet files below it",
            )
        };
        let scheme = OBJECTS.into_iter().find(|scheme| url.starts_with(scheme)).ok_or_else(bad)?;
        let rest = &url[scheme.len()..];
        let (rest, version) =
            delta_table::split_version(rest).map_or((rest, None), |(rest, version)| (rest, Some(version)));
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        // `container@account.dfs.core.windows.net` is right, `container:key@...` is a leak.
        if bucket.contains(':') {
            return Err(bad());
        }
        let store = ObjectStoreUrl::parse(format!("{scheme}{bucket}")).map_err(|_| bad())?;
        let is_prefix = key.is_empty() || key.ends_with('/') || version.is_some();
        // A key may begin or end with empty segments. `Path` would drop them and so name another
        // object.
        let has_empty_ends = key.starts_with('/') || key.ends_with("//");
        if bucket.is_empty() || has_empty_ends || !(is_prefix || is_parquet(key)) {
            return Err(bad());
        }
        Ok(Self { store, location: StorePath::parse(key).map_err(|_| bad())?, is_prefix, version })
    }

    async fn list(
        &self,
        store: &Arc<dyn ObjectStore>,
        url: &str,
        prefix: &StorePath,
    ) -> Result<Vec<ObjectMeta>, EngineError> {
        let listed: Result<Vec<ObjectMeta>, _> = store.list(Some(prefix)).try_collect().await;
        listed.map_err(|error| of_store(url, error))
    }

    /// Returns the objects with the columns that they may lack.
    async fn objects(
        &self,
        store: &Arc<dyn ObjectStore>,
        url: &str,
    ) -> Result<Vec<(ObjectMeta, PathColumns)>, EngineError> {
        if !self.is_prefix {
            let meta = store.head(&self.location).await.map_err(|error| of_store(url, error))?;
            let columns = object_columns(&meta.location, self.location.parts().count());
            return Ok(vec![(meta, columns)]);
        }
        let mut objects = self.list(store, url, &self.location).await?;
        let log = self.log(objects.iter());
        if !log.is_empty() {
            return self.objects_of_version(store, url, log).await;
        }
        if self.version.is_some() {
            return Err(delta_table::not_a_table(url));
        }
        self.refuse_tables(&objects)?;
        let below = self.location.parts().count();
        objects.retain(|object| {
            let parts = object.location.parts().count();
            let found = object.location.parts().enumerate().skip(below);
            let mut hidden = found.map(|(place, part)| is_hidden(part.as_ref(), place + 1 < parts));
            !hidden.any(|is_hidden| is_hidden) && is_parquet(object.location.as_ref())
        });
        if objects.is_empty() {
            return Err(EngineError::config(format!("`{url}` holds no Parquet file"), "check the address"));
        }
        objects.sort_unstable_by(|one, other| one.location.cmp(&other.location));
        // A listing may give another date and tag than the object itself, which is queried again
        // later.
        let heads = objects.iter().map(|object| store.head(&object.location));
        let heads = try_join_all(heads).await.map_err(|error| of_store(url, error))?;
        let with_columns = |meta: ObjectMeta| {
            let columns = object_columns(&meta.location, below);
            (meta, columns)
        };
        Ok(heads.into_iter().map(with_columns).collect())
    }

    /// Returns the names in the log of a Delta table at this place; none, if it is no such table.
    fn log<'a>(&self, objects: impl Iterator<Item = &'a ObjectMeta>) -> Vec<String> {
        let log = self.location.clone().join(delta_table::LOG);
        let name = |object: &ObjectMeta| {
            let mut rest = object.location.prefix_match(&log)?;
            let name = rest.next()?;
            rest.next().is_none().then(|| name.as_ref().to_owned())
        };
        objects.filter_map(name).collect()
    }

    /// Returns the objects of a version of the Delta table at this place.
    async fn objects_of_version(
        &self,
        store: &Arc<dyn ObjectStore>,
        url: &str,
        log: Vec<String>,
    ) -> Result<Vec<(ObjectMeta, PathColumns)>, EngineError> {
        let files = delta_table::log_files(url, log.into_iter(), self.version)?;
        let of_log = |name: &String| {
            let location = self.location.clone().join(delta_table::LOG).join(name.as_str());
            async move { store.get(&location).await?.bytes().await }
        };
        let checkpoint =
            try_join_all(files.checkpoint.iter().map(of_log)).await.map_err(|error| of_store(url, error))?;
        let commits = try_join_all(files.commits.iter().map(of_log)).await.map_err(|error| of_store(url, error))?;
        let snapshot = delta_table::replayed(url, files.version, checkpoint, &commits)?;
        let heads = snapshot.files.iter().map(|file| async {
            let below = StorePath::parse(&file.path)?;
            let location = self.location.parts().chain(below.parts()).collect();
            store.head(&location).await
        });
        let metas = try_join_all(heads).await.map_err(|error| match error {
            object_store::Error::NotFound { .. } => delta_table::without_files(url, snapshot.version),
            error => of_store(url, error),
        })?;
        Ok(metas.into_iter().zip(snapshot.files.into_iter().map(|file| file.columns)).collect())
    }

    /// Refuses objects that are files of several versions of a table.
    fn refuse_tables(&self, objects: &[ObjectMeta]) -> Result<(), EngineError> {
        let named = self.location.parts().count();
        for object in objects {
            let parts: Vec<String> = object.location.parts().map(|part| part.as_ref().to_owned()).collect();
            let Some((name, directories)) = parts.split_last() else { continue };
            let place = |directory: &str| directories.iter().skip(named).position(|part| part == directory);
            let of_iceberg = place("metadata").filter(|_| name.ends_with(ICEBERG_METADATA));
            let found =
                [(place(delta_table::LOG), None), (place(".hoodie"), Some("Hudi")), (of_iceberg, Some("Iceberg"))];
            for (place, kind) in found {
                let Some(place) = place else { continue };
                let table: StorePath = object.location.parts().take(named + place).collect();
                let shown = format!("{}{}/", self.store.as_str(), shown_object(&table, named));
                return Err(match kind {
                    None => delta_table::inside_a_table(&shown),
                    Some(kind) => other_table(kind, &shown),
                });
            }
        }
        Ok(())
    }
}

fn is_parquet(key: &str) -> bool {
    let extension = key.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| extension == "parquet" || extension == "pq")
}

fn no_store(url: &str) -> EngineError {
    let hint = keys_hint(url).unwrap_or("check the address");
    EngineError::config(format!("the object store of `{url}` cannot be opened"), hint)
}

/// Returns how to give the keys of the object store at an address; `None` for other inputs.
pub(crate) fn keys_hint(address: &str) -> Option<&'static str> {
    let scheme = OBJECTS.into_iter().find(|scheme| address.starts_with(scheme))?;
    Some(match scheme {
        "s3://" => {
            "check its address and keys: AWS_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; \
             SSL_CERT_FILE names the certificate of an authority of your own"
        }
        "gs://" => {
            "check the address, and the file of a service account in GOOGLE_SERVICE_ACCOUNT, or log in by `gcloud auth \
             application-default login`"
        }
        _ => "check the address, and the account and key in AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    })
}

fn of_store(shown: &str, error: object_store::Error) -> EngineError {
    match EngineError::reading(shown, &DataFusionError::ObjectStore(Box::new(error)), Damage::Damaged) {
        // Any other error of a store about an object is a problem of the store.
        EngineError::Engine { .. } => no_store(shown),
        error => error,
    }
}

async fn columns(
    state: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    meta: &ObjectMeta,
    shown: &str,
) -> Result<Arc<datafusion::arrow::datatypes::Schema>, EngineError> {
    let not_parquet = || EngineError::Engine { path: shown.into(), problem: Damage::NotParquet };
    let refused = |refusal: crate::source::guard::Refusal| refusal.in_file(shown, Damage::NotParquet);
    let tail_at = meta.size.checked_sub(TAIL).ok_or_else(not_parquet)?;
    let tail = store.get_range(&meta.location, tail_at..meta.size).await.map_err(|error| of_store(shown, error))?;
    let tail = tail.as_ref().try_into().map_err(|_| not_parquet())?;
    let start = footer_start(meta.size, tail).map_err(refused)?;
    let footer = store.get_range(&meta.location, start..tail_at).await.map_err(|error| of_store(shown, error))?;
    check_footer_bytes(&footer).map_err(refused)?;
    let metadata = ParquetMetaDataReader::decode_metadata(&footer).map_err(|_| not_parquet())?;
    let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::new());
    check_names(shown, metadata.map_err(|_| not_parquet())?.schema())?;
    let columns = parquet_format(state).infer_schema(state, store, std::slice::from_ref(meta)).await;
    columns.map_err(|error| EngineError::reading(shown, &error, Damage::NotParquet))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_parquet_file_or_a_prefix() {
        for (url, bucket, location, is_prefix) in [
            ("s3://lake/people.parquet", "s3://lake/", "people.parquet", false),
            ("s3://lake/a/b.c/PEOPLE.PQ", "s3://lake/", "a/b.c/PEOPLE.PQ", false),
            ("s3://lake/people/", "s3://lake/", "people", true),
            ("s3://lake", "s3://lake/", "", true),
            ("s3://lake/people/@v12", "s3://lake/", "people", true),
            ("s3://lake/people@v12", "s3://lake/", "people", true),
            ("gs://lake/people/@v12", "gs://lake/", "people", true),
            ("az://lake/people.parquet", "az://lake/", "people.parquet", false),
            (
                "abfss://lake@account.dfs.core.windows.net/people/",
                "abfss://lake@account.dfs.core.windows.net/",
                "people",
                true,
            ),
        ] {
            let place = Place::parse(url).unwrap();
            assert_eq!((place.store.as_str(), place.location.as_ref()), (bucket, location), "{url}");
            assert_eq!(place.is_prefix, is_prefix, "{url}");
            assert_eq!(place.version, url.ends_with("@v12").then_some(12), "{url}");
        }
        for url in [
            "s3://",
            "s3:///people.parquet",
            "s3://lake/people",
            "gcs://lake/people/",
            "abfss://lake:key@account.dfs.core.windows.net/people/",
            "s3://lake/people@v",
            "s3://lake/people@v1x",
            "s3://lake/people.csv",
            "s3://lake//a.parquet",
            "s3://lake//",
            "s3://lake/a//",
            "s3://lake/a//b.parquet",
        ] {
            assert!(Place::parse(url).is_err(), "{url}");
        }
    }
}
