//! Work on many items, on all cores where the feature `parallel` is on. Results come back in the order of the items, so the
//! number of threads never changes an answer. A thread that does some of the work does it for what the caller computes (module `wanted`).

#[cfg(feature = "parallel")]
use crate::wanted;

/// Applies `work` to every item; results are in the order of the items. Runs in the caller's thread pool, if it is in one.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        // Items are large, such as simulations: one by one, so that no thread keeps a long list at the end.
        let wanted = wanted::current();
        items.par_iter().with_max_len(1).map(|item| wanted::within(wanted.clone(), || work(item))).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        items.iter().map(work).collect()
    }
}

/// Applies `work` to every item in its place; results are in the order of the items.
pub fn map_mut<T: Send, R: Send>(items: &mut [T], work: impl Fn(&mut T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let wanted = wanted::current();
        items
            .par_iter_mut()
            .with_max_len(1)
            .map(|item| wanted::within(wanted.clone(), || work(item)))
            .collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        items.iter_mut().map(work).collect()
    }
}

/// As [`map`] for work that can fail: the error of the first item that failed, by its place.
pub fn try_map<T: Sync, R: Send, E: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync + Send,
) -> Result<Vec<R>, E> {
    map(items, work).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::wanted::{is_wanted, while_wanted};

    #[test]
    fn what_is_not_wanted_is_given_up_in_all_threads_and_not_handed_out() {
        let (asked, worked, items) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0), [0_u32; 1000]);
        let counted = asked.clone();
        // Wanted when it is asked for the first ten times.
        let ten_times = move || counted.fetch_add(1, Ordering::Relaxed) < 10;
        let work = |_: &u32| {
            if is_wanted() {
                worked.fetch_add(1, Ordering::Relaxed);
            }
        };
        assert_eq!(while_wanted(ten_times, || map(&items, work)), None);
        assert_eq!(worked.load(Ordering::Relaxed), 10);
        // What follows in these threads is computed for nothing that ends.
        assert_eq!(map(&items, |_| is_wanted()), [true; 1000]);
        assert_eq!(while_wanted(|| true, || map(&items, |_| is_wanted())), Some(vec![true; 1000]));
    }

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        assert_eq!(map(&items, |item| item * 2), (0..2000).step_by(2).collect::<Vec<u64>>());
        let failed = try_map(&items, |&item| if item % 300 == 299 { Err(item) } else { Ok(item) });
        assert_eq!(failed, Err(299));
        let mut changed = items.clone();
        let before = map_mut(&mut changed, |item| std::mem::replace(item, *item + 1));
        assert_eq!((before, changed), (items.clone(), (1..=1000).collect()));
        assert_eq!(try_map(&items, |&item| Ok::<u64, ()>(item)).map(|all| all.len()), Ok(1000));
    }
}
