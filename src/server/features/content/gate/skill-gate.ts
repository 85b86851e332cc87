import type { Actor } from "../../../../lib/contract/actor";
import type {
  SkillChange,
  SkillDecision,
  SkillDecisionOutcome,
  SkillReference,
  SkillVersions,
} from "../../../../lib/contract/skill-change";
import { MAX_REVIEWED_BYTES, MAX_REVIEWED_SKILLS } from "../../../../lib/contract/skill-limits";
import { getMessage } from "../../../../lib/get-message";
import { declaresSkills, getSkillRoot, type SkillFile } from "../../../../lib/skills";
import type { ServerContent } from "../../../engine/mcp-ports";
import type { Clock, Logger } from "../../../engine/ports";
import { AppError } from "../../../platform/shared/app-error";
import { createKeyedMutex } from "../../../platform/shared/mutex";
import { type ContentPorts, isPersonal } from "../content-ports";
import { describeChange, toReviewedVersion } from "./describe-change";
import { findFileProblem, readFileBytes } from "./file-content";
import { type ListedSkill, readListedSkills, toRemovalHash } from "./read-listed-skills";
import type {
  ApprovedSkill,
  FileBytes,
  SkillEntry,
  SkillGateStore,
  SkillPin,
  SkillPinChange,
} from "./skill-gate-store";

/** The time for one list and the files of its new versions. */
const CHECK_MS = 60_000;

export interface SkillGatePorts extends Pick<ContentPorts, "settings"> {
  connections: Pick<ContentPorts["connections"], "content" | "capabilities" | "state">;
  store: SkillGateStore;
  clock: Pick<Clock, "now">;
  logger: Logger;
  /** What waits at a server is another one. */
  onWaiting: (server: string) => void;
  /** Clients receive other skills of a server: the URIs of files that are other ones now. */
  onServed: (server: string, uris: readonly string[]) => void;
}

/** What this process knows of one server. */
interface Gate {
  /** Null until the first list under the policy is stored. */
  pins: ReadonlyMap<string, SkillPin> | null;
  /** The last list of each owner of a connection; of a shared one under the empty name. */
  listed: Map<string, ReadonlyMap<string, ListedSkill>>;
  /** Versions that cannot be approved, by the URI of the skill. */
  withheld: ReadonlyMap<string, WithheldSkill>;
}

interface WithheldSkill {
  skill: ListedSkill;
  reason: string;
  at: number;
}

/** A file of an approved version. */
export interface ApprovedFile {
  file: SkillFile;
  skill: ApprovedSkill;
  /** Whether the server lists the approved version now. */
  isListed: boolean;
}

export type SkillGate = ReturnType<typeof createSkillGate>;

/**
 * Holds changed skills of servers whose changes wait, as the gate of tools does: clients receive the approved versions,
 * whose files are stored. No rule can tell what a changed text does, so that each waits under every policy but `off`.
 */
export function createSkillGate(ports: SkillGatePorts) {
  const { connections, store, settings, clock, logger, onWaiting, onServed } = ports;
  const gates = new Map<string, Gate>();
  const inOrder = createKeyedMutex();
  /** Checks that have not begun. */
  const waiting = new Map<string, Promise<void>>();

  const isGated = (server: string): boolean => (settings(server)?.changedTools ?? "off") !== "off";
  const toOwner = (server: string, person: string): string => (isPersonal(ports, server) ? person : "");

  function open(server: string): Gate {
    const known = gates.get(server);
    if (known !== undefined) return known;
    const gate: Gate = { pins: null, listed: new Map(), withheld: new Map() };
    gates.set(server, gate);
    return gate;
  }

  async function reread(server: string): Promise<Gate> {
    const gate = open(server);
    const pins = await store.list(server);
    gate.pins = pins === null ? null : toMap(pins);
    return gate;
  }

  /** Lists the server's skills now, and compares them with the approved ones. A check that has not begun serves all callers. */
  function check(server: string, person: string): Promise<void> {
    const key = JSON.stringify([server, toOwner(server, person)]);
    const known = waiting.get(key);
    if (known !== undefined) return known;
    const begun = inOrder(server, async () => {
      waiting.delete(key);
      if (isGated(server)) await checkList(server, person);
      // A deleted server may be restored, and its reviews with it.
      else if (settings(server) !== null) await clear(server);
    });
    waiting.set(key, begun);
    return begun;
  }

  /** Changes that waited are in use from now on: a policy that is set later begins with what is listed then. */
  async function clear(server: string): Promise<void> {
    const gate = await reread(server);
    gates.delete(server);
    if (gate.pins === null) return;
    await store.clear(server);
    onWaiting(server);
    onServed(server, []);
  }

  async function checkList(server: string, person: string): Promise<void> {
    const signal = AbortSignal.timeout(CHECK_MS);
    await connections.content(server, (content) => compareList(server, person, content, signal), person);
  }

  async function compareList(server: string, person: string, content: ServerContent, signal: AbortSignal) {
    const listed = readListedSkills(await content.list("skills", signal));
    const gate = await reread(server);
    const before = describeState(gate);
    const reader = createReader(server, content, signal);
    const isFirst = gate.pins === null;
    if (isFirst) await begin(server, listed, reader);
    else await hold(server, { gate, listed, reader, isShared: toOwner(server, person) === "" });
    await reread(server);
    gate.listed.set(toOwner(server, person), listed);
    gate.withheld = reader.withheld;
    if (describeState(gate) !== before) onWaiting(server);
    if (isFirst) onServed(server, []);
  }

  async function begin(server: string, listed: ReadonlyMap<string, ListedSkill>, reader: Reader): Promise<void> {
    const approved: ApprovedSkill[] = [];
    for (const skill of listed.values()) {
      if (await reader.read(skill)) approved.push({ hash: skill.hash, entry: skill.entry });
    }
    await store.begin(server, clock.now(), approved, reader.files);
  }

  async function hold(server: string, { gate, listed, reader, isShared }: ComparedList): Promise<void> {
    const { pins } = gate;
    const changes: SkillPinChange[] = [];
    for (const skill of listed.values()) {
      const pin = pins?.get(skill.uri);
      if (pin?.approved?.hash === skill.hash) {
        if (pin.held?.status === "open") changes.push({ kind: "settle", uri: pin.uri, hash: pin.held.hash });
        continue;
      }
      if (pin?.held?.hash === skill.hash) continue;
      if (!(await reader.read(skill))) continue;
      const { uri, hash, entry } = skill;
      changes.push({ kind: "hold", uri, held: { hash, entry, at: clock.now() } });
    }
    // Users of personal connections may see different lists.
    for (const pin of isShared ? (pins?.values() ?? []) : []) {
      if (!listed.has(pin.uri)) changes.push(...toRemoval(pin, clock.now()));
    }
    if (changes.length > 0) await store.change(server, changes, reader.files);
  }

  /** Reads files of new versions from their server, each once. */
  function createReader(server: string, content: ServerContent, signal: AbortSignal): Reader {
    const files = new Map<string, Uint8Array>();
    const withheld = new Map<string, WithheldSkill>();
    const known = new Set<string>();
    const pins = open(server).pins ?? new Map<string, SkillPin>();
    let room = MAX_PINS - pins.size;
    let bytes = 0;
    for (const { approved, held } of pins.values()) {
      for (const { digest, size } of [...(approved?.entry.resources ?? []), ...(held?.entry?.resources ?? [])]) {
        if (known.has(digest)) continue;
        known.add(digest);
        bytes += size;
      }
    }

    async function readFiles({ entry }: ListedSkill): Promise<string | null> {
      if (!pins.has(entry.uri) && room-- <= 0) return `more than ${MAX_PINS} skills of the server are reviewed`;
      const missing = entry.resources.filter(({ digest }) => !known.has(digest));
      const added = missing.reduce((sum, { size }) => sum + size, 0);
      if (bytes + added > MAX_REVIEWED_BYTES) {
        return `the reviewed skills of the server have more than ${MAX_REVIEWED_BYTES} bytes together`;
      }
      const read = new Map<string, Uint8Array>();
      for (const file of missing) {
        const found = readFileBytes(file.uri, await content.ask("resources/read", { uri: file.uri }, signal));
        const problem = findFileProblem(file, found);
        if (problem !== null || found === null) return `${file.uri} is not what the skill lists: ${problem}`;
        read.set(file.digest, found);
      }
      for (const [digest, found] of read) {
        files.set(digest, found);
        known.add(digest);
      }
      bytes += added;
      return null;
    }

    return {
      files,
      withheld,
      async read(skill) {
        const reason = skill.problem ?? (await readFiles(skill).catch(getMessage));
        if (reason === null) return true;
        const earlier = open(server).withheld.get(skill.uri);
        const at = earlier?.skill.hash === skill.hash ? earlier.at : clock.now();
        withheld.set(skill.uri, { skill, reason: reason.slice(0, MAX_REASON_CHARS), at });
        return false;
      },
    };
  }

  /** The approved skills that clients of a connection receive: those of a shared server, also where it lists them no more. */
  function listApproved(server: string, person: string): ApprovedSkill[] {
    const { pins, listed } = open(server);
    const own = listed.get(toOwner(server, person));
    const approved = [...(own?.keys() ?? [])].flatMap((uri) => pins?.get(uri)?.approved ?? []);
    if (toOwner(server, person) !== "") return approved;
    const gone = [...(pins?.values() ?? [])].filter(({ uri }) => own === undefined || !own.has(uri));
    return [...approved, ...gone.flatMap((pin) => pin.approved ?? [])];
  }

  return {
    isGated,
    check,
    listApproved,

    /** The entries that clients receive. */
    list: (server: string, person: string): Record<string, unknown>[] =>
      listApproved(server, person).map(({ entry }) => ({ ...entry })),

    /** The approved version of a file; null where no approved version has it. */
    findFile(server: string, person: string, uri: string): ApprovedFile | null {
      const own = open(server).listed.get(toOwner(server, person));
      // A file of a skill within another skill's folder is that of the inner one.
      const inside = listApproved(server, person)
        .filter(({ entry }) => isInside(getSkillRoot(entry.uri), uri))
        .sort((left, right) => right.entry.uri.length - left.entry.uri.length);
      for (const skill of inside) {
        const file = skill.entry.resources.find((each) => each.uri === uri);
        if (file !== undefined) return { file, skill, isListed: own?.get(skill.entry.uri)?.hash === skill.hash };
      }
      return null;
    },

    /** Tells whether a URI means a file of a skill, approved or not, also in another spelling. */
    createMatcher(server: string): (uri: string) => boolean {
      const { pins, listed } = open(server);
      const known = new Set([...(pins?.keys() ?? []), ...[...listed.values()].flatMap((list) => [...list.keys()])]);
      const roots = Array.from(known, getSkillRoot).flatMap((root) => [root, normalizeUri(root)]);
      return (uri) => {
        const wanted = normalizeUri(uri);
        return wanted.startsWith("skill:") || roots.some((root) => isInside(root, uri) || isInside(root, wanted));
      };
    },

    /** Whether the server has skills that were reviewed, also where it declares none now. */
    hasPins: (server: string): boolean => (open(server).pins?.size ?? 0) > 0,

    async readFile(server: string, { digest }: SkillFile): Promise<Uint8Array | null> {
      return (await store.readFiles(server, [digest])).get(digest) ?? null;
    },

    /** Undecided versions first. */
    changes(server: string): SkillChange[] {
      if (!isGated(server)) return [];
      const { pins, listed, withheld } = open(server);
      const now = listed.get("");
      const held = [...(pins?.values() ?? [])].flatMap((pin) => {
        // A rejected version that the server does not list now asks for nothing.
        if (pin.held === null) return [];
        const { status, entry, hash } = pin.held;
        const isListed = now === undefined || now.get(pin.uri)?.hash === (entry === null ? undefined : hash);
        return status === "open" || isListed ? describeChange(server, pin, pin.held) : [];
      });
      const refused = Array.from(withheld.values(), ({ skill, reason, at }) => {
        const { uri, hash, entry } = skill;
        const pin = { uri, approved: pins?.get(uri)?.approved ?? null, decidedBy: null, decidedAt: null };
        return { ...describeChange(server, pin, { hash, entry, at }), status: "withheld" as const, reason };
      });
      const all = [...held, ...refused];
      return all.sort((left, right) => RANKS[left.status] - RANKS[right.status] || (left.uri < right.uri ? -1 : 1));
    },

    /** The number of versions that wait for a decision. */
    count(server: string): number {
      if (!isGated(server)) return 0;
      return [...(gates.get(server)?.pins?.values() ?? [])].filter(({ held }) => held?.status === "open").length;
    },

    /** Both versions of a change with the texts of their files. @throws AppError NOT_FOUND */
    async versions(server: string, uri: string, hash: string): Promise<SkillVersions> {
      const pin = open(server).pins?.get(uri);
      if (!isGated(server) || pin?.held?.hash !== hash) {
        throw new AppError("NOT_FOUND", `This change of '${uri.slice(0, 200)}' waits no longer: reload the page`);
      }
      const read = async (entry: SkillEntry | null | undefined) => {
        if (entry == null) return null;
        const digests = entry.resources.map(({ digest }) => digest);
        return toReviewedVersion(entry, await store.readFiles(server, digests));
      };
      return { before: await read(pin.approved?.entry), after: await read(pin.held.entry) };
    },

    /** The first decision on a change wins; approving a rejected one later is another decision. */
    decide: (
      actor: Actor,
      server: string,
      references: readonly SkillReference[],
      decision: SkillDecision,
    ): Promise<SkillDecisionOutcome> =>
      inOrder(server, async () => {
        const outcome: SkillDecisionOutcome = { decided: [], missed: [] };
        const uris = new Set<string>();
        for (const reference of references) {
          const before = open(server).pins?.get(reference.uri);
          const given = { ...reference, decision, by: actor, at: clock.now() };
          const isDecided = isGated(server) && (await store.decide(server, given));
          outcome[isDecided ? "decided" : "missed"].push(reference.uri);
          if (!isDecided || decision === "block") continue;
          for (const uri of compareApproved(before?.approved?.entry, before?.held?.entry)) uris.add(uri);
        }
        await reread(server);
        if (outcome.decided.length > 0) onWaiting(server);
        if (uris.size > 0) onServed(server, [...uris]);
        return outcome;
      }),

    /** Reads what another instance stored. @returns the URIs of files that are other ones for clients; null where none is */
    follow: (server: string): Promise<string[] | null> =>
      inOrder(server, async () => {
        const before = open(server).pins;
        const { pins } = await reread(server);
        const uris = [...new Set([...(before?.keys() ?? []), ...(pins?.keys() ?? [])])].flatMap((uri) =>
          compareApproved(before?.get(uri)?.approved?.entry, pins?.get(uri)?.approved?.entry),
        );
        return (before === null) === (pins === null) && uris.length === 0 ? null : uris;
      }),

    /** Follows a server that opened, lists other content or has another policy. Never rejects. */
    async followServer(server: string, person = ""): Promise<void> {
      try {
        if (isGated(server)) await inOrder(server, () => reread(server));
        const isOpen = connections.state(server, person)?.status === "connected";
        const canList = isOpen && declaresSkills(connections.capabilities(server, person));
        if (isGated(server) ? canList : gates.get(server)?.pins != null) await check(server, person);
      } catch (error) {
        logger.debug({ server, error: getMessage(error) }, "The server's skills could not be compared");
      }
    },

    async load(): Promise<void> {
      for (const [server, pins] of await store.listAll()) open(server).pins = toMap(pins);
    },
  };
}

const MAX_REASON_CHARS = 1000;
/** Users of personal connections may see different skills. */
const MAX_PINS = MAX_REVIEWED_SKILLS * 2;
const RANKS = { open: 0, withheld: 1, blocked: 2 } as const;

interface Reader {
  /** What was read, by digest. */
  files: FileBytes;
  withheld: ReadonlyMap<string, WithheldSkill>;
  /** @returns whether all files of the version are stored or were read; else it is withheld */
  read(skill: ListedSkill): Promise<boolean>;
}

interface ComparedList {
  gate: Gate;
  listed: ReadonlyMap<string, ListedSkill>;
  reader: Reader;
  isShared: boolean;
}

const toMap = (pins: readonly SkillPin[]): ReadonlyMap<string, SkillPin> => new Map(pins.map((pin) => [pin.uri, pin]));

function toRemoval({ uri, approved, held }: SkillPin, at: number): SkillPinChange[] {
  if (approved === null) {
    return held?.status === "open" ? [{ kind: "settle", uri, hash: held.hash }] : [];
  }
  const hash = toRemovalHash(approved.hash);
  return held?.hash === hash ? [] : [{ kind: "hold", uri, held: { hash, entry: null, at } }];
}

const isInside = (root: string, uri: string): boolean => uri.startsWith(`${root}/`);

/** One spelling for the URIs that a server may take for the same file. */
function normalizeUri(uri: string): string {
  const parsed = URL.canParse(uri) ? new URL(uri).href : uri;
  try {
    return decodeURIComponent(parsed).toLowerCase();
  } catch {
    return parsed.toLowerCase();
  }
}

/** The files that one of two versions has, and the other has not or with other bytes. */
function compareApproved(left: SkillEntry | null | undefined, right: SkillEntry | null | undefined): string[] {
  const before = new Map(left?.resources.map(({ uri, digest }) => [uri, digest] as const));
  const after = new Map(right?.resources.map(({ uri, digest }) => [uri, digest] as const));
  return [...new Set([...before.keys(), ...after.keys()])].filter((uri) => before.get(uri) !== after.get(uri));
}

/** What pages show of a gate, to compare it with an earlier one. */
function describeState({ pins, withheld }: Gate): string {
  const held = [...(pins?.values() ?? [])].map((pin) => [
    pin.uri,
    pin.approved?.hash,
    pin.held?.hash,
    pin.held?.status,
  ]);
  return JSON.stringify([held, Array.from(withheld.values(), ({ skill, reason }) => [skill.uri, skill.hash, reason])]);
}
