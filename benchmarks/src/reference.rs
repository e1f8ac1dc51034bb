//! Results of other programs, measured once by the same judge on the same tables, at delta 1e-5.
//!
//! The authors' code was run with its rules and parameters as they are, one run per point; only its
//! inference was moved to the junction tree of the measured tables, which gives the same
//! distribution and needs no GPU. It was not run on acs at epsilon 1.6, and on adult at 3.2 its
//! last estimation was cut short.

/// All tables of the PrivMRF paper.
pub const TABLES: [&str; 4] = ["nltcs", "acs", "adult", "br2000"];
/// All epsilons of the PrivMRF paper.
pub const EPSILONS: [f64; 6] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
/// The delta of the PrivMRF paper.
pub const DELTA: f64 = 1e-5;

/// One run of the authors' code.
pub struct Reference {
    table: &'static str,
    epsilon: f64,
    /// Mean total variation distances for orders 3, 4 and 5.
    pub distances: [f64; 3],
    /// The misclassification rate on the judge's first fold.
    pub misclassified: Option<f64>,
}

/// Returns the run on this table at this epsilon, if there was one.
pub fn authors_code(table: &str, epsilon: f64) -> Option<&'static Reference> {
    let same = |reference: &&Reference| reference.table == table && (reference.epsilon - epsilon).abs() < 1e-9;
    AUTHORS_CODE.iter().find(same)
}

const fn run(table: &'static str, epsilon: f64, distances: [f64; 3], misclassified: Option<f64>) -> Reference {
    Reference { table, epsilon, distances, misclassified }
}

const AUTHORS_CODE: [Reference; 23] = [
    run("nltcs", 0.1, [0.024_983, 0.038_046, 0.056_299], Some(0.14904)),
    run("nltcs", 0.2, [0.013_475, 0.021_432, 0.031_378], None),
    run("nltcs", 0.4, [0.008_345, 0.012_811, 0.018_341], Some(0.13758)),
    run("nltcs", 0.8, [0.004_986, 0.008_254, 0.012_523], Some(0.13619)),
    run("nltcs", 1.6, [0.003_409, 0.005_465, 0.008_815], None),
    run("nltcs", 3.2, [0.002_485, 0.004_077, 0.006_424], Some(0.13556)),
    run("acs", 0.1, [0.015_961, 0.022_429, 0.031_525], Some(0.1163)),
    run("acs", 0.2, [0.011_506, 0.015_736, 0.021_047], None),
    run("acs", 0.4, [0.005_095, 0.007_618, 0.011_347], Some(0.11294)),
    run("acs", 0.8, [0.00395, 0.005_824, 0.008_259], Some(0.1117)),
    run("acs", 3.2, [0.001_771, 0.002_618, 0.004_075], None),
    run("adult", 0.1, [0.123_574, 0.196_388, 0.263_295], Some(0.37304)),
    run("adult", 0.2, [0.100_771, 0.166_119, 0.233_953], None),
    run("adult", 0.4, [0.088_563, 0.147_495, 0.213_194], Some(0.35878)),
    run("adult", 0.8, [0.045_819, 0.076_563, 0.121_304], Some(0.29513)),
    run("adult", 1.6, [0.03879, 0.06736, 0.109_976], None),
    run("adult", 3.2, [0.037_108, 0.064_613, 0.106_486], None),
    run("br2000", 0.1, [0.091_757, 0.136_734, 0.22516], Some(0.40033)),
    run("br2000", 0.2, [0.074_022, 0.110_662, 0.193_445], None),
    run("br2000", 0.4, [0.060_018, 0.093_721, 0.171_359], Some(0.37933)),
    run("br2000", 0.8, [0.025_817, 0.045_711, 0.081_586], Some(0.3354)),
    run("br2000", 1.6, [0.023_442, 0.041_951, 0.072_263], None),
    run("br2000", 3.2, [0.019_287, 0.037_064, 0.066_069], Some(0.32583)),
];

/// Errors without any method, for orders 3, 4 and 5: means of three draws.
pub struct Floor {
    /// The benchmark table.
    pub table: &'static str,
    /// Rows drawn from the product of the real columns: the error of knowing no relation.
    pub product: [f64; 3],
    /// Real rows drawn again with replacement: the error of a sample of the same size.
    pub bootstrap: [f64; 3],
}

/// The floors of the tables of the PrivMRF paper.
pub const FLOORS: [Floor; 4] = [
    Floor { table: "nltcs", product: [0.256_018, 0.32172, 0.374_539], bootstrap: [0.005_877, 0.008_146, 0.010_944] },
    Floor { table: "acs", product: [0.051_194, 0.095_639, 0.145_927], bootstrap: [0.003_973, 0.005_429, 0.006_972] },
    Floor { table: "adult", product: [0.167_293, 0.262_755, 0.352_357], bootstrap: [0.019_322, 0.033_169, 0.053_496] },
    Floor { table: "br2000", product: [0.117_078, 0.171_846, 0.271_371], bootstrap: [0.013_979, 0.025_093, 0.042_132] },
];

/// 3-way errors of packaged versions of MST at a point, one run each. There are no such figures of
/// AIM.
pub struct PackagedMst {
    /// The benchmark table.
    pub table: &'static str,
    /// The epsilon of the goal.
    pub epsilon: f64,
    /// The error of mbi.
    pub mbi: f64,
    /// The error of dpsynth, where it was run.
    pub dpsynth: Option<f64>,
    /// The lesser of the errors of dpmm and smartnoise, where they were run.
    others: Option<f64>,
}

impl PackagedMst {
    /// Returns the least of all errors.
    pub fn least(&self) -> f64 {
        [self.dpsynth, self.others].into_iter().flatten().fold(self.mbi, f64::min)
    }
}

const fn packaged(
    table: &'static str,
    epsilon: f64,
    mbi: f64,
    dpsynth: Option<f64>,
    others: Option<f64>,
) -> PackagedMst {
    PackagedMst { table, epsilon, mbi, dpsynth, others }
}

/// The points at which packaged versions of MST were run.
pub const PACKAGED_MST: [PackagedMst; 8] = [
    packaged("nltcs", 0.1, 0.13825, Some(0.14359), None),
    packaged("nltcs", 0.8, 0.14367, Some(0.14253), Some(0.12265)),
    packaged("nltcs", 3.2, 0.14191, Some(0.14178), None),
    packaged("acs", 0.8, 0.027, None, None),
    packaged("adult", 0.1, 0.116, Some(0.139), None),
    packaged("adult", 0.8, 0.08021, Some(0.08148), None),
    packaged("adult", 3.2, 0.077, Some(0.078), None),
    packaged("br2000", 0.8, 0.059, None, None),
];
