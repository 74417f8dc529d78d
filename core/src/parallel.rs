//! Work on many items, on all cores where the feature `parallel` is on. Results come back in the order of the items, so the
//! number of threads never changes an answer.

/// Applies `work` to every item; results are in the order of the items. Runs in the caller's thread pool, if it is in one.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        // Items are large, such as simulations: one by one, so that no thread keeps a long list at the end.
        items.par_iter().with_max_len(1).map(work).collect()
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
        items.par_iter_mut().with_max_len(1).map(work).collect()
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
    use super::*;

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
