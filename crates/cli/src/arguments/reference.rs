//! The page of all commands in the book, `docs/reference/commands.md`: written from the command line as clap knows it, so
//! that it says what the program says.
//!
//! `SCUMBLE_UPDATE_DOCS=1 cargo nextest run --workspace -E 'test(page_of_commands)'` writes it again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use super::Arguments;

const PAGE: &str = "../../docs/reference/commands.md";
/// If it is set, the page is written and not compared.
const UPDATE: &str = "SCUMBLE_UPDATE_DOCS";

/// What somebody wants to do, and the verbs for it, in the order in which they are met.
const PURPOSES: [(&str, &[&str]); 8] = [
    ("try it on made-up people", &["demo"]),
    ("describe a table", &["schema"]),
    ("decide on a budget, and keep count of it", &["plan", "ledger"]),
    ("fit a model, and draw rows", &["fit", "sample", "synth"]),
    ("look at a model, and publish it", &["inspect", "report", "marginals", "bundle"]),
    ("compare with the real table, for its steward alone", &["evaluate"]),
    ("run a cluster", &["scheduler", "executor"]),
    ("set up a shell", &["completions", "man"]),
];

const BEGINNING: &str = "# Commands

Everything that `scumble --help` and `scumble VERB --help` tell. This page is written by the program, and a test fails where the two
differ. What is the same for all commands, such as input, memory and output, is in [The command line](cli.md); what can go wrong, in
[Errors and exit codes](errors.md).

The examples are run in this order, in a folder with the made-up table `people.csv`, a schema `people.schema.yaml` of five of its
columns, and what was made from them further up.

<!-- setup
# Examples name the same files again and again.
scumble() { case \" $* \" in *\" bundle \"*) command scumble \"$@\" ;; *\" -o \"*|*\" --svg \"*) command scumble \"$@\" --force ;; *) command scumble \"$@\" ;; esac; }
scumble demo --quiet --rows 1000 -o .
cat > people.schema.yaml <<END
title: Survey of People and Homes
fields:
  - {name: region, type: string, constraints: {enum: [Capital, Highlands, Lakeland]}, dp: {source: public, open: true}}
  - {name: sex, type: string, constraints: {enum: [female, male, other]}, dp: {source: public}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 85}, dp: {source: public}}
  - {name: household_size, type: integer, constraints: {minimum: 1, maximum: 10}, dp: {source: public}}
  - {name: housing, type: string, constraints: {enum: [owner, tenant, social tenant, rent-free]}, dp: {source: public}}
END
scumble fit --quiet people.csv --schema people.schema.yaml --method mst --epsilon 1 --delta 1e-9 -o people.model
scumble sample --quiet people.model --rows 2000 -o synth.csv
scumble marginals --quiet people.model -o people.marginals.json
scumble schema export --quiet --to mbi people.schema.yaml -o domain.json
scumble schema export --quiet --to smartnoise people.schema.yaml -o metadata.yaml
-->
";

#[test]
fn the_page_of_commands_says_what_the_program_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let said = page_of_commands();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(page, said).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(page).unwrap();
    let differs = kept.lines().zip(said.lines()).position(|(kept, said)| kept != said);
    let line = differs.unwrap_or_else(|| kept.lines().count().min(said.lines().count()));
    assert!(
        kept == said,
        "docs/reference/commands.md differs from the program from line {} on, which should be\n{}\nwrite it again with {UPDATE}=1",
        line + 1,
        said.lines().nth(line).unwrap_or("(no line)"),
    );
}

#[test]
fn every_verb_has_a_purpose() {
    let listed: Vec<&str> = PURPOSES.iter().flat_map(|(_, verbs)| *verbs).copied().collect();
    let command = Arguments::command();
    let known: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
    assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), known);
    assert_eq!(listed.len(), known.len(), "a verb is listed twice");
}

#[test]
fn every_command_that_does_something_has_an_example() {
    fn check(command: &Command) {
        let verbs: Vec<&Command> = verbs(command).collect();
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(!verbs.is_empty() || examples.contains(command.get_name()), "`{}` has no example", command.get_name());
        // Longer lines are broken to fit a terminal, and can no longer be copied.
        let mut lines = examples.lines().filter(|line| line.starts_with(' '));
        assert!(lines.all(|line| line.len() <= 100), "an example of `{}` is too long", command.get_name());
        verbs.into_iter().for_each(check);
    }
    check(&Arguments::command());
}

fn page_of_commands() -> String {
    let mut command = Arguments::command();
    command.build();
    let mut page = String::from(BEGINNING);
    page.push_str("\n| to | commands |\n|---|---|\n");
    for (purpose, verbs) in PURPOSES {
        let links: Vec<String> = verbs.iter().flat_map(|verb| links(verb_of(&command, verb), "")).collect();
        writeln!(page, "| {purpose} | {} |", links.join(", ")).unwrap();
    }
    page.push_str("\n## Options of every command\n\n");
    page.extend(command.get_arguments().filter(|option| is_of_all(option)).map(described));
    page.push_str(&after_help(&command));
    for verb in PURPOSES.iter().flat_map(|(_, verbs)| *verbs) {
        write_verb(&mut page, verb_of(&command, verb), "", "##");
    }
    page
}

fn verb_of<'a>(command: &'a Command, name: &str) -> &'a Command {
    command.find_subcommand(name).expect("another test looks for them")
}

/// The verbs of a command, without the one that prints help.
fn verbs(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| verb.get_name() != "help")
}

/// Links to a command and to all below it; to those below it alone, if it does nothing by itself.
fn links(command: &Command, before: &str) -> Vec<String> {
    let name = format!("{before}{}", command.get_name());
    let own = (!command.is_subcommand_required_set()).then(|| format!("[`{name}`](#{})", name.replace(' ', "-")));
    own.into_iter().chain(verbs(command).flat_map(|verb| links(verb, &format!("{name} ")))).collect()
}

fn write_verb(page: &mut String, command: &Command, before: &str, heading: &str) {
    let name = format!("{before}{}", command.get_name());
    let about = command.get_long_about().or(command.get_about()).expect("every verb says what it does").to_string();
    write!(page, "\n{heading} {name}\n").unwrap();
    for paragraph in about.split("\n\n") {
        write!(page, "\n{}.\n", paragraph.trim_end_matches('.')).unwrap();
    }
    if !command.is_subcommand_required_set() {
        write!(page, "\n```text\n{}\n```\n", usage(command)).unwrap();
        let arguments: Vec<&Arg> = command.get_positionals().collect();
        write_arguments(page, "Arguments", &arguments);
        let mut headings: Vec<Option<&str>> = Vec::new();
        let options: Vec<&Arg> =
            command.get_arguments().filter(|argument| !argument.is_positional() && !is_of_all(argument)).collect();
        for option in &options {
            if !headings.contains(&option.get_help_heading()) {
                headings.push(option.get_help_heading());
            }
        }
        for heading in headings {
            let below: Vec<&Arg> =
                options.iter().copied().filter(|option| option.get_help_heading() == heading).collect();
            write_arguments(page, heading.unwrap_or("Options"), &below);
        }
    }
    page.push_str(&after_help(command));
    for verb in verbs(command) {
        write_verb(page, verb, &format!("{name} "), "###");
    }
}

/// How a command is written, one way on each line.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage:").lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Whether an option is one of every command, or prints help.
fn is_of_all(argument: &Arg) -> bool {
    argument.is_global_set() || ["help", "version"].contains(&argument.get_id().as_str())
}

fn write_arguments(page: &mut String, heading: &str, arguments: &[&Arg]) {
    if !arguments.is_empty() {
        write!(page, "\n**{heading}**\n\n").unwrap();
        page.extend(arguments.iter().map(|argument| described(argument)));
    }
}

/// An argument or option as an item of a list.
fn described(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let help = argument.get_long_help().or(argument.get_help()).expect("every argument says what it is").to_string();
    let mut item = format!("- {short}`{argument}`: {}.", help.trim_end_matches('.').replace("\n\n", " "));
    if argument.get_action().takes_values() {
        let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            write!(item, " Default: `{}`.", defaults.join(",")).unwrap();
        }
        if let Some(variable) = argument.get_env() {
            write!(item, " Also from the environment variable `{}`.", variable.to_string_lossy()).unwrap();
        }
        let values = argument.get_possible_values();
        if values.iter().any(|value| value.get_help().is_some()) {
            for value in values {
                let help = value.get_help().map(|help| format!(": {help}")).unwrap_or_default();
                write!(item, "\n  - `{}`{help}", value.get_name()).unwrap();
            }
        } else if !values.is_empty() {
            let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
            write!(item, " One of {}.", names.join(", ")).unwrap();
        }
    }
    item + "\n"
}

/// What stands below the help of a command: paragraphs, and examples, of which those that need more than a shell are not run.
fn after_help(command: &Command) -> String {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut page = String::new();
    for part in text.split("\n\n").filter(|part| !part.is_empty()) {
        let Some((heading, examples)) = part.split_once(":\n") else {
            write!(page, "\n{part}\n").unwrap();
            continue;
        };
        write!(page, "\n**{heading}**\n").unwrap();
        let examples = commands(examples);
        for needs in [None, Some("a cluster"), Some("somebody who answers"), Some("a reader of manual pages")] {
            let alike: Vec<&str> =
                examples.iter().map(String::as_str).filter(|example| need(example) == needs).collect();
            if !alike.is_empty() {
                let marker = needs.map(|needs| format!("<!-- not run: needs {needs} -->\n")).unwrap_or_default();
                write!(page, "\n{marker}```sh\n{}\n```\n", alike.join("\n")).unwrap();
            }
        }
    }
    page
}

/// Commands without the blanks before them, each with the lines that it goes on in.
fn commands(examples: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in examples.lines() {
        let line = line.strip_prefix("  ").unwrap_or(line);
        match commands.last_mut().filter(|command| command.ends_with('\\')) {
            Some(command) => write!(command, "\n{line}").unwrap(),
            None => commands.push(line.into()),
        }
    }
    commands
}

/// What an example needs besides a shell.
fn need(example: &str) -> Option<&'static str> {
    let signs = [
        ("ballista://", "a cluster"),
        ("scumble scheduler", "a cluster"),
        ("scumble executor", "a cluster"),
        ("scumble schema new", "somebody who answers"),
        ("man ./", "a reader of manual pages"),
    ];
    signs.into_iter().find(|(sign, _)| example.contains(sign)).map(|(_, needs)| needs)
}
