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
use url::Url;

/// Local files, and S3 buckets that are configured with `AWS_ENDPOINT`, `AWS_REGION`,
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and related variables. Plain HTTP requires
/// `AWS_ALLOW_HTTP=true`.
#[derive(Debug, Default)]
pub struct Stores {
    local: DefaultObjectStoreRegistry,
    buckets: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.local.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.local.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let (true, Some(bucket)) = (url.scheme() == "s3", url.host_str()) else { return self.local.get_store(url) };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = buckets.get(bucket) {
            return Ok(Arc::clone(store));
        }
        let store = AmazonS3Builder::from_env().with_bucket_name(bucket).build();
        let store: Arc<dyn ObjectStore> =
            Arc::new(store.map_err(|error| DataFusionError::ObjectStore(Box::new(error)))?);
        buckets.insert(bucket.to_owned(), Arc::clone(&store));
        Ok(store)
    }
}
