import { type ChildProcess, execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { IS_LINUX, IS_WINDOWS } from "../../../../lib/platform";
import { strayProcesses } from "./stray-processes";

const POLL_MS = 10;
/** Finding the members of a group without its leader takes a look at every process. */
const ORPHAN_POLL_MS = 40;
/** Processes whose leader has exited get less time to finish. */
const ORPHAN_GRACE_MS = 100;
/** Limit for processes that cannot be killed, such as one that waits for a broken disk. */
const AFTER_KILL_MS = 1000;

const live = new Set<ProcessGroup>();

function killAll(): void {
  for (const group of live) group.kill();
  strayProcesses.kill(new Set([...live].map(({ marker }) => marker)));
}

/**
 * A child process and everything that it starts. Spawn it with `detached: true`, so that it leads a process group, and with
 * the marker in its environment, so that processes that leave the group are found.
 */
export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly marker: string;
  #gone = false;
  #isHeard = false;
  #ending: Promise<void> | null = null;

  /** Once constructed, the group is killed when this process exits. */
  constructor(child: ChildProcess, pid: number, marker: string) {
    this.#child = child;
    this.#pid = pid;
    this.marker = marker;
    if (live.size === 0) process.on("exit", killAll);
    live.add(this);
    strayProcesses.started(marker, pid);
  }

  get leaderExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Notes that the server has sent something, so that its processes exist. */
  noteMessage(): void {
    strayProcesses.active(!this.#isHeard);
    this.#isHeard = true;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#gone) return;
    if (IS_WINDOWS) {
      if (this.leaderExited) return;
      // Where `taskkill` is missing or refuses, only the leader is killed.
      execFile("taskkill", toTreeArguments(this.#pid), (error) => error !== null && this.#child.kill("SIGKILL"));
      return;
    }
    try {
      process.kill(-this.#pid, signal);
    } catch {
      // The group is empty.
    }
  }

  /** Synchronously, while this process exits. */
  kill(): void {
    if (!IS_WINDOWS) this.signal("SIGKILL");
    else if (!this.#gone && !this.leaderExited) {
      if (spawnSync("taskkill", toTreeArguments(this.#pid)).status !== 0) this.#child.kill("SIGKILL");
    }
  }

  /** Closes the input, then sends SIGTERM, then SIGKILL. Resolves when no process of the group or with its marker is left. */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs);
    return this.#ending;
  }

  async #end(graceMs: number): Promise<void> {
    this.#child.stdin?.end();
    if (!(await this.#goneWithin(graceMs, ORPHAN_GRACE_MS))) {
      this.signal("SIGTERM");
      if (!(await this.#goneWithin(graceMs, graceMs))) {
        this.signal("SIGKILL");
        await this.#goneWithin(AFTER_KILL_MS, AFTER_KILL_MS);
      }
    }
    await strayProcesses.end(this.marker, graceMs);
    this.#forget();
  }

  async #goneWithin(maxMs: number, orphanMs: number): Promise<boolean> {
    const startedAt = performance.now();
    let orphanedAt = this.leaderExited ? startedAt : null;
    while (this.#alive()) {
      const now = performance.now();
      if (this.leaderExited) orphanedAt ??= now;
      if (now - startedAt >= maxMs || (orphanedAt !== null && now - orphanedAt >= orphanMs)) return false;
      await new Promise((resolve) => setTimeout(resolve, this.leaderExited ? ORPHAN_POLL_MS : POLL_MS));
    }
    return true;
  }

  #alive(): boolean {
    if (!this.leaderExited) return true;
    if (IS_WINDOWS) return false;
    try {
      process.kill(-this.#pid, 0);
      return hasLiveMember(this.#pid);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
  }

  /** Sends no signal from here on, since the id may be reused. */
  #forget(): void {
    this.#gone = true;
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy();
    live.delete(this);
    if (live.size === 0) process.removeListener("exit", killAll);
  }
}

/**
 * Ignores zombies: in a container whose init process reaps no children they stay in their group forever. Without `/proc`
 * they count as alive until the timeouts pass.
 */
function hasLiveMember(group: number): boolean {
  if (!IS_LINUX) return true;
  return readdirSync("/proc").some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      // Reads after the name, which may hold any character: state, parent, group.
      const [state, , groupOfEntry] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(groupOfEntry) === group && state !== "Z" && state !== "X";
    } catch {
      return false;
    }
  });
}

/**
 * Windows has no process groups and no signals: a tree is ended whole while its leader lives, since nothing leads to the other
 * processes afterwards.
 */
const toTreeArguments = (pid: number): string[] => ["/pid", String(pid), "/T", "/F"];
