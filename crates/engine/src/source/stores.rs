//! Object stores by their URLs.
//!
//! A plan names files by the URL of their store. Coordinator and executors each open that store
//! with their own keys, from the environment; a plan never contains a key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use url::{Position, Url};

/// Local files, and buckets and containers whose addresses begin with:
///
/// * `s3://`: Amazon S3, and all that speak its protocol, with `AWS_ENDPOINT`, `AWS_REGION`,
///   `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and related variables. Plain HTTP requires
///   `AWS_ALLOW_HTTP=true`;
/// * `gs://`: Google Cloud Storage, with `GOOGLE_SERVICE_ACCOUNT` and related variables;
/// * `az://`, `abfs://`, `abfss://`: Azure, with `AZURE_STORAGE_ACCOUNT_NAME`,
///   `AZURE_STORAGE_ACCOUNT_KEY` and related variables.
#[derive(Debug, Default)]
pub struct Stores {
    local: DefaultObjectStoreRegistry,
    /// Stores by their URL, without a path.
    opened: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.local.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.local.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let address = &url[..Position::BeforePath];
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = opened.get(address) {
            return Ok(Arc::clone(store));
        }
        let Some(store) = open(url.scheme(), address) else { return self.local.get_store(url) };
        let store = store.map_err(|error| DataFusionError::ObjectStore(Box::new(error)))?;
        opened.insert(address.to_owned(), Arc::clone(&store));
        Ok(store)
    }
}

/// Opens the store at an address, with keys from the environment; `None` if it is not in a cloud.
fn open(scheme: &str, address: &str) -> Option<object_store::Result<Arc<dyn ObjectStore>>> {
    fn shared<S: ObjectStore>(store: object_store::Result<S>) -> object_store::Result<Arc<dyn ObjectStore>> {
        store.map(|store| Arc::new(store) as _)
    }
    Some(match scheme {
        "s3" => shared(AmazonS3Builder::from_env().with_url(address).build()),
        "gs" => shared(GoogleCloudStorageBuilder::from_env().with_url(address).build()),
        "az" | "abfs" | "abfss" => shared(MicrosoftAzureBuilder::from_env().with_url(address).build()),
        _ => return None,
    })
}
