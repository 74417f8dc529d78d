//! What a route takes and what it is for: what requests are read by, and what the OpenAPI document says.

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterPlace {
    /// In the path.
    Path,
    /// In the query, and in the body of a POST.
    Query,
    /// In the body of a POST only.
    Body,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    /// A text.
    Text,
    /// A number from 1 to this.
    Number(u32),
}

/// A parameter of a route.
#[derive(Debug)]
pub(crate) struct RouteParameter {
    pub name: &'static str,
    pub place: ParameterPlace,
    pub kind: ParameterKind,
    pub about: &'static str,
}

/// What a route takes and what it is for.
#[derive(Debug)]
pub(crate) struct RouteForm {
    pub path: &'static str,
    /// Whether it takes a POST beside a GET.
    pub is_posted: bool,
    pub about: &'static str,
    pub parameters: &'static [RouteParameter],
    /// What is needed: any of these lists of parameters. Empty if nothing is.
    pub needs: &'static [&'static [&'static str]],
    pub content: &'static str,
    /// Whether it is answered without a token: it tells nothing of users and jobs.
    pub is_open: bool,
}
