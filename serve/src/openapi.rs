//! The OpenAPI document, made from what routes take.

use serde_json::{Map, Value, json};

use crate::route_form::{ParameterKind, ParameterPlace, RouteForm, RouteParameter};

/// The document.
pub(crate) fn document<'r>(routes: impl Iterator<Item = &'r RouteForm>) -> Value {
    let paths: Map<String, Value> = routes.map(|route| (route.path.to_owned(), path(route))).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Queuecast",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "When jobs will start, why they wait, and how right that has been.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        "servers": [{ "url": "/" }],
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": {
                "Refused": {
                    "type": "object",
                    "required": ["error", "hint"],
                    "properties": { "error": { "type": "string" }, "hint": { "type": "string" } }
                }
            }
        }
    })
}

fn path(route: &RouteForm) -> Value {
    let mut methods = Map::new();
    methods.insert("get".to_owned(), operation(route, false));
    if route.is_posted {
        methods.insert("post".to_owned(), operation(route, true));
    }
    Value::Object(methods)
}

fn operation(route: &RouteForm, is_posted: bool) -> Value {
    let name = route.path.trim_start_matches("/api/v1/").trim_start_matches('/');
    let name = name.replace(['/', '{', '}', '.'], "_");
    let mut operation = json!({
        "operationId": format!("{}_{}", if is_posted { "post" } else { "get" }, name.trim_matches('_')),
        "summary": route.about,
        "responses": responses(route, is_posted),
    });
    let in_query = route.parameters.iter().filter(|one| one.place != ParameterPlace::Body);
    if is_posted {
        let properties: Map<String, Value> =
            route.parameters.iter().map(|one| (one.name.to_owned(), described(one))).collect();
        operation["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": {
                "type": "object", "properties": properties, "additionalProperties": false
            } } }
        });
    } else {
        operation["parameters"] = in_query.map(parameter).collect();
    }
    operation
}

fn schema(parameter: &RouteParameter) -> Value {
    match parameter.kind {
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Number => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
    }
}

fn described(parameter: &RouteParameter) -> Value {
    let mut schema = schema(parameter);
    schema["description"] = parameter.about.into();
    schema
}

fn parameter(parameter: &RouteParameter) -> Value {
    json!({
        "name": parameter.name,
        "in": if parameter.place == ParameterPlace::Path { "path" } else { "query" },
        "required": parameter.is_required,
        "description": parameter.about,
        "schema": schema(parameter),
    })
}

fn responses(route: &RouteForm, is_posted: bool) -> Value {
    let refused = |about: &str| {
        json!({ "description": about, "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Refused" } } } })
    };
    let media = route.content.split(';').next().unwrap_or_default();
    let mut responses = json!({
        "200": { "description": "The answer", "content": { media: {} } },
        "400": refused("The question makes no sense"),
        "503": refused("There is no answer now"),
    });
    if !route.is_open {
        responses["401"] = refused("The token is missing or wrong");
        responses["421"] = refused("Without a token the service answers for localhost only");
    }
    if route.parameters.iter().any(|one| one.name == "user") {
        responses["403"] = refused("Another user is named where users are named to themselves only");
    }
    if route.parameters.iter().any(|one| one.place == ParameterPlace::Path) {
        responses["404"] = refused("There is no such job");
    }
    if is_posted {
        responses["408"] = refused("The body did not come in time");
        responses["413"] = refused("The body is too long");
    }
    responses
}
