//! The certificate.

use scumble_vault::Certificate;

use crate::message;

/// A certificate is read back without a change, and one that verifies claims no less than its
/// events cost, and no more than its goal.
pub fn certificate(bytes: &[u8]) {
    let Ok(certificate) = serde_json::from_slice::<Certificate>(bytes) else { return };
    let written = serde_json::to_string(&certificate).expect("a certificate has a JSON form");
    let again: Certificate = serde_json::from_str(&written).expect("what was written is read");
    assert_eq!(again, certificate, "it is another certificate when written as {written}");
    let verified = certificate.verify();
    assert_eq!(verified.is_ok(), again.verify().is_ok());
    if let Err(error) = verified {
        message::check_error(error);
        return;
    }
    let (accounting, total) = (certificate.accounting(), certificate.total().quanta);
    let costs = certificate.events().iter().map(|event| event.cost(accounting).map(|cost| cost.quanta));
    let sum = costs.reduce(|sum, cost| sum?.checked_add(cost?)).unwrap_or(Some(0));
    assert_eq!(sum, Some(total), "the total is not the sum of the costs");
    assert!(certificate.epsilon() <= certificate.goal().epsilon, "the claim is above the goal");
    assert!(certificate.delta() <= certificate.goal().delta, "the delta is above that of the goal");
    // Thresholds take their part of delta, so the noise alone is within what is claimed.
    let of_noise = accounting.epsilon(total, certificate.delta()).expect("the total has an epsilon");
    let claimed = certificate.epsilon().get();
    assert!(of_noise.get() <= claimed * (1.0 + 1e-9) + f64::MIN_POSITIVE, "{of_noise:?} is above {claimed}");
}
