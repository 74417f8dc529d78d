//! What the paper compares, and the methods that stand for it here.

use queuecast_wait::Regression;

/// A column of the paper's tables, or a baseline beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedMethod {
    /// QBETS: the bound on the 0.95 quantile.
    Qbets,
    /// Instance-based learning, with the support vector machine for classes: the paper's extended version.
    Ibl,
    /// Instance-based learning with quick starters first. Not in the paper: what is due to nearest neighbours alone.
    IblQuick,
    /// Quick starters, nearest neighbours and the support vector machine: the whole framework.
    Framework,
    /// Nearest neighbours and the support vector machine, without quick starters.
    Neighbours,
    /// Weighted average over nearest neighbours, for Table 3.
    Average,
    /// Regressions over nearest neighbours, for Table 3.
    Linear,
    /// By polynomials.
    Polynomial,
    /// By radial basis functions.
    Radial,
    /// By sigmoids.
    Sigmoid,
    /// No wait: always the first class.
    Zero,
}

impl ComparedMethod {
    /// All of them.
    #[cfg(test)]
    pub const ALL: [ComparedMethod; 11] = [
        ComparedMethod::Qbets,
        ComparedMethod::Ibl,
        ComparedMethod::IblQuick,
        ComparedMethod::Framework,
        ComparedMethod::Neighbours,
        ComparedMethod::Average,
        ComparedMethod::Linear,
        ComparedMethod::Polynomial,
        ComparedMethod::Radial,
        ComparedMethod::Sigmoid,
        ComparedMethod::Zero,
    ];

    /// The techniques of Table 3 that are regressions, the longest work first.
    pub const REGRESSIONS: [(ComparedMethod, Regression); 4] = [
        (ComparedMethod::Polynomial, Regression::Polynomial),
        (ComparedMethod::Radial, Regression::Radial),
        (ComparedMethod::Sigmoid, Regression::Sigmoid),
        (ComparedMethod::Linear, Regression::Linear),
    ];

    /// The techniques of Table 3, in its order.
    pub const TECHNIQUES: [ComparedMethod; 5] = [
        ComparedMethod::Average,
        ComparedMethod::Linear,
        ComparedMethod::Polynomial,
        ComparedMethod::Radial,
        ComparedMethod::Sigmoid,
    ];

    /// What predicts waits.
    pub const PREDICTORS: [ComparedMethod; 5] = [
        ComparedMethod::Qbets,
        ComparedMethod::Ibl,
        ComparedMethod::Neighbours,
        ComparedMethod::Framework,
        ComparedMethod::IblQuick,
    ];

    /// The wait predictor by name, for a log of completed jobs.
    #[cfg(test)]
    pub fn spec(self) -> &'static str {
        match self {
            ComparedMethod::Qbets => "qbets:groups=request,misses=3",
            ComparedMethod::Ibl => "ranges:point=ibl,width=0.12,overruns",
            ComparedMethod::IblQuick => "ranges:point=ibl,width=0.12,overruns,quick",
            ComparedMethod::Framework => "ranges:distance=element,overruns,quick",
            ComparedMethod::Neighbours => "ranges:distance=element,overruns",
            ComparedMethod::Average => "knn:distance=element,overruns",
            ComparedMethod::Linear => "knn:distance=element,overruns,by=linear",
            ComparedMethod::Polynomial => "knn:distance=element,overruns,by=poly",
            ComparedMethod::Radial => "knn:distance=element,overruns,by=rbf",
            ComparedMethod::Sigmoid => "knn:distance=element,overruns,by=sigmoid",
            ComparedMethod::Zero => "zero",
        }
    }

    /// The heading of its rows.
    pub fn row(self) -> &'static str {
        match self {
            ComparedMethod::Qbets => "QBETS",
            ComparedMethod::Ibl => "IBL",
            ComparedMethod::IblQuick => "IBL, quick starters first",
            ComparedMethod::Framework => "Avg_wt, quick starters first",
            ComparedMethod::Neighbours => "Avg_wt",
            ComparedMethod::Average => "Avg_wt",
            ComparedMethod::Linear => "Reg_lin",
            ComparedMethod::Polynomial => "Reg_poly",
            ComparedMethod::Radial => "Reg_rbf",
            ComparedMethod::Sigmoid => "Reg_sigmoid",
            ComparedMethod::Zero => "No wait",
        }
    }

    /// The heading of its column in the paper's Table 4, where it stands for one. The paper does not say whether quick starters are
    /// looked for first there: neighbours alone are the default reading.
    pub fn printed(self) -> Option<&'static str> {
        match self {
            ComparedMethod::Qbets => Some("QBETS"),
            ComparedMethod::Ibl => Some("IBL"),
            ComparedMethod::Neighbours => Some("Avg_wt"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_forecast::forecast::WaitMethod;

    #[test]
    fn every_spec_can_be_read() {
        for method in ComparedMethod::ALL {
            assert_eq!(method.spec().parse::<WaitMethod>().unwrap().to_string(), method.spec());
        }
    }
}
