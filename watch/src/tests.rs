//! Screens as text, and what keys make of them.

use std::fs;
use std::path::Path;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_forecast::forecast::{PendingRange, PendingRecord};
use queuecast_place::{AskedQueue, JobSize, PendingAnswer, PendingJob, WaitsFor};
use queuecast_report::Charset;
use queuecast_trace::{Moment, TimeZone};
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;

use super::*;
use crate::state::WatchPage;

/// Set to write the screens instead of comparing them; then read what differs.
const WRITE: &str = "QUEUECAST_WRITE_SCREENS";

/// 2026-11-18 14:00 in Berlin, a Wednesday.
const NOW: Time = Time(1_795_006_800);

const PLAIN: WatchTheme = WatchTheme { coloured: true, charset: Charset::Unicode };

fn job(name: &str, (user, own): (&str, bool), partition: &str, procs: u32, hours: f64) -> PendingJob {
    let place = name.parse::<usize>().unwrap_or(100) - 99;
    let seconds = hours * 3600.0;
    let range = PendingRange {
        p10: seconds * 0.5,
        median: seconds,
        p90: seconds * 2.5,
        low: seconds * 0.4,
        high: seconds * 2.5,
    };
    let waits_for = match place {
        1 => WaitsFor::Processors {
            wanted: procs.into(),
            free: 7,
            frees: vec!["80".to_owned(), "82".to_owned()],
        },
        place => WaitsFor::Turn { ahead: place - 1, wanted: 64 * place as u64, fits: false },
    };
    PendingJob {
        job: name.to_owned(),
        user: Some(user.to_owned()),
        own,
        partition: Some(partition.to_owned()),
        asked: JobSize { procs: Procs(procs), time: Seconds(18 * 3600) },
        waited: Some(Seconds(11_640)),
        place: Some(place),
        start: Some(range),
        unwidened: None,
        never: 0.0,
        not_before: None,
        why: waits_for.words(),
        waits_for,
    }
}

/// A job that waits for its begin time.
fn later(name: &str) -> PendingJob {
    let waits_for = WaitsFor::BeginTime { at: None };
    PendingJob {
        place: None,
        start: None,
        not_before: Some(86_400),
        why: waits_for.words(),
        waits_for,
        ..job(name, ("eve", false), "long", 1, 1.0)
    }
}

fn answer(at: Time, jobs: Vec<PendingJob>) -> PendingAnswer {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let queue = AskedQueue {
        partition: None,
        procs: Procs(256),
        free: Procs(7),
        running: 31,
        history: "5,583 jobs".to_owned(),
        draws: 200,
        record: None,
    };
    PendingAnswer {
        version: "0",
        source: "squeue".to_owned(),
        moment: Moment::of(at, Some(0), &zone),
        epoch: Some(0),
        zone,
        user: Some("ada".to_owned()),
        queues: vec![queue],
        shown: None,
        jobs,
    }
}

/// Twenty jobs, two of them one's own.
fn queue(at: Time) -> PendingAnswer {
    let mut jobs =
        vec![job("104", ("ada", true), "short", 16, 0.6), job("111", ("ada", true), "long", 64, 14.0)];
    for number in (100..119).filter(|number| ![104, 111].contains(number)) {
        let (user, partition) = if number % 3 == 0 { ("grace", "long") } else { ("user68", "short") };
        jobs.push(job(
            &number.to_string(),
            (user, false),
            partition,
            8 << (number % 4),
            f64::from(number - 99) * 0.7,
        ));
    }
    jobs.push(later("130"));
    answer(at, jobs)
}

fn live() -> WatchedPlace {
    WatchedPlace { name: "this site".to_owned(), speed: None, fresh: Seconds(300) }
}

fn answered(state: &mut WatchState, answer: PendingAnswer) {
    state.told(WatchNews::Answered { answer: Box::new(answer), notes: Vec::new() });
}

/// A site 35 seconds after a look.
fn watched(size: (u16, u16)) -> WatchState {
    let mut state = WatchState::new(live(), Time(NOW.0 + 35), size);
    answered(&mut state, queue(NOW));
    state
}

fn drawn(state: &WatchState, theme: WatchTheme) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(state, theme, frame.buffer_mut())).unwrap();
    terminal.backend().buffer().clone()
}

/// The lines of a screen; a chosen one begins with ».
fn text(state: &WatchState) -> String {
    let buffer = drawn(state, PLAIN);
    let line = |y: u16| {
        let cells = (0..buffer.area.width).map(|x| &buffer[(x, y)]);
        let chosen = cells.clone().filter(|cell| cell.modifier.contains(Modifier::REVERSED)).count() > 1;
        let text: String = cells.map(|cell| cell.symbol()).collect();
        format!("{}{}", if chosen { "»" } else { "|" }, text).trim_end().to_owned() + "\n"
    };
    (0..buffer.area.height).map(line).collect()
}

/// Holds a screen to the file that shows it.
fn shows(name: &str, state: &WatchState) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/screens").join(name).with_extension("txt");
    let now = text(state);
    if std::env::var_os(WRITE).is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &now).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(now, expected, "{name} is now\n{now}\nif that is right, write it with {WRITE}=1");
}

fn press(state: &mut WatchState, code: KeyCode) -> Option<WatchWish> {
    state.happened(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn write(state: &mut WatchState, keys: &str) {
    for letter in keys.chars() {
        assert_eq!(press(state, KeyCode::Char(letter)), None, "{letter}");
    }
}

/// The names of the jobs on the screen, and the chosen one.
fn listed(state: &WatchState) -> (Vec<String>, String) {
    let answer = state.answer.as_ref().unwrap();
    let all = state.list.on_screen(answer).map(|one| one.0.job.clone()).collect();
    let chosen = state.list.chosen(answer).map(|job| job.job.clone()).unwrap_or_default();
    (all, chosen)
}

#[test]
fn the_table_at_two_widths() {
    shows("table-80x24", &watched((80, 24)));
    shows("table-140x30", &watched((140, 30)));
}

#[test]
fn before_the_first_answer_the_screen_says_what_it_does() {
    let mut state = WatchState::new(live(), NOW, (80, 24));
    assert!(text(&state).contains("looking …"));
    state.told(WatchNews::Begins { what: "asking about past queues".to_owned(), steps: 200 });
    state.told(WatchNews::Done(40));
    shows("computing", &state);
}

#[test]
fn an_empty_queue_and_an_outage_are_said() {
    let mut state = watched((80, 24));
    answered(&mut state, answer(NOW, Vec::new()));
    shows("empty", &state);
    let mut state = watched((80, 24));
    state.now = Time(NOW.0 + 2400);
    state.told(WatchNews::Failed { why: "squeue failed: Unable to contact slurm controller".to_owned() });
    shows("outage", &state);
    // The next answer ends it.
    answered(&mut state, queue(Time(NOW.0 + 2400)));
    let now = text(&state);
    assert!(now.contains("looked 0 seconds ago") && !now.contains("Slurm was"), "{now}");
}

#[test]
fn the_page_of_a_job_shows_how_its_forecast_moved() {
    let mut state = watched((80, 24));
    for (minutes, longer) in [(2, 1.3), (4, 0.7), (6, 1.0)] {
        let mut next = queue(Time(NOW.0 + minutes * 60));
        for start in next.jobs.iter_mut().filter_map(|job| job.start.as_mut()) {
            (start.low, start.median, start.high) =
                (start.low * longer, start.median * longer, start.high * longer);
        }
        answered(&mut state, next);
    }
    state.now = Time(NOW.0 + 370);
    assert_eq!(press(&mut state, KeyCode::Enter), Some(WatchWish::EarlierOf("104".to_owned())));
    let said = SaidStart {
        at: Time(NOW.0 - 3600),
        low: Time(NOW.0 + 1800),
        median: Time(NOW.0 + 3600),
        high: Time(NOW.0 + 9000),
    };
    state.told(WatchNews::Earlier { job: "104".to_owned(), said: vec![said] });
    shows("job", &state);
    // How often such ranges held, as `pending` says it.
    let mut known = state.answer.clone().unwrap();
    known.queues[0].record = Some(PendingRecord { answers: 60, inside: 0.75, by_p90: 0.9 });
    let last = state.answer.clone().unwrap();
    answered(&mut state, known);
    let told = text(&state);
    assert!(
        told.contains("Of 60 answers about jobs of past queues 75.0% started within their range"),
        "{told}"
    );
    answered(&mut state, last);
    // The next job of the table; one that is not in line; one that left the queue.
    assert_eq!(press(&mut state, KeyCode::Down), Some(WatchWish::EarlierOf("111".to_owned())));
    shows("job-tomorrow", &state);
    let mut gone = queue(Time(NOW.0 + 480));
    gone.jobs.retain(|job| job.job != "111");
    answered(&mut state, gone);
    assert!(text(&state).contains("Job 111 waits no longer"), "{}", text(&state));
    press(&mut state, KeyCode::Esc);
    press(&mut state, KeyCode::End);
    press(&mut state, KeyCode::Enter);
    let later = text(&state);
    assert!(later.contains("Starts not before tomorrow 14:08."), "{later}");
}

#[test]
fn help_columns_and_a_filter() {
    let mut state = watched((80, 24));
    write(&mut state, "?");
    shows("help", &state);
    write(&mut state, "xc");
    press(&mut state, KeyCode::Down);
    write(&mut state, " ");
    shows("columns", &state);
    press(&mut state, KeyCode::Esc);
    assert!(!text(&state).contains("user68"));
    write(&mut state, "/gra");
    shows("filter", &state);
}

#[test]
fn a_low_terminal_is_drawn_on_and_none_is_too_small() {
    shows("narrow-40x10", &watched((40, 10)));
    for width in [1, 2, 3, 39, 40, 41, 60, 99, 200] {
        for height in [1, 2, 9, 10, 11, 17, 60] {
            for keys in ["", "?", "c", "/x", "\n"] {
                let mut state = watched((width, height));
                for letter in keys.chars() {
                    let code = if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) };
                    press(&mut state, code);
                }
                drawn(&state, PLAIN);
            }
        }
    }
}

#[test]
fn the_choice_moves_and_stays_with_its_job() {
    let mut state = watched((80, 14));
    assert_eq!(listed(&state).1, "104");
    for (code, chosen) in [
        (KeyCode::Down, "111"),
        (KeyCode::Char('j'), "100"),
        (KeyCode::Up, "111"),
        (KeyCode::End, "130"),
        (KeyCode::Down, "130"),
        (KeyCode::Home, "104"),
        (KeyCode::Char('k'), "104"),
        (KeyCode::PageDown, "106"),
        (KeyCode::PageUp, "104"),
    ] {
        press(&mut state, code);
        let (on_screen, now) = listed(&state);
        assert_eq!(now, chosen, "{code:?}");
        assert!(on_screen.contains(&now) && on_screen.len() == 7, "{on_screen:?}");
    }
    let wheel =
        MouseEvent { kind: MouseEventKind::ScrollDown, column: 0, row: 0, modifiers: KeyModifiers::NONE };
    state.happened(&Event::Mouse(wheel));
    assert_eq!(listed(&state).1, "101");
    // Jobs that start leave; the chosen one stays chosen.
    let mut next = queue(Time(NOW.0 + 120));
    next.jobs.retain(|job| !["104", "100"].contains(&job.job.as_str()));
    answered(&mut state, next);
    assert_eq!(listed(&state).1, "101");
    state.happened(&Event::Resize(80, 9));
    assert_eq!(listed(&state), (vec!["111".to_owned(), "101".to_owned()], "101".to_owned()));
}

#[test]
fn jobs_are_sorted_with_ones_own_first() {
    let mut state = watched((80, 60));
    let first = |state: &WatchState| listed(state).0[..4].join(" ");
    assert_eq!(first(&state), "104 111 100 101");
    write(&mut state, "sS");
    assert_eq!(first(&state), "111 104 130 118");
    write(&mut state, "S");
    for column in ["user", "partition", "procs"] {
        write(&mut state, "s");
        assert!(text(&state).contains(&format!("{column}▲")), "{}", text(&state));
    }
    assert_eq!(first(&state), "104 111 130 100");
    write(&mut state, "ssssss");
    assert_eq!((first(&state), state.list.sort), ("104 111 100 101".to_owned(), None));
}

#[test]
fn what_narrows_the_table_goes_before_the_screen_does() {
    let mut state = watched((80, 60));
    write(&mut state, "p");
    assert_eq!(state.list.partition.as_deref(), Some("long"));
    assert!(text(&state).contains("in long · 1–7 of 7 (20)"), "{}", text(&state));
    write(&mut state, "pp");
    assert_eq!(state.list.partition, None);
    write(&mut state, "/zzz");
    press(&mut state, KeyCode::Enter);
    assert!(text(&state).contains("No waiting job is like that"));
    assert_eq!(press(&mut state, KeyCode::Esc), None);
    assert_eq!(listed(&state).0.len(), 20);
    assert_eq!(press(&mut state, KeyCode::Esc), Some(WatchWish::End));
    write(&mut state, "/gr");
    press(&mut state, KeyCode::Esc);
    assert_eq!((state.list.filter.as_str(), &state.page), ("", &WatchPage::Table));
    assert_eq!(press(&mut state, KeyCode::Char('q')), Some(WatchWish::End));
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(state.happened(&Event::Key(interrupt)), Some(WatchWish::End));
}

#[test]
fn a_played_log_stands_still_and_ends() {
    let place = WatchedPlace { name: "demo".to_owned(), speed: Some(3600.0), ..live() };
    let mut state = WatchState::new(place, Time(NOW.0 + 99_999), (80, 24));
    answered(&mut state, queue(NOW));
    let now = text(&state);
    assert!(now.contains("1 h a second") && !now.contains("ago"), "{now}");
    assert_eq!(press(&mut state, KeyCode::Char(' ')), Some(WatchWish::Pause(true)));
    assert!(text(&state).contains("paused"));
    assert_eq!(press(&mut state, KeyCode::Char(' ')), Some(WatchWish::Pause(false)));
    state.told(WatchNews::PlayedOut);
    assert!(text(&state).contains("the log ends here"));
    // A live site does not stand still.
    assert_eq!(press(&mut watched((80, 24)), KeyCode::Char(' ')), None);
}

#[test]
fn colours_and_characters_are_those_asked_for() {
    let mut state = watched((80, 24));
    let has_colour = |buffer: &Buffer| buffer.content.iter().any(|cell| cell.fg != Color::Reset);
    let none = WatchTheme { coloured: false, charset: Charset::Ascii };
    assert!(has_colour(&drawn(&state, PLAIN)) && !has_colour(&drawn(&state, none)));
    for code in [KeyCode::Enter, KeyCode::Esc, KeyCode::Char('?'), KeyCode::Esc, KeyCode::Char('c')] {
        press(&mut state, code);
        let buffer = drawn(&state, none);
        let foreign: Vec<&str> =
            buffer.content.iter().map(|cell| cell.symbol()).filter(|symbol| !symbol.is_ascii()).collect();
        assert_eq!(foreign, [""; 0]);
    }
}

#[test]
fn a_name_cannot_break_the_screen() {
    let mut state = watched((80, 24));
    let mut hostile = queue(NOW);
    hostile.jobs[0].user = Some("a\n\x1b[2Jb\u{202e}長い名前長い名前長い名前".to_owned());
    hostile.jobs[1].job = "9".repeat(5000);
    answered(&mut state, hostile);
    let now = text(&state);
    assert!(!now.contains('\x1b') && now.lines().count() == 24, "{now}");
    assert!(now.contains("a[2Jb"), "{now}");
}
