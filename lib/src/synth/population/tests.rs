//! What the population promises, measured on what it makes.
