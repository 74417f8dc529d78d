//! Job scripts: what their `#SBATCH` lines ask for.

/// Whether a text is a job script: a script of some interpreter, or with lines for `sbatch`.
pub fn is_job_script(text: &str) -> bool {
    text.starts_with("#!") || text.lines().any(|line| option_text(line).is_some())
}

/// The arguments that the `#SBATCH` lines of a job script have, in one text as of a command line. As `sbatch` reads them: up to the
/// first line that is neither empty nor a comment, each up to a `#` of its own.
pub fn script_arguments(text: &str) -> String {
    let head = text.lines().take_while(|line| line.trim().is_empty() || line.starts_with('#'));
    let options: Vec<&str> = head.filter_map(option_text).map(|text| without_comment(text).trim()).collect();
    options.join(" ")
}

fn option_text(line: &str) -> Option<&str> {
    line.strip_prefix("#SBATCH").filter(|rest| rest.starts_with(char::is_whitespace))
}

/// A line up to a `#` that stands outside quotes.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if letter == open => quote = None,
            (None, '#') => return &text[..at],
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sbatch_line;
    use queuecast_core::units::Seconds;
    use queuecast_slurm_sim::cluster::TimeLimit;

    const SCRIPT: &str = "\
#!/bin/bash
#SBATCH -n 64 --time=2:00:00   # two hours
#SBATCH --job-name='my #1 job'
##SBATCH -n 1

# A comment.
#SBATCH --partition=batch
module load mpi
#SBATCH -n 2
";

    #[test]
    fn lines_up_to_the_first_command_are_read() {
        assert!(is_job_script(SCRIPT) && is_job_script("#SBATCH -n 1\n") && !is_job_script("JobID|State\n"));
        assert_eq!(script_arguments(SCRIPT), "-n 64 --time=2:00:00 --job-name='my #1 job' --partition=batch");
        let read = sbatch_line(&script_arguments(SCRIPT)).unwrap();
        assert_eq!(read.request.processors(), 64);
        assert_eq!(read.request.time_limit, Some(TimeLimit::Of(Seconds(7200))));
        assert_eq!(read.request.name.as_deref(), Some("my #1 job"));
        assert_eq!(script_arguments("#!/bin/sh\necho\n"), "");
    }
}
