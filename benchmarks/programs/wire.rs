//! A proxy on loopback that counts the bytes a server sends.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use scumble_benchmarks::Result;

/// A port that leads to another, and the bytes that came back.
pub(crate) struct Wire {
    port: u16,
    bytes: Arc<AtomicU64>,
}

impl Wire {
    /// Leads from `own` to `port`; from a free port if `own` is 0.
    pub(crate) fn to(port: u16, own: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", own))?;
        let (own, bytes) = (listener.local_addr()?.port(), Arc::new(AtomicU64::new(0)));
        let counted = Arc::clone(&bytes);
        // It ends with the program.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let (Ok(from_client), Ok(to_client)) = (client.try_clone(), server.try_clone()) else { continue };
                let counted = Arc::clone(&counted);
                thread::spawn(move || forward(from_client, server, &AtomicU64::new(0)));
                thread::spawn(move || forward(to_client, client, &counted));
            }
        });
        Ok(Self { port: own, bytes })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, counted: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length) = from.read(&mut buffer) {
        counted.fetch_add(length as u64, Ordering::SeqCst);
        if length == 0 || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    // The other direction ends by itself.
    let _ = to.shutdown(Shutdown::Write);
}
