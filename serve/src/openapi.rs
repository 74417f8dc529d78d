//! The OpenAPI document, made from what routes take.

use serde_json::{Map, Value, json};

use crate::route_form::{ParameterKind, ParameterPlace, RouteForm, RouteParameter};

/// The document, for a service of these clusters.
pub(crate) fn document<'r>(routes: impl Iterator<Item = &'r RouteForm>, clusters: &[&str]) -> Value {
    let paths: Map<String, Value> =
        routes.map(|route| (route.path.to_owned(), path(route, clusters))).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Queuecast",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "When jobs will start, why they wait, and how right that has been.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" }
        },
        // From where the document is: a proxy may have the service below a path of its host.
        "servers": [{ "url": "../.." }],
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": {
                "Refused": {
                    "type": "object",
                    "required": ["error", "hint"],
                    "properties": { "error": { "type": "string" }, "hint": { "type": "string" }, "state": { "type": "string" } }
                }
            }
        }
    })
}

fn path(route: &RouteForm, clusters: &[&str]) -> Value {
    let mut methods = Map::new();
    methods.insert("get".to_owned(), operation(route, clusters, false));
    if route.is_posted {
        methods.insert("post".to_owned(), operation(route, clusters, true));
    }
    Value::Object(methods)
}

fn operation(route: &RouteForm, clusters: &[&str], is_posted: bool) -> Value {
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
            route.parameters.iter().map(|one| (one.name.to_owned(), in_body(one, clusters))).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !route.needs.is_empty() {
            schema["anyOf"] = route.needs.iter().map(|names| json!({ "required": names })).collect();
        }
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    } else {
        // Needed in a query is what every list has that a query can have.
        let possible =
            |names: &&&[&str]| names.iter().all(|name| in_query.clone().any(|one| one.name == *name));
        let lists: Vec<_> = route.needs.iter().filter(possible).collect();
        let is_needed = |name: &str| !lists.is_empty() && lists.iter().all(|names| names.contains(&name));
        let parameters = in_query.clone().map(|one| parameter(one, clusters, is_needed(one.name)));
        operation["parameters"] = parameters.collect();
    }
    operation
}

/// What a query takes. An empty field of a form is none, and so is an empty parameter.
fn schema(parameter: &RouteParameter, clusters: &[&str]) -> Value {
    match parameter.kind {
        ParameterKind::Text if parameter.name == "cluster" => {
            let names: Vec<&str> = clusters.iter().copied().chain([""]).collect();
            json!({ "type": "string", "enum": names })
        }
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Number(most) => json!({ "type": "integer", "minimum": 1, "maximum": most }),
    }
}

/// In a body a number may be a text and a text a number, and nothing is as if it were not there.
fn in_body(parameter: &RouteParameter, clusters: &[&str]) -> Value {
    let mut schema = schema(parameter, clusters);
    match parameter.kind {
        ParameterKind::Text if parameter.name == "cluster" => {
            schema["type"] = json!(["string", "null"]);
            if let Some(names) = schema["enum"].as_array_mut() {
                names.push(Value::Null);
            }
        }
        ParameterKind::Text => schema["type"] = json!(["string", "number", "null"]),
        ParameterKind::Number(_) => {
            schema["type"] = json!(["integer", "string", "null"]);
            schema["pattern"] = "^([0-9]{1,10})?$".into();
        }
    }
    schema["description"] = parameter.about.into();
    schema
}

fn parameter(parameter: &RouteParameter, clusters: &[&str], is_needed: bool) -> Value {
    json!({
        "name": parameter.name,
        "in": if parameter.place == ParameterPlace::Path { "path" } else { "query" },
        "required": is_needed,
        "allowEmptyValue": !is_needed && parameter.place == ParameterPlace::Query,
        "description": parameter.about,
        "schema": schema(parameter, clusters),
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
    if route.parameters.iter().any(|one| one.name == "user" || one.name == "set") {
        responses["403"] = refused(
            "Another user is named where users are named to themselves only, or it is for administrators",
        );
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
