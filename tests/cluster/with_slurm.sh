#!/usr/bin/env bash
# Run a command while a SLURM is up, and stop afterwards exactly what was started for it:
#   tests/cluster/with_slurm.sh pytest tests/cluster
# Where SLURM answers already, the command is run as it is. Otherwise one node is set up on this machine, as root,
# without systemd and without accounting; Debian's packages are installed if they are missing. Its files lie in a
# temporary folder; only the link /etc/slurm/slurm.conf is outside it, since SLURM's job steps look nowhere else.
set -euo pipefail

fail() { echo "with_slurm.sh: $*" >&2; exit 1; }

if timeout 10 sinfo >/dev/null 2>&1; then
  exec "$@"
fi
[ "$(id -u)" = 0 ] || fail "no SLURM answers here, and only root can start one: run it on a cluster, or as root"
conf=/etc/slurm/slurm.conf
[ ! -e $conf ] || fail "$conf is there but no SLURM answers: start that one, or move the file away"

if ! type -P munged slurmctld slurmd srun >/dev/null; then # false if any is missing
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge; } >/dev/null ||
    fail "could not install SLURM; install slurmctld, slurmd, slurm-client and munge by hand"
fi

home=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
chmod 755 "$home" # munge's clients need to reach its socket
host=$(hostname -s)
started=() # in the order of starting

stop() {
  status=$?
  trap - EXIT INT TERM
  timeout 20 scancel --user=root 2>/dev/null || true
  for ((i = ${#started[@]} - 1; i >= 0; i--)); do
    kill "${started[i]}" 2>/dev/null || true
    wait "${started[i]}" 2>/dev/null || true
  done
  [ "$(readlink $conf)" != "$home/slurm.conf" ] || rm $conf
  if [ $status = 0 ]; then rm -rf "$home"; else echo "with_slurm.sh: SLURM's logs are in $home" >&2; fi
  exit $status
}
trap stop EXIT INT TERM

start() { # the daemons stay in the foreground, so that their pids are known here
  "$@" >>"$home/log" 2>&1 &
  started+=($!)
}

await() {
  for _ in $(seq 150); do
    if timeout 10 "$@" >/dev/null 2>&1; then return; fi
    sleep 0.2
  done
  fail "waited in vain for: $*"
}

# the node claims four processors and 16 GB whatever the machine has, so that the profile runs as it is on any
cat >"$home/slurm.conf" <<CONF
ClusterName=neuralese
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket
StateSaveLocation=$home/controller
SlurmdSpoolDir=$home/node
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
MinJobAge=600
KillWait=5
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=UNKNOWN
PartitionName=debug Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
mkdir -p "$home/controller" "$home/node" /etc/slurm
ln -s "$home/slurm.conf" $conf
(umask 077 && head -c 1024 /dev/urandom >"$home/munge.key")

# --force: as root and from a temporary folder
start munged --foreground --force --key-file="$home/munge.key" --socket="$home/munge.socket" \
  --pid-file="$home/munged.pid" --seed-file="$home/munged.seed" --log-file="$home/munged.log"
await munge --socket="$home/munge.socket" --no-input
start slurmctld -D -i
await scontrol ping
start slurmd -D
await srun --ntasks=1 true

"$@"
