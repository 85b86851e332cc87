import { declaresSkills } from "../../../../lib/skills";
import type { ServerContent } from "../../../engine/mcp-ports";
import type { Gate, GateStates, SkillGatePorts } from "./gate-states";
import { type ListedSkill, readListedSkills, toRemovalHash } from "./read-listed-skills";
import type { ApprovedSkill, SkillPin, SkillPinChange } from "./skill-gate-store";
import { createVersionReader, type VersionReader } from "./version-reader";

/** The time for one list and the files of its new versions. */
const CHECK_MS = 60_000;
/** The users of personal connections to a server whose lists are kept. */
const MAX_OWNERS = 200;

/** Compares what servers list with the approved versions of their skills, and stores what waits. */
export function createListChecks(ports: SkillGatePorts, states: GateStates) {
  const { connections, store, settings, clock, onWaiting, onServed } = ports;
  /** Checks that have not begun. */
  const waiting = new Map<string, Promise<void>>();

  /** Ends the review: what waited is used, and a later policy begins with the list of that time. */
  async function clear(server: string): Promise<void> {
    const { pins } = await states.reread(server);
    states.forget(server);
    if (pins === null) return;
    await store.clear(server);
    onWaiting(server);
    onServed(server, []);
  }

  async function compareList(server: string, user: string, content: ServerContent): Promise<void> {
    const signal = AbortSignal.timeout(CHECK_MS);
    const listed = readListedSkills(await content.list("skills", signal));
    const gate = await states.reread(server);
    const owner = states.toOwner(server, user);
    const before = describeState(gate);
    const isFirst = gate.pins === null;
    // A server that declares no skills has no first list yet.
    if (isFirst && !declaresSkills(connections.capabilities(server, user))) return;
    const reader = createVersionReader(gate, content, { signal, now: clock.now });
    if (isFirst) {
      await store.begin(server, clock.now(), await listReadable(listed, reader), reader.files);
    } else {
      // Users of personal connections may see different lists.
      const removals = owner === "" ? findRemovals(gate, listed, clock.now()) : [];
      const changes = [...(await findChanges(gate, listed, reader, clock.now())), ...removals];
      if (changes.length > 0) await store.change(server, changes, reader.files);
    }
    await states.reread(server);
    keepList(gate, owner, listed);
    gate.withheld = reader.withheld;
    if (describeState(gate) !== before) onWaiting(server);
    if (isFirst) onServed(server, []);
  }

  /** Lists a server's skills now, and compares them. A check that has not begun serves all callers. */
  return function check(server: string, user: string): Promise<void> {
    const key = JSON.stringify([server, states.toOwner(server, user)]);
    const known = waiting.get(key);
    if (known !== undefined) return known;
    const begun = states.inOrder(server, async () => {
      waiting.delete(key);
      if (states.isGated(server)) {
        await connections.content(server, (content) => compareList(server, user, content), user);
        // A deleted server may be restored, and its reviews with it.
      } else if (settings(server) !== null) await clear(server);
    });
    waiting.set(key, begun);
    return begun;
  };
}

/** A user whose list was dropped has it listed again with the next request. */
function keepList(gate: Gate, owner: string, listed: ReadonlyMap<string, ListedSkill>): void {
  const approved = new Set([...(gate.pins?.values() ?? [])].flatMap((pin) => pin.approved?.hash ?? []));
  const own = [...(gate.listed.get(owner)?.values() ?? []), ...listed.values()].map(({ hash }) => hash);
  const seen = [...(gate.seen.get(owner) ?? []), ...own].filter((hash) => approved.has(hash));
  if (owner !== "") gate.seen.set(owner, new Set(seen));
  gate.listed.delete(owner);
  gate.listed.set(owner, listed);
  gate.checked.delete(owner);
  if (gate.listed.size <= MAX_OWNERS) return;
  for (const oldest of gate.listed.keys()) {
    gate.listed.delete(oldest);
    gate.seen.delete(oldest);
    gate.checked.delete(oldest);
    break;
  }
}

async function listReadable(listed: ReadonlyMap<string, ListedSkill>, reader: VersionReader): Promise<ApprovedSkill[]> {
  const readable: ApprovedSkill[] = [];
  for (const skill of listed.values()) {
    if (await reader.read(skill)) readable.push({ hash: skill.hash, entry: skill.entry });
  }
  return readable;
}

async function findChanges(
  { pins }: Gate,
  listed: ReadonlyMap<string, ListedSkill>,
  reader: VersionReader,
  at: number,
): Promise<SkillPinChange[]> {
  const changes: SkillPinChange[] = [];
  for (const skill of listed.values()) {
    const { uri, hash, entry } = skill;
    const pin = pins?.get(uri);
    if (pin?.approved?.hash === hash) {
      if (pin.held?.status === "open") changes.push({ kind: "settle", uri, hash: pin.held.hash });
    } else if (pin?.held?.hash !== hash && (await reader.read(skill))) {
      changes.push({ kind: "hold", uri, held: { hash, entry, at } });
    }
  }
  return changes;
}

function findRemovals({ pins }: Gate, listed: ReadonlyMap<string, ListedSkill>, at: number): SkillPinChange[] {
  return [...(pins?.values() ?? [])].flatMap((pin) => (listed.has(pin.uri) ? [] : toRemoval(pin, at)));
}

function toRemoval({ uri, approved, held }: SkillPin, at: number): SkillPinChange[] {
  if (approved === null) return held?.status === "open" ? [{ kind: "settle", uri, hash: held.hash }] : [];
  const hash = toRemovalHash(approved.hash);
  return held?.hash === hash ? [] : [{ kind: "hold", uri, held: { hash, entry: null, at } }];
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
