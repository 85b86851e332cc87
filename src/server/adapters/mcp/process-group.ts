import { type ChildProcess, execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Windows has no process groups in this sense; there the tree is ended by the system's own tool. */
const HAS_GROUPS = process.platform !== "win32";
const POLL_MS = 10;
/** Looking who is left of a group without its leader costs a look at every process. */
const ORPHAN_POLL_MS = 40;
/** Helpers of a leader that has already gone are not asked to finish their work for long. */
const ORPHAN_GRACE_MS = 100;
/** For what cannot be ended, such as a process that waits for a broken disk. */
const AFTER_KILL_MS = 1000;

const live = new Set<ProcessGroup>();

function killAll(): void {
  for (const group of live) group.signal("SIGKILL");
}

/** A child that leads its own process group, with everything that it starts. Spawn it with `detached: true`. */
export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #pid: number;
  #gone = false;
  #ending: Promise<void> | null = null;

  /** From here on the group is killed when this process ends, however it ends by itself. */
  constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.#pid = pid;
    if (live.size === 0) process.on("exit", killAll);
    live.add(this);
  }

  get leaderExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#gone) return;
    if (!HAS_GROUPS) {
      endTree(this.#child, this.#pid, signal);
      return;
    }
    try {
      process.kill(-this.#pid, signal);
    } catch {
      // Nobody is left in the group.
    }
  }

  /** Asks first (end of input, then SIGTERM), then kills. Resolves when nobody of the group is left. */
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
    this.#forget();
  }

  async #goneWithin(mostMs: number, orphanMs: number): Promise<boolean> {
    const startedAt = performance.now();
    let orphanedAt = this.leaderExited ? startedAt : null;
    while (this.#alive()) {
      const now = performance.now();
      if (this.leaderExited) orphanedAt ??= now;
      if (now - startedAt >= mostMs || (orphanedAt !== null && now - orphanedAt >= orphanMs)) return false;
      await new Promise((resolve) => setTimeout(resolve, this.leaderExited ? ORPHAN_POLL_MS : POLL_MS));
    }
    return true;
  }

  #alive(): boolean {
    if (!this.leaderExited) return true;
    if (!HAS_GROUPS) return false;
    try {
      process.kill(-this.#pid, 0);
      return hasLiveMember(this.#pid);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
  }

  /** Its number may be given to another process now, so no signal is ever sent again. */
  #forget(): void {
    this.#gone = true;
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy();
    live.delete(this);
    if (live.size === 0) process.removeListener("exit", killAll);
  }
}

/**
 * In a container whose first process collects nobody, ended grandchildren stay in their group as zombies for ever. Where
 * that cannot be looked up they count as alive, and the waiting times end the wait.
 */
function hasLiveMember(group: number): boolean {
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      // Behind the name, which may hold anything: state, parent, group.
      const [state, , groupOfEntry] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(groupOfEntry) === group && state !== "Z" && state !== "X";
    } catch {
      return false;
    }
  });
}

function endTree(child: ChildProcess, pid: number, signal: NodeJS.Signals): void {
  if (signal !== "SIGKILL") {
    child.kill(signal);
    return;
  }
  execFile("taskkill", ["/pid", String(pid), "/T", "/F"], () => undefined);
}
