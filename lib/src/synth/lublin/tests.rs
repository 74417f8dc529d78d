//! What the model promises, measured on what it makes.
