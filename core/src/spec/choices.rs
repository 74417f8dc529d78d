//! Plain enumerations as specs, from one table of names and meanings.

/// Makes an enumeration without fields a [`Spec`](super::Spec): a name and a meaning for each value. Adds `ALL`, `name`,
/// `Display` and `FromStr`.
#[macro_export]
macro_rules! choices {
    ($type:ident, $kind:literal: $($value:ident = $name:literal, $meaning:literal;)+) => {
        impl $type {
            /// Every value, in the order help lists them.
            #[allow(dead_code, reason = "enumerations that only settings use need no list")]
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$value),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name,)+
                }
            }
        }

        impl $crate::spec::Spec for $type {
            const KIND: &'static str = $kind;

            fn forms() -> Vec<$crate::spec::Form> {
                vec![$($crate::spec::Form::new($name, $meaning)),+]
            }

            fn from_settings(
                settings: &$crate::spec::Settings<'_>,
            ) -> Result<$type, $crate::spec::SpecError> {
                match settings.name() {
                    $($name => Ok($type::$value),)+
                    _ => Err(settings.unread()),
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::spec::SpecError;

            fn from_str(text: &str) -> Result<$type, $crate::spec::SpecError> {
                <$type as $crate::spec::Spec>::parse(text)
            }
        }
    };
}

/// Conversions between a [`Spec`](super::Spec) and its text: `FromStr`, and those that serde uses.
#[macro_export]
macro_rules! conversions {
    ($type:ident) => {
        impl std::str::FromStr for $type {
            type Err = $crate::spec::SpecError;

            fn from_str(text: &str) -> Result<$type, $crate::spec::SpecError> {
                <$type as $crate::spec::Spec>::parse(text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = $crate::spec::SpecError;

            fn try_from(text: String) -> Result<$type, $crate::spec::SpecError> {
                <$type as $crate::spec::Spec>::parse(&text)
            }
        }

        impl From<$type> for String {
            fn from(spec: $type) -> String {
                spec.to_string()
            }
        }
    };
}
