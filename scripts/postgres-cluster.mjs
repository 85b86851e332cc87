import { execFile } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { runCommand } from "./run-command.mjs";

const APT_LIMIT_MS = 10 * 60_000;
const START_LIMIT_MS = 60_000;
/** Debian's package makes and starts a cluster of its own, unless this file says otherwise. */
const DEBIAN_CLUSTERS = "/etc/postgresql-common/createcluster.conf";
const OLDEST = 15;
/** A short path: that of a Unix socket has at most 104 characters on some systems. Not TMPDIR, which a test run sets. */
const BASE = "/tmp";
const PREFIX = "trpg-";
const SPEED = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB"];

const FOLDERS = ["/usr/sbin", "/usr/bin", "/opt/homebrew/bin", "/usr/local/sbin", "/usr/local/bin"];

const findProgram = (/** @type {string} */ name) =>
  FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;

/** The program PgBouncer; null where there is none. */
export const findPgbouncer = () => findProgram("pgbouncer");

/** The program HAProxy; null where there is none. */
export const findHaproxy = () => findProgram("haproxy");

/** The folder of the newest PostgreSQL programs, 15 or newer; null where there are none. @returns {string | null} */
export function findPostgres() {
  const versions = (/** @type {string} */ folder, /** @type {RegExp} */ name) =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .flatMap((entry) => {
        const version = Number(name.exec(entry)?.[1] ?? 0);
        return version >= OLDEST ? [{ version, bin: path.join(folder, entry, "bin") }] : [];
      })
      .filter(({ bin }) => existsSync(path.join(bin, "initdb")));
  const found = [
    ...versions("/usr/lib/postgresql", /^(\d+)$/),
    ...versions("/opt/homebrew/opt", /^postgresql@(\d+)$/),
    ...versions("/usr/local/opt", /^postgresql@(\d+)$/),
    ...versions("/usr", /^pgsql-(\d+)$/),
  ];
  return found.sort((left, right) => right.version - left.version)[0]?.bin ?? null;
}

/**
 * As `findPostgres`; installs Debian's packages of PostgreSQL, PgBouncer and HAProxy where one is missing and this user may.
 * @param {(note: string) => void} tell hears what is being tried
 */
export async function ensurePostgres(tell = () => {}) {
  const present = findPostgres();
  const missing = [
    ...(present === null ? ["postgresql"] : []),
    ...(findPgbouncer() === null ? ["pgbouncer"] : []),
    ...(findHaproxy() === null ? ["haproxy"] : []),
  ];
  if (missing.length === 0 || process.platform !== "linux" || process.getuid?.() !== 0) return present;
  if (!existsSync("/usr/bin/apt-get")) return present;
  tell(`installing the distribution's ${missing.join(" and ")}`);
  if (!existsSync(DEBIAN_CLUSTERS)) {
    mkdirSync(path.dirname(DEBIAN_CLUSTERS), { recursive: true });
    writeFileSync(DEBIAN_CLUSTERS, "create_main_cluster = false\n");
  }
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" }, timeoutMs: APT_LIMIT_MS };
  await runCommand("apt-get", ["update"], options);
  const install = ["install", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold"];
  await runCommand("apt-get", [...install, ...missing], options);
  // A distribution may lack one of the others.
  if (findPostgres() === null) await runCommand("apt-get", [...install, "postgresql"], options);
  return findPostgres();
}

/** PostgreSQL and PgBouncer refuse to run as root. @returns {{ uid: number, gid: number } | null} */
export function chooseUser() {
  if (process.getuid?.() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((entry) => entry.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** @returns {Promise<number>} */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/**
 * Starts a PostgreSQL server of its own on a free port of this machine. Its user `toolroom` needs no password; a role that is
 * called `guarded` would. Once its owner has ended, the next start removes it: the process of the test run that
 * `TOOLROOM_TEST_RUN` names, else this one.
 * @param {string} bin as `findPostgres` @param {string[]} given settings; by default the data may be lost @returns {Promise<{ url: string, folder: string }>} `url` of the database postgres
 */
export async function startCluster(bin, given = SPEED) {
  sweepClusters();
  const user = chooseUser();
  const owner = process.env.TOOLROOM_TEST_RUN ?? process.pid;
  const folder = mkdtempSync(path.join(BASE, `${PREFIX}${owner}-`));
  const data = path.join(folder, "data");
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const options = { cwd: folder, env: { ...process.env, LC_ALL: "C" }, timeout: START_LIMIT_MS, ...(user ?? {}) };
  const run = (/** @type {string} */ program, /** @type {string[]} */ args) =>
    promisify(execFile)(path.join(bin, program), args, options);
  await run("initdb", ["-D", data, "-U", "toolroom", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
  const rules = path.join(data, "pg_hba.conf");
  writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`);
  const port = await findFreePort();
  const settings = [...given, "listen_addresses=127.0.0.1", "max_connections=200", `unix_socket_directories=${folder}`];
  const flags = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(" ");
  await run("pg_ctl", ["-D", data, "-w", "-l", path.join(folder, "log"), "-o", flags, "start"]);
  return { url: `postgresql://toolroom@127.0.0.1:${port}/postgres`, folder };
}

/** Ends the server at once and removes its data. @param {string} folder as `startCluster` */
export function stopCluster(folder) {
  const file = path.join(folder, "data", "postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
  try {
    if (pid > 0) process.kill(pid, "SIGQUIT");
  } catch {
    // It has ended already.
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Removes the servers of runs that were killed. */
function sweepClusters() {
  for (const entry of readdirSync(BASE)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(entry)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) stopCluster(path.join(BASE, entry));
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
