//! Hosts of their own: network namespaces with an address each, on a bridge of this machine.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;

use super::servers::Place;
use scumble_benchmarks::Result;

const BRIDGE: &str = "scumble-br";

/// Some hosts. They go with it.
pub(crate) struct Hosts(usize);

fn ip(arguments: &str) -> Result<()> {
    let output = Command::new("ip").args(arguments.split(' ')).output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("`ip {arguments}`: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

impl Hosts {
    pub(crate) fn new(count: usize) -> Result<Self> {
        remove(count);
        let hosts = Self(count);
        ip(&format!("link add {BRIDGE} type bridge"))?;
        ip(&format!("addr add 10.77.0.1/24 dev {BRIDGE}"))?;
        ip(&format!("link set {BRIDGE} up"))?;
        for number in 0..count {
            let name = name(number);
            ip(&format!("netns add {name}"))?;
            ip(&format!("link add {name} type veth peer name eth0 netns {name}"))?;
            ip(&format!("link set {name} master {BRIDGE} up"))?;
            ip(&format!("-n {name} addr add 10.77.0.{}/24 dev eth0", number + 2))?;
            ip(&format!("-n {name} link set eth0 up"))?;
            ip(&format!("-n {name} link set lo up"))?;
        }
        Ok(hosts)
    }

    /// A port of a host.
    pub(crate) fn place(&self, number: usize, port: u16) -> Place {
        let last = u8::try_from(number + 2).expect("few hosts");
        Place { namespace: Some(self.name(number)), address: SocketAddr::from(([10, 77, 0, last], port)) }
    }

    /// Pulls a host's cable.
    pub(crate) fn cut(&self, number: usize) -> Result<()> {
        ip(&format!("link set {} down", self.name(number)))
    }

    /// Plugs a host's cable in again.
    pub(crate) fn reconnect(&self, number: usize) -> Result<()> {
        ip(&format!("link set {} up", self.name(number)))
    }

    fn name(&self, number: usize) -> String {
        assert!(number < self.0, "there is no such host");
        name(number)
    }
}

/// Bytes that this machine, where the coordinator is, has had from the hosts. What goes between
/// hosts is not in it.
pub(crate) fn received() -> Result<u64> {
    Ok(fs::read_to_string(format!("/sys/class/net/{BRIDGE}/statistics/rx_bytes"))?.trim().parse()?)
}

fn name(number: usize) -> String {
    format!("scumble-{number}")
}

fn remove(count: usize) {
    for number in 0..count {
        // A namespace lives as long as a process is in it, and its cable with it.
        let _ = ip(&format!("link del {}", name(number)));
        let _ = ip(&format!("netns del {}", name(number)));
    }
    let _ = ip(&format!("link del {BRIDGE}"));
}

impl Drop for Hosts {
    fn drop(&mut self) {
        remove(self.0);
    }
}
