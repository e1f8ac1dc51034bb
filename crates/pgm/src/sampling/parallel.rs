//! Several chunks at once, handed over in order.

use std::num::NonZeroUsize;
use std::sync::mpsc::sync_channel;
use std::thread;

use scumble_cancel::checkpoint;
use scumble_schema::CodeColumn;

use super::Chunks;

impl Chunks<'_> {
    /// Makes the chunks that are left on `threads` threads, `work` on each included, and hands what comes of them to
    /// `take` in order, on the calling thread. The rows are the same whatever the number of threads.
    ///
    /// `work` is given the position of the chunk among all chunks. A slow `take` makes the threads wait: at most two
    /// chunks per thread are held, besides the one that is taken. The first error of `take` ends it all.
    pub fn in_parallel<T: Send, E>(
        self,
        threads: NonZeroUsize,
        work: impl Fn(u64, Vec<CodeColumn>) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let make = |index| work(index, self.make(index));
        if threads.get() == 1 {
            return (self.next..self.count_all()).try_for_each(|index| take(make(index)));
        }
        thread::scope(|scope| {
            let mut results = Vec::new();
            // Chunks are dealt to the threads in turns, so each thread's own queue is in order, and together they are.
            for first in (self.next..self.count_all()).take(threads.get()) {
                let (send, receive) = sync_channel(1);
                results.push(receive);
                let (make, all) = (&make, self.count_all());
                scope.spawn(move || {
                    // Nobody receives any more after an error of `take`.
                    (first..all).step_by(threads.get()).try_for_each(|index| send.send(make(index)))
                });
            }
            // A queue ends when its thread has made its last chunk, and that is when no other has more of them. Were it
            // to end for a panic, the scope passes the panic on.
            let chunks = (0..).map_while(|turn: usize| results.get(turn % results.len().max(1))?.recv().ok());
            chunks.inspect(|_| checkpoint()).try_for_each(&mut take)
        })
    }
}
