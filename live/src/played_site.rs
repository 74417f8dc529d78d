//! A log that is followed as if it were a live site.

use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use queuecast_core::asking::{Refusal, Unheard};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{CampaignForecaster, PlayedForecaster, WhenSettings};
use queuecast_place::{LabelledLog, LearnedLog, PlaceSnapshot, PlayedLog};
use queuecast_trace::{Log, PastSpan, TimeZone};

use crate::played_record::PlayedRecord;
use crate::scorecard::Scorecard;
use crate::shadow_card::{ShadowCard, ShadowRecord};
use crate::site_snapshot::{FollowedSite, SiteNews, SiteSnapshot};

/// A log that is played.
#[derive(Debug)]
pub struct PlayedSite {
    /// What to call it.
    pub name: Arc<str>,
    /// The log, with its unfinished jobs taken.
    pub log: Arc<Log>,
    /// Where it begins.
    pub from: Time,
    /// Where it ends.
    pub until: Time,
    /// Whether it then begins again.
    pub repeats: bool,
    /// The zone of dates.
    pub zone: TimeZone,
}

/// Campaigns are learned again after this many seconds of the log.
const CAMPAIGNS_APART: Seconds = Seconds(6 * 3600);

/// And not more than this share of the time.
const SHARE_OF_TIME: u32 = 10;

/// Learns campaigns beside the looks.
struct CampaignLearner<'scope> {
    running: Option<ScopedJoinHandle<'scope, (CampaignForecaster, Duration)>>,
    learned: Option<Arc<CampaignForecaster>>,
    /// The moment up to which it was learned last, when that was done, and how long it took.
    last: Option<(Time, Instant, Duration)>,
}

impl<'scope> CampaignLearner<'scope> {
    /// Whether something was learned that has not been told.
    fn has_news(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_finished())
    }

    /// What is learned so far; begins anew when it is old.
    fn at<'env>(
        &mut self,
        at: Time,
        workload: &'env Workload,
        scope: &'scope Scope<'scope, 'env>,
    ) -> Option<Arc<CampaignForecaster>> {
        if let Some(done) = self.running.take_if(|running| running.is_finished())
            && let Ok((learned, took)) = done.join()
        {
            self.learned = Some(Arc::new(learned));
            self.last = self.last.map(|(until, ..)| (until, Instant::now(), took));
        }
        let is_due = self.last.is_none_or(|(until, when, took)| {
            at - until >= CAMPAIGNS_APART && when.elapsed() >= took * SHARE_OF_TIME
        });
        if self.running.is_none() && is_due {
            let learn = move || {
                let begun = Instant::now();
                let settings = WhenSettings::default();
                (CampaignForecaster::of_log(workload, at, &settings, &|_| {}).0, begun.elapsed())
            };
            let thread = std::thread::Builder::new().name("campaigns".to_owned());
            // Without a thread it is tried again at the next look.
            self.running = thread.spawn_scoped(scope, learn).ok();
            self.last = Some((at, Instant::now(), Duration::ZERO));
        }
        self.learned.clone()
    }
}

impl PlayedSite {
    /// Plays once to the end; whether it is to go on.
    fn play(&self, heard: &mut dyn FnMut(SiteNews) -> Option<Seconds>) -> Result<bool, Refusal> {
        let (settings, workload) = (WhenSettings::default(), &self.log.workload);
        let log = LabelledLog { name: &self.name, log: &self.log, learned: None };
        let mut now = self.from;
        std::thread::scope(|scope| {
            let mut forecaster = PlayedForecaster::new(workload, &settings);
            let (from, by) = (now, &settings);
            let learned = scope.spawn(move || PlayedLog::from(log, from, by, &Unheard));
            forecaster.advance_to(now, &|_| {});
            let mut played = learned.join().map_err(|_| Refusal::bug("a thread that learns has ended"))??;
            let mut record = PlayedRecord::of(workload);
            let mut campaigns = CampaignLearner { running: None, learned: None, last: None };
            loop {
                let (pending, machine) = played.queue_and_machine(now, &self.zone)?;
                forecaster.advance_to(now, &|_| {});
                record.looked(&pending);
                let (newcomers, site) = forecaster.snapshot();
                let learned = campaigns.at(now, workload, scope);
                let learned = LearnedLog { forecaster: newcomers, campaigns: learned, site };
                let named = (self.name.clone(), self.log.clone());
                let place = PlaceSnapshot::of_log(named, now, learned, (pending, machine), &self.zone);
                let (judged, said) = (record.judged(&self.name, now), record.said());
                let scorecard = judged.scorecard(PastSpan { from: now - Scorecard::USUAL, until: now });
                let of = (self.name.to_string(), self.name.to_string());
                // A log has no scheduler of its own beside which another one could decide.
                let shadow = ShadowCard::of(of, (self.from, now), ShadowRecord::default());
                let mut news = SiteNews::Snapshot(Box::new(SiteSnapshot {
                    place,
                    scorecard,
                    forecasts: Some(judged),
                    shadow,
                    said,
                    past_from: None,
                    nodes: None,
                }));
                let ahead = loop {
                    let Some(ahead) = heard(news) else { return Ok(false) };
                    let stands = ahead <= Seconds::ZERO || (now >= self.until && !self.repeats);
                    if !stands || campaigns.has_news() {
                        break ahead;
                    }
                    let is_over = now >= self.until && !self.repeats;
                    news = if is_over { SiteNews::Ended } else { SiteNews::Nothing };
                };
                if now >= self.until && self.repeats {
                    return Ok(true);
                }
                now = Time(now.0.saturating_add(ahead.0)).min(self.until);
            }
        })
    }
}

impl FollowedSite for PlayedSite {
    fn follow(&mut self, heard: &mut dyn FnMut(SiteNews) -> Option<Seconds>) -> Result<(), Refusal> {
        while self.play(heard)? {}
        Ok(())
    }
}
