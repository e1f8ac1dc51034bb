//! The macro that tests a mechanism.

/// Makes a module of tests with the whole battery for a mechanism: one test per
/// [`Part`](crate::Part) and accounting, so that a failure names both.
///
/// The first argument is the name of the module, the second an expression for a
/// [`Subject`](crate::Subject), the third a list of accountings out of `pure`, `gdp` and `zcdp`. A
/// last argument restricts the adjacency to `add_remove` or `replace_one`:
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

            // Fails to compile if a part of the battery is missing here.
            const _: () = assert!(
                <$crate::named::$adjacency as $crate::BatteryAdjacency>::PARTS.len() == [$(stringify!($part)),+].len()
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
