//! The times of the head: the most popular estimates (section 9.2).

use super::{HEAD, MINUTE};
use queuecast_core::units::Seconds;

/// The 15 times that are among the 20 most popular of all four logs (Table 5, bold), in minutes: the most popular
/// over the four first, which matters only where a head has room for fewer.
const JOINT: [i64; 15] = [120, 1080, 15, 5, 30, 10, 60, 240, 180, 20, 360, 720, 600, 480, 300];

/// *T_round*, in minutes. The paper ends with 5; the last is for a longest time so short that it has not 20 multiples
/// of five minutes.
const LADDER: [i64; 11] = [12_000, 6000, 3000, 600, 300, 120, 60, 20, 10, 5, 1];

/// The most popular times, at most 20: the longest, then the joint times below it, then multiples of ever smaller round
/// times below it, longest first.
pub fn times(longest: Seconds, count: usize) -> Vec<Seconds> {
    let minutes = |minutes: i64| Seconds(minutes * MINUTE);
    let mut chosen = vec![longest];
    let below = super::times::last_minute(longest) - 1;
    let multiples =
        LADDER.into_iter().flat_map(|round| (1..=below / round).rev().map(move |times| times * round));
    for time in JOINT.into_iter().chain(multiples).map(minutes) {
        if chosen.len() >= count.min(HEAD) {
            break;
        }
        if time < longest && !chosen.contains(&time) {
            chosen.push(time);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 5: minutes, and percent of SDSC-106, CTC, KTH4H and BLUE (0 where not among the 20 most popular).
    const TABLE_5: [(i64, [f64; 4]); 36] = [
        (1, [0.0, 0.0, 6.6, 0.0]),
        (2, [0.0, 0.0, 4.0, 0.0]),
        (3, [0.0, 0.0, 2.2, 0.0]),
        (4, [0.0, 0.0, 1.2, 0.0]),
        (5, [11.3, 8.8, 11.5, 2.7]),
        (10, [7.9, 6.4, 9.6, 4.3]),
        (12, [1.2, 0.0, 0.0, 0.0]),
        (15, [3.0, 10.6, 5.3, 16.0]),
        (20, [4.8, 2.0, 3.1, 2.5]),
        (30, [4.7, 3.5, 5.5, 17.7]),
        (40, [0.0, 0.0, 1.3, 0.5]),
        (45, [1.1, 0.0, 0.0, 0.0]),
        (50, [0.0, 0.0, 0.0, 0.5]),
        (60, [10.5, 4.2, 5.8, 4.9]),
        (90, [0.0, 0.8, 1.3, 1.5]),
        (100, [0.0, 0.0, 1.4, 0.0]),
        (119, [0.0, 0.0, 0.0, 6.0]),
        (120, [5.3, 5.4, 4.5, 21.3]),
        (130, [0.0, 0.0, 1.3, 0.0]),
        (150, [1.2, 0.0, 1.4, 0.0]),
        (180, [3.8, 4.9, 2.5, 1.8]),
        (200, [0.0, 0.0, 5.1, 0.0]),
        (230, [0.0, 0.0, 3.3, 0.0]),
        (240, [5.7, 2.2, 12.5, 1.6]),
        (290, [0.0, 0.6, 0.0, 0.0]),
        (300, [1.4, 1.1, 0.0, 0.9]),
        (360, [2.0, 6.1, 0.0, 1.0]),
        (420, [0.9, 0.0, 0.0, 0.0]),
        (480, [3.4, 1.5, 0.0, 0.8]),
        (600, [3.3, 1.7, 0.0, 0.9]),
        (720, [4.0, 2.2, 0.0, 0.6]),
        (900, [0.9, 1.5, 0.0, 0.0]),
        (960, [0.0, 1.0, 0.0, 0.0]),
        (1020, [0.0, 0.6, 0.0, 0.0]),
        (1080, [9.8, 23.8, 0.0, 2.1]),
        (2160, [0.0, 0.0, 0.0, 1.1]),
    ];

    fn minutes(longest: i64, count: usize) -> Vec<i64> {
        let mut times: Vec<i64> =
            times(Seconds(longest * 60), count).into_iter().map(|time| time.0 / 60).collect();
        times.sort_unstable();
        times
    }

    #[test]
    fn the_joint_times_are_the_15_of_table_5() {
        let joint = |&(time, percent): &(i64, [f64; 4])| {
            let logs = percent.iter().filter(|&&percent| percent > 0.0).count();
            // KTH4H cannot have longer ones.
            if time <= 240 { logs == 4 } else { logs == 3 && percent[2] == 0.0 }
        };
        let mut joint: Vec<(i64, [f64; 4])> = TABLE_5.into_iter().filter(joint).collect();
        assert_eq!(joint.len(), 15);
        joint.sort_by(|one, next| next.1.iter().sum::<f64>().total_cmp(&one.1.iter().sum()));
        assert_eq!(joint.into_iter().map(|(time, _)| time).collect::<Vec<_>>(), JOINT);
        // Control: the table is the paper's, 20 values of each log.
        for log in 0..4 {
            assert_eq!(TABLE_5.iter().filter(|(_, percent)| percent[log] > 0.0).count(), 20);
        }
    }

    #[test]
    fn the_head_of_18_hours() {
        let hours = [1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18].map(|hours| hours * 60);
        assert_eq!(minutes(1080, 20), [&[5, 10, 15, 20, 30][..], &hours].concat());
    }

    #[test]
    fn the_head_of_4_hours_is_condensed() {
        let ladder = [40, 80, 100, 140, 160, 170, 190, 200, 210, 220, 230];
        let mut head = [&[5, 10, 15, 20, 30, 60, 120, 180, 240][..], &ladder].concat();
        head.sort_unstable();
        assert_eq!(minutes(240, 20), head);
    }

    #[test]
    fn the_head_of_longer_and_shorter_machines() {
        // 36 h: all 15 joint times, then 30, 20 and 35, 25 hours.
        let long = minutes(2160, 20);
        assert!(
            [1080, 1200, 1500, 1800, 2100, 2160].iter().all(|time| long.contains(time)) && long.len() == 20
        );
        // 401 h: the modes of the NCSA machine (400, 200, 100 and 50 hours; all multiples of 50 between).
        let longer = minutes(401 * 60, 20);
        assert!([400, 200, 300, 100].iter().all(|hours| longer.contains(&(hours * 60))), "{longer:?}");
        assert_eq!(minutes(7, 20), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(times(Seconds(90), 20), [Seconds(90), Seconds(60)]);
        assert_eq!(minutes(1080, 3), [15, 120, 1080]);
        assert_eq!(minutes(1080, 1), [1080]);
    }
}
