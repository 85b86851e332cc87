import type { Actor } from "../../../../lib/contract/actor";
import type {
  SkillChange,
  SkillDecision,
  SkillDecisionOutcome,
  SkillReference,
  SkillVersions,
} from "../../../../lib/contract/skill-change";
import { getMessage } from "../../../../lib/get-message";
import { declaresSkills, getSkillRoot, type SkillFile } from "../../../../lib/skills";
import { AppError } from "../../../platform/shared/app-error";
import { createListChecks } from "./check-list";
import { describeChange, toReviewedVersion } from "./describe-change";
import { createGateStates, type GateStates, type SkillGatePorts, toPinMap } from "./gate-states";
import type { ListedSkill } from "./read-listed-skills";
import type { ApprovedSkill, SkillEntry } from "./skill-gate-store";

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
  const states = createGateStates(ports);
  const { store, connections, logger } = ports;
  const { isGated } = states;
  const check = createListChecks(ports, states);
  return {
    isGated,
    check,
    ...createFileFinder(states, ports.clock),
    ...createReviews(ports, states),

    async readFile(server: string, { digest }: SkillFile): Promise<Uint8Array | null> {
      return (await store.readFiles(server, [digest])).get(digest) ?? null;
    },

    /** Reads what another instance stored. @returns the URIs of files that are other ones for clients; null where none is */
    follow: (server: string): Promise<string[] | null> =>
      states.inOrder(server, async () => {
        const before = states.open(server).pins;
        const { pins } = await states.reread(server);
        const uris = [...new Set([...(before?.keys() ?? []), ...(pins?.keys() ?? [])])].flatMap((uri) =>
          compareVersions(before?.get(uri)?.approved?.entry, pins?.get(uri)?.approved?.entry),
        );
        return (before === null) === (pins === null) && uris.length === 0 ? null : uris;
      }),

    /** Follows a server that opened, lists other content or has another policy. Never rejects. */
    async followServer(server: string, user = ""): Promise<void> {
      try {
        states.find(server)?.checked.delete(states.toOwner(server, user));
        if (isGated(server)) await states.inOrder(server, () => states.reread(server));
        const isOpen = connections.state(server, user)?.status === "connected";
        const canList = isOpen && declaresSkills(connections.capabilities(server, user));
        if (isGated(server) ? canList : states.find(server)?.pins != null) await check(server, user);
      } catch (error) {
        logger.debug({ server, error: getMessage(error) }, "The server's skills could not be compared");
      }
    },

    async load(): Promise<void> {
      for (const [server, pins] of await store.listAll()) states.open(server).pins = toPinMap(pins);
    },
  };
}

/** What clients of a server receive, by URI. */
function createFileFinder({ open, listApproved, toOwner }: GateStates, clock: SkillGatePorts["clock"]) {
  return {
    /** The entries that clients receive. */
    list: (server: string, user: string): Record<string, unknown>[] =>
      listApproved(server, user).map(({ entry }) => ({ ...entry })),

    /** Whether the server has skills that were reviewed, also where it declares none now. */
    hasPins: (server: string): boolean => (open(server).pins?.size ?? 0) > 0,

    /** The approved version of a file; null where no approved version has it. */
    findFile(server: string, user: string, uri: string): ApprovedFile | null {
      return (
        toFileIndex(
          listApproved(server, user).filter(({ entry }) => isInside(getSkillRoot(entry.uri), uri)),
          open(server).listed.get(toOwner(server, user)),
        ).get(uri) ?? null
      );
    },

    /** All approved files by URI, for a list of many. */
    indexFiles(server: string, user: string): ReadonlyMap<string, ApprovedFile> {
      return toFileIndex(listApproved(server, user), open(server).listed.get(toOwner(server, user)));
    },

    /** Whether a read needs no list of its own: the one of a read a moment ago serves the first read of each URI. */
    sharesCheck(server: string, user: string, uri: string): boolean {
      const checked = open(server).checked.get(toOwner(server, user));
      if (checked === undefined || Math.abs(clock.now() - checked.at) >= FRESH_MS) return false;
      if (checked.read.has(uri) || checked.read.size >= MAX_SHARING) return false;
      checked.read.add(uri);
      return true;
    },

    /** The list that was compared for this read serves those that follow. */
    shareCheck: (server: string, user: string, uri: string): void =>
      void open(server).checked.set(toOwner(server, user), { at: clock.now(), read: new Set([uri]) }),

    /** Tells whether a URI means a file of a skill, approved or not, also in another spelling. */
    createMatcher(server: string): (uri: string) => boolean {
      const { pins, listed } = open(server);
      const known = new Set([...(pins?.keys() ?? []), ...[...listed.values()].flatMap((list) => [...list.keys()])]);
      const isInAny = createFolderMatcher(
        Array.from(known, getSkillRoot).flatMap((root) => [root, normalizeUri(root)]),
      );
      return (uri) => {
        const wanted = normalizeUri(uri);
        return wanted.startsWith("skill:") || isInAny(uri) || isInAny(wanted);
      };
    },
  };
}

/** What waits at a server, and the decisions. */
function createReviews(
  { store, clock, onWaiting, onServed }: SkillGatePorts,
  { open, find, isGated, inOrder, reread }: GateStates,
) {
  return {
    /** Undecided versions first. */
    changes(server: string): SkillChange[] {
      if (!isGated(server)) return [];
      const { pins, listed, withheld } = open(server);
      const now = listed.get("");
      const held = [...(pins?.values() ?? [])].flatMap((pin) => {
        if (pin.held === null) return [];
        const { status, entry, hash } = pin.held;
        // A rejected version is shown only while the server lists it.
        const isListed = now === undefined || now.get(pin.uri)?.hash === (entry === null ? undefined : hash);
        return status === "open" || isListed ? describeChange(server, pin, pin.held) : [];
      });
      const refused = Array.from(withheld.values(), ({ skill: { uri, hash, entry }, reason, at }) => {
        const pin = { uri, approved: pins?.get(uri)?.approved ?? null, decidedBy: null, decidedAt: null };
        return { ...describeChange(server, pin, { hash, entry, at }), status: "withheld" as const, reason };
      });
      return [...held, ...refused]
        .sort((left, right) => RANKS[left.status] - RANKS[right.status] || (left.uri < right.uri ? -1 : 1))
        .slice(0, MAX_SHOWN);
    },

    /** The number of versions that wait for a decision. */
    count(server: string): number {
      if (!isGated(server)) return 0;
      return [...(find(server)?.pins?.values() ?? [])].filter(({ held }) => held?.status === "open").length;
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
      by: Actor,
      server: string,
      references: readonly SkillReference[],
      decision: SkillDecision,
    ): Promise<SkillDecisionOutcome> =>
      inOrder(server, async () => {
        const outcome: SkillDecisionOutcome = { decided: [], missed: [] };
        const uris = new Set<string>();
        for (const reference of references) {
          const before = open(server).pins?.get(reference.uri);
          const given = { ...reference, decision, by, at: clock.now() };
          const isDecided = isGated(server) && (await store.decide(server, given));
          outcome[isDecided ? "decided" : "missed"].push(reference.uri);
          if (!isDecided || decision === "block") continue;
          for (const uri of compareVersions(before?.approved?.entry, before?.held?.entry)) uris.add(uri);
        }
        await reread(server);
        if (outcome.decided.length > 0) onWaiting(server);
        if (outcome.decided.length > 0 && decision === "approve") onServed(server, [...uris]);
        return outcome;
      }),
  };
}

/** A client reads the files of a skill one after the other: these reads share one list of the server's skills. */
const FRESH_MS = 1000;
const MAX_SHARING = 1000;
/** A server may list any number of skills, of which those beyond the bounds are withheld. */
const MAX_SHOWN = 200;
const RANKS = { open: 0, withheld: 1, blocked: 2 } as const;

const isInside = (root: string, uri: string): boolean => uri.startsWith(`${root}/`);

/** A file of a skill within another skill's folder is that of the inner one. */
function toFileIndex(
  approved: readonly ApprovedSkill[],
  listed: ReadonlyMap<string, ListedSkill> | undefined,
): Map<string, ApprovedFile> {
  const files = new Map<string, ApprovedFile>();
  for (const skill of [...approved].sort((left, right) => left.entry.uri.length - right.entry.uri.length)) {
    const isListed = listed?.get(skill.entry.uri)?.hash === skill.hash;
    for (const file of skill.entry.resources) files.set(file.uri, { file, skill, isListed });
  }
  return files;
}

/** Tells whether a URI is in one of many folders without a comparison with each. */
function createFolderMatcher(roots: readonly string[]): (uri: string) => boolean {
  const known = new Set(roots);
  const lengths = [...new Set(roots.map(({ length }) => length))];
  return (uri) => lengths.some((length) => uri[length] === "/" && known.has(uri.slice(0, length)));
}

/** Rounds of decoding, so that a hostile URI costs little. */
const MAX_DECODED = 4;

/** One spelling for the URIs that a server may take for the same file. */
function normalizeUri(uri: string): string {
  const path = resolveDots(decodeRepeatedly(uri.trim()).replaceAll("\\", "/"));
  return path
    .replace(/(?<!:|:\/)\/{2,}/g, "/")
    .normalize("NFC")
    .toLowerCase();
}

function decodeRepeatedly(uri: string): string {
  let text = uri;
  for (let times = 0; times < MAX_DECODED; times += 1) {
    const next = decode(text);
    if (next === text) break;
    text = next;
  }
  return text;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function resolveDots(uri: string): string {
  if (!URL.canParse(uri)) return uri;
  const parsed = new URL(uri);
  parsed.username = "";
  parsed.password = "";
  return decode(parsed.href);
}

/** The files that one of two versions has, and the other has not or with other bytes. */
function compareVersions(left: SkillEntry | null | undefined, right: SkillEntry | null | undefined): string[] {
  const before = new Map(left?.resources.map(({ uri, digest }) => [uri, digest] as const));
  const after = new Map(right?.resources.map(({ uri, digest }) => [uri, digest] as const));
  return [...new Set([...before.keys(), ...after.keys()])].filter((uri) => before.get(uri) !== after.get(uri));
}
