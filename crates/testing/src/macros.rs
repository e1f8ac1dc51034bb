//! One line per mechanism.

/// The whole battery for a mechanism, as a module of tests with the given name: one test per [`Part`](crate::Part) and
/// accounting, so that a failure names both.
///
/// The second argument is an expression for a [`Subject`](crate::Subject), the third names the accountings out of `pure`, `gdp`
/// and `zcdp`. A mechanism for neighbours that differ by an added row alone says so at the end:
/// ```
/// # use std::error::Error;
/// # use scumble_schema::{Clique, Schema};
/// # use scumble_testing::{Artefacts, Subject, replay_battery};
/// # use scumble_vault::{Accounting, AddRemove, Budget, Vault};
/// # struct Count;
/// # impl<M: Accounting> Subject<AddRemove, M> for Count {
/// #     fn run(&self, mut vault: Vault<AddRemove, M>, budget: Budget<AddRemove, M>, _: &Schema) -> Result<Artefacts, Box<dyn Error>> {
/// #         Ok(Artefacts::new().with("rows", format!("{:?}", vault.measure(&[Clique::empty()], budget)?)))
/// #     }
/// # }
/// replay_battery!(count, Count, [pure, gdp], add_remove);
/// ```
/// One for neighbours of equally many rows alone says `replace_one`.
#[macro_export]
macro_rules! replay_battery {
    ($name:ident, $subject:expr, [$($accounting:ident),+ $(,)?]) => {
        mod $name {
            $crate::replay_battery!(@add_remove $subject, [$($accounting),+]);
            $crate::replay_battery!(@replace_one $subject, [$($accounting),+]);
        }
    };
    ($name:ident, $subject:expr, [$($accounting:ident),+ $(,)?], add_remove) => {
        mod $name {
            $crate::replay_battery!(@add_remove $subject, [$($accounting),+]);
        }
    };
    ($name:ident, $subject:expr, [$($accounting:ident),+ $(,)?], replace_one) => {
        mod $name {
            $crate::replay_battery!(@replace_one $subject, [$($accounting),+]);
        }
    };
    (@add_remove $subject:expr, [$($accounting:ident),+]) => {
        mod add_remove {
            $($crate::replay_battery!(@parts AddRemove, $accounting, $subject, [
                every_row_added_to_every_small_binary_table,
                every_row_added_to_every_small_table_of_three_by_three,
                up_to_two_rows_of_one_unit_added,
                rows_of_missing_and_unknown_values_added,
                two_thousand_random_rows_added,
            ]);)+
        }
    };
    (@replace_one $subject:expr, [$($accounting:ident),+]) => {
        mod replace_one {
            $($crate::replay_battery!(@parts ReplaceOne, $accounting, $subject, [
                every_row_of_small_binary_tables_replaced,
                every_row_of_small_tables_replaced,
                two_rows_of_one_unit_replaced,
                a_thousand_random_rows_replaced,
            ]);)+
        }
    };
    (@parts $adjacency:ident, $accounting:ident, $subject:expr, [$($part:ident),+ $(,)?]) => {
        mod $accounting {
            #[allow(unused_imports, reason = "the subject may be named by a full path")]
            use super::super::super::*;

            // A part that is in the battery and not here does not compile.
            const _: () = assert!(
                <$crate::named::$adjacency as $crate::Neighbours>::PARTS.len() == [$(stringify!($part)),+].len()
            );
            $(#[test]
            fn $part() {
                let part = $crate::Part::<$crate::named::$adjacency>::$part();
                $crate::assert_part::<_, $crate::replay_battery!(@type $accounting)>(&part, &$subject);
            })+
        }
    };
    (@type pure) => { $crate::named::Pure };
    (@type gdp) => { $crate::named::Gdp };
    (@type zcdp) => { $crate::named::Zcdp };
}
