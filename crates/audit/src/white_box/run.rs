//! One fit on one of two tables.

use std::collections::BTreeMap;

use scumble_mechanisms::{Method, fit_audited};
use scumble_vault::audit::{Measured, PrivacyLoss};
use scumble_vault::{AccountingKind, ApproxDp, Cost};
use serde::{Deserialize, Serialize};

use super::pair::Pair;
use super::phase::Phase;
use crate::error::AuditError;

/// The losses of one fit, by phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Whether the neighbour was fitted.
    pub(super) neighbour: bool,
    pub(super) phases: BTreeMap<Phase, PhaseLoss>,
}

/// The losses of all releases of a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PhaseLoss {
    /// `ln P(values | neighbour) - ln P(values | table)`.
    pub(super) loss: f64,
    /// Cost of the phase, in the unit of the accounting.
    pub(super) cost: f64,
    /// The part of the cost that the distance of the two tables uses: what a perfect attacker
    /// could learn of it. Equal to the cost if every answer moved by its whole sensitivity.
    pub(super) used: f64,
}

impl Run {
    /// Fits one table of a pair.
    pub(super) fn new(pair: &Pair, method: &Method, goal: ApproxDp, measured: Measured) -> Result<Self, AuditError> {
        let [table, neighbour] = pair.open();
        let (_, losses) = fit_audited(pair.schema(), table, neighbour, measured, method, goal)?;
        Ok(Self::of_losses(&losses, method.accounting(goal), measured))
    }

    /// Sums up the losses of all releases of a run on one table.
    pub(super) fn of_losses(losses: &[PrivacyLoss], accounting: AccountingKind, measured: Measured) -> Self {
        let mut phases: BTreeMap<Phase, PhaseLoss> = BTreeMap::new();
        for loss in losses {
            phases.entry(Phase::of(loss.event())).or_default().add(loss, accounting);
        }
        Self { neighbour: measured == Measured::Neighbour, phases }
    }

    /// Returns the losses of all phases together.
    pub(super) fn whole(&self) -> PhaseLoss {
        let add = |sum: PhaseLoss, phase: &PhaseLoss| PhaseLoss {
            loss: sum.loss + phase.loss,
            cost: sum.cost + phase.cost,
            used: sum.used + phase.used,
        };
        self.phases.values().fold(PhaseLoss::default(), add)
    }
}

impl PhaseLoss {
    fn add(&mut self, release: &PrivacyLoss, accounting: AccountingKind) {
        self.loss += release.loss();
        let cost = release.event().cost(accounting).map_or(0.0, Cost::to_f64);
        self.cost += cost;
        let used = release.used().min(1.0);
        // Costs under pure accounting grow with the distance, the others with its square.
        self.used += cost * if accounting == AccountingKind::Pure { used } else { used * used };
    }
}
