//! The forms of a spec and the keys of their settings, as data.

/// One form of a spec: its name, its settings and its meaning.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The name at the beginning of the text.
    pub name: &'static str,
    /// What may follow the name, as help shows it: `:SECONDS`.
    pub parameters: &'static str,
    /// One line of help.
    pub meaning: &'static str,
    /// A text of this form that can be read.
    pub example: &'static str,
    /// The keys of its settings, in the order they are written.
    pub keys: &'static [SettingKey],
    /// Separators it accepts besides the colon and commas.
    pub also: Also,
}

/// Separators that a form accepts besides `NAME:setting,setting`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Also {
    /// None.
    Nothing,
    /// Colons separate settings too: `recent:5:median`.
    Colons,
    /// A comma may follow the name: `default,run-zero=drop`.
    Comma,
    /// Plus signs separate settings, whose values may then hold commas and colons: `pred+outlook=between:1,60`.
    Pluses,
}

/// One setting of a form.
#[derive(Debug, Clone, Copy)]
pub struct SettingKey {
    /// Its name.
    pub name: &'static str,
    /// Its possible values, as errors list them: `N|all`.
    pub values: &'static str,
    /// The specs its value may be, after [`SettingKey::values`].
    pub forms: Option<fn() -> Vec<Form>>,
    /// When the key may be left out.
    pub alone: Alone,
}

/// When a value may stand without its key.
#[derive(Debug, Clone, Copy)]
pub enum Alone {
    /// Never.
    Never,
    /// The key alone means yes.
    Flag,
    /// If the value looks like one of this key.
    If(fn(&str) -> bool),
    /// At the key's place among the values without a key.
    Place,
    /// All values without a key belong to this one.
    All,
}

impl Form {
    /// A form without settings, whose name is its own example.
    pub const fn new(name: &'static str, meaning: &'static str) -> Form {
        Form { name, parameters: "", meaning, example: name, keys: &[], also: Also::Nothing }
    }

    /// With settings: as help shows them, their keys, and a text that can be read.
    pub const fn with(
        self,
        parameters: &'static str,
        keys: &'static [SettingKey],
        example: &'static str,
    ) -> Form {
        Form { parameters, keys, example, ..self }
    }

    /// With separators besides the colon and commas.
    pub const fn also(self, also: Also) -> Form {
        Form { also, ..self }
    }

    /// With another example than the name.
    pub const fn example(self, example: &'static str) -> Form {
        Form { example, ..self }
    }

    /// The name with what may follow it.
    pub fn shown(&self) -> String {
        format!("{}{}", self.name, self.parameters)
    }

    /// The keys with their values, as errors list them.
    pub fn known_keys(&self) -> String {
        self.keys.iter().map(SettingKey::shown).collect::<Vec<_>>().join(", ")
    }
}

impl SettingKey {
    /// A key with these values, as errors list them.
    pub const fn new(name: &'static str, values: &'static str) -> SettingKey {
        SettingKey { name, values, forms: None, alone: Alone::Never }
    }

    /// A key with the values yes and no; alone it means yes.
    pub const fn flag(name: &'static str) -> SettingKey {
        SettingKey { alone: Alone::Flag, ..SettingKey::new(name, "yes|no") }
    }

    /// A key whose value is another spec, given by the forms of that spec.
    pub const fn spec(name: &'static str, forms: fn() -> Vec<Form>) -> SettingKey {
        SettingKey { forms: Some(forms), ..SettingKey::new(name, "") }
    }

    /// A key whose value is one of its words or another spec.
    pub const fn or_spec(self, forms: fn() -> Vec<Form>) -> SettingKey {
        SettingKey { forms: Some(forms), ..self }
    }

    /// May stand without its key as described.
    pub const fn alone(self, alone: Alone) -> SettingKey {
        SettingKey { alone, ..self }
    }

    /// The value may stand without its key, at this key's place.
    pub const fn placed(self) -> SettingKey {
        self.alone(Alone::Place)
    }

    /// The possible values, as errors list them.
    pub fn possible(&self) -> String {
        let words = Some(self.values.to_owned()).filter(|words| !words.is_empty());
        let names = self.forms.into_iter().flat_map(|forms| forms()).map(|form| form.name.to_owned());
        words.into_iter().chain(names).collect::<Vec<_>>().join("|")
    }

    /// The key with its possible values.
    pub fn shown(&self) -> String {
        format!("{}={}", self.name, self.possible())
    }

    /// Whether a value without a key belongs to this one, wherever it stands.
    pub(super) fn claims(&self, value: &str) -> bool {
        match self.alone {
            Alone::Flag => value == self.name,
            Alone::If(looks_right) => looks_right(value),
            _ => false,
        }
    }
}

/// The name at the beginning of a text: everything before the first separator.
pub fn name_in(text: &str) -> &str {
    text.split([':', ',', '/', '+']).next().unwrap_or_default()
}
