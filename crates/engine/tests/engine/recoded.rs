//! Queries about digits and groups of codes: their counts equal sums of tables over the base
//! columns.

use crate::common::{Numbers, people, schema, smallest_limit, write};
use datafusion::arrow::array::RecordBatch;
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, EngineError, Input, ReadOptions, TableScan};
use scumble_schema::{AttributeId, Clique, Domain, Recoding, Schema, cells};
use scumble_vault::MarginalSource;

/// Every kind of recoding of `base`.
fn recodings(base: &Domain) -> [Recoding; 3] {
    [Recoding::binary(base).unwrap(), Recoding::with_coarser(base, 3, 8).unwrap(), Recoding::identity(base)]
}

/// The empty clique, and random ones with so few base columns that a table over all of them fits.
fn random_cliques(recoding: &Recoding, numbers: &mut Numbers) -> Vec<Clique> {
    let mut cliques = vec![Clique::empty(), Clique::empty()];
    while cliques.len() < 60 {
        let draw = |_| AttributeId::new(usize::try_from(numbers.below(recoding.domain().len() as u64)).unwrap());
        let clique = Clique::new((0..=cliques.len() % 5).map(draw));
        if recoding.base().table_len(&base_of(recoding, &clique)).is_ok_and(|cells| cells < 100_000) {
            cliques.push(clique);
        }
    }
    cliques
}

fn base_of(recoding: &Recoding, clique: &Clique) -> Clique {
    Clique::new(clique.attributes().iter().map(|&column| recoding.of(column)))
}

/// Sums `counts` over the base columns to the recoded tables, cell by cell.
fn folded(recoding: &Recoding, cliques: &[Clique], counts: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let fold = |(clique, counts): (&Clique, &Vec<u64>)| {
        let base = base_of(recoding, clique);
        let strides = cells::strides(recoding.base(), &base);
        let code = |cell: usize, column: AttributeId| {
            let of = recoding.of(column);
            let axis = base.attributes().iter().position(|&attribute| attribute == of).unwrap();
            recoding.codes(column)[cell / strides[axis] % recoding.base().size(of) as usize] as usize
        };
        let mut folded = vec![0; recoding.domain().table_len(clique).unwrap()];
        for (cell, count) in counts.iter().enumerate() {
            let columns = clique.attributes().iter();
            let size = |column| recoding.domain().size(column) as usize;
            folded[columns.fold(0, |at, &column| at * size(column) + code(cell, column))] += count;
        }
        folded
    };
    cliques.iter().zip(counts).map(fold).collect()
}

/// Distributes the rows to `partitions`, in batches of uneven size.
fn distributed(rows: &RecordBatch, partitions: usize, numbers: &mut Numbers) -> Vec<Vec<RecordBatch>> {
    let mut parts = vec![vec![]; partitions];
    let mut start = 0;
    while start < rows.num_rows() {
        let length = usize::try_from(1 + numbers.below(400)).unwrap().min(rows.num_rows() - start);
        parts[usize::try_from(numbers.below(partitions as u64)).unwrap()].push(rows.slice(start, length));
        start += length;
    }
    parts
}

#[test]
fn recoded_counts_equal_sums_over_the_base_columns_in_any_partitions() {
    let (schema, mut numbers) = (schema(), Numbers(6));
    let rows = people(3_000, 9);
    let whole = CodedTable::from_batches(vec![vec![rows.clone()]], &schema, &ReadOptions::default()).unwrap();
    for recoding in recodings(schema.domain()) {
        let cliques = random_cliques(&recoding, &mut numbers);
        let bases: Vec<Clique> = cliques.iter().map(|clique| base_of(&recoding, clique)).collect();
        let expected = folded(&recoding, &cliques, &whole.count_tables(&bases).unwrap());
        assert_eq!(expected[0], [3_000]);
        for partitions in [1, 2, 7] {
            let options = ReadOptions { threads: Some(partitions), ..ReadOptions::default() };
            let parts = distributed(&rows, partitions, &mut numbers);
            let scan = TableScan::of_batches(parts, &schema, &options).unwrap();
            assert!(scan.count_recoded_tables(&recoding, &cliques).unwrap() == expected, "{partitions}, scanned");
            let table = scan.code().unwrap();
            assert!(table.count_recoded_tables(&recoding, &cliques).unwrap() == expected, "{partitions}, coded");
        }
    }
}

#[test]
fn recoded_counts_of_spilled_tables_and_of_files_are_equal() {
    let (schema, directory, mut numbers) = (schema(), tempfile::tempdir().unwrap(), Numbers(7));
    let rows = people(10_000, 7);
    let path = directory.path().join("people.parquet");
    write(&path, std::slice::from_ref(&rows));
    let one = TableScan::open(&[Input::new(&path)], &schema, &ReadOptions::default()).unwrap();
    // As codes, more than 32 MiB, which is half of the smallest limit.
    let spilled =
        CodedTable::from_batches(vec![vec![rows; 500]; 2], &schema, &smallest_limit(directory.path())).unwrap();
    assert!(spilled.spilled());
    for recoding in recodings(schema.domain()) {
        let cliques = random_cliques(&recoding, &mut numbers);
        let one = one.count_recoded_tables(&recoding, &cliques).unwrap();
        let many = spilled.count_recoded_tables(&recoding, &cliques).unwrap();
        assert!(many.iter().flatten().zip(one.iter().flatten()).all(|(many, one)| *many == 1_000 * one));
    }
}

#[test]
fn bits_of_columns_with_a_too_large_joint_table_are_counted() {
    let (schema, rows) = (schema(), people(500, 3));
    let table = CodedTable::from_batches(vec![vec![rows]], &schema, &ReadOptions::default()).unwrap();
    let bits = Recoding::binary(schema.domain()).unwrap();
    // The highest bit of every column.
    let tops = (0..bits.domain().len()).map(AttributeId::new);
    let tops = tops.filter(|bit| bit.index() == 0 || bits.of(*bit) != bits.of(AttributeId::new(bit.index() - 1)));
    let tops = Clique::new(tops);
    assert_eq!(tops.len(), schema.domain().len());
    assert!(schema.domain().table_len(&base_of(&bits, &tops)).is_err());
    let counts = &table.count_recoded_tables(&bits, &[tops]).unwrap()[0];
    assert_eq!((counts.len(), counts.iter().sum::<u64>()), (256, 500));
}

#[test]
fn only_a_recoding_of_the_tables_own_columns_is_counted_and_nothing_is_printed() {
    let schema = schema();
    let table = CodedTable::from_batches(vec![vec![people(77, 1)]], &schema, &ReadOptions::default()).unwrap();
    let other = Recoding::binary(&Domain::new(vec![3, 4]).unwrap()).unwrap();
    let error = table.count_recoded_tables(&other, &[Clique::empty()]).unwrap_err();
    assert!(matches!(error, EngineError::Config { .. }) && error.hint().is_some(), "{error}");
    let bits = Recoding::binary(schema.domain()).unwrap();
    let unknown = Clique::single(AttributeId::new(bits.domain().len()));
    let error = table.count_recoded_tables(&bits, &[unknown]).unwrap_err();
    let sealed = table.count_recoded(&bits, &bits.domain().one_way()).unwrap();
    for printed in [format!("{error} {error:?}"), format!("{sealed:?}")] {
        assert!(!printed.contains("77"), "{printed}");
    }
}

#[test]
fn a_table_without_rows_has_recoded_counts_of_zero() {
    let schema = Schema::parse("fields: [{name: x, type: integer, constraints: {minimum: 1, maximum: 9}}]").unwrap();
    let bits = Recoding::binary(schema.domain()).unwrap();
    let table = CodedTable::from_batches(vec![], &schema, &ReadOptions::default()).unwrap();
    let cliques = [Clique::empty(), Clique::new(bits.domain().attributes())];
    assert_eq!(table.count_recoded_tables(&bits, &cliques).unwrap(), [vec![0], vec![0; 16]]);
}
