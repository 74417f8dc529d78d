//! One module per command: its arguments, the files it reads, and the library call it makes. What commands share (where a job would be
//! submitted, logs and their cleaning, commands of a live site, messages on the way) is below all commands.

use queuecast_process::invocation::Invocation;

mod advise;
mod allocate;
#[cfg(test)]
mod arguments_alone;
mod cache_option;
mod campaign;
mod cleaning;
mod collect;
mod compare;
mod completions;
mod config;
mod demo;
mod doctor;
mod generate;
mod job_script;
mod live;
mod loaded;
mod metaschedule;
mod methods;
mod mold;
mod moldable;
mod moment;
mod newcomer;
mod notify;
mod outside;
mod pending;
mod place;
mod raw_trace;
mod replacing;
mod replayed;
#[cfg(feature = "papers")]
mod reproduce;
mod score;
mod search;
mod serve;
mod service_limits;
mod shaken;
mod simulate;
mod simulated;
mod site;
mod site_option;
mod site_texts;
mod slurm_site;
mod source;
mod store_option;
mod threads;
mod trace;
mod variation;
mod watch;
mod watched;
mod when;

use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::zone;

use clap::Subcommand;

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Simulate(Box<simulate::Arguments>),
    Compare(Box<compare::Arguments>),
    When(Box<when::Arguments>),
    Pending(Box<pending::Arguments>),
    Watch(Box<watch::Arguments>),
    Serve(Box<serve::Arguments>),
    Advise(Box<advise::Arguments>),
    Allocate(Box<allocate::Arguments>),
    Metaschedule(Box<metaschedule::Arguments>),
    Mold(Box<mold::Arguments>),
    Search(Box<search::Arguments>),
    Score(score::Arguments),
    #[cfg(feature = "papers")]
    Reproduce(reproduce::Arguments),
    Trace(trace::Arguments),
    Site(site::Arguments),
    Collect(Box<collect::Arguments>),
    Config(config::Arguments),
    Doctor(doctor::Arguments),
    Notify(notify::Arguments),
    Generate(generate::Arguments),
    Demo(demo::Arguments),
    Completions(completions::Arguments),
}

impl Command {
    /// How a command that may ask a live site reads its past.
    fn live_source(&mut self) -> Option<&mut source::Source> {
        match self {
            Command::When(arguments) => Some(&mut arguments.asked.source),
            Command::Advise(arguments) => Some(&mut arguments.asked.source),
            Command::Pending(arguments) => Some(&mut arguments.source),
            Command::Allocate(arguments) => Some(&mut arguments.source),
            _ => None,
        }
    }
}

/// Runs a command.
pub fn run(mut command: Command, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    place::check(invocation)?;
    if place::is_in_local_time(invocation)
        && let Some(source) = command.live_source()
    {
        source.reading.time_zone = zone::of_machine();
    }
    match command {
        Command::Simulate(arguments) => simulate::run(&arguments, printer),
        Command::Compare(arguments) => compare::run(&arguments, printer),
        Command::When(arguments) => when::run(&arguments, printer),
        Command::Pending(arguments) => pending::run(&arguments, printer),
        Command::Watch(arguments) => watch::run(&arguments, invocation, printer),
        Command::Serve(arguments) => serve::run(&arguments, invocation, printer),
        Command::Advise(arguments) => advise::run(&arguments, printer),
        Command::Allocate(arguments) => allocate::run(&arguments, printer),
        Command::Metaschedule(arguments) => metaschedule::run(&arguments, printer),
        Command::Mold(arguments) => mold::run(&arguments, printer),
        Command::Search(arguments) => search::run(&arguments, invocation, printer),
        Command::Score(arguments) => score::run(&arguments, printer),
        #[cfg(feature = "papers")]
        Command::Reproduce(arguments) => reproduce::run(&arguments, printer),
        Command::Trace(arguments) => trace::run(&arguments, printer),
        Command::Site(arguments) => site::run(&arguments, printer),
        Command::Collect(arguments) => collect::run(&arguments, invocation, printer),
        Command::Config(arguments) => config::run(&arguments, invocation, printer),
        Command::Doctor(arguments) => doctor::run(&arguments, invocation, printer),
        Command::Notify(arguments) => notify::run(&arguments, printer),
        Command::Generate(arguments) => generate::run(&arguments, invocation, printer),
        Command::Demo(arguments) => demo::run(&arguments, invocation, printer),
        Command::Completions(arguments) => completions::run(&arguments, invocation, printer),
    }
}
