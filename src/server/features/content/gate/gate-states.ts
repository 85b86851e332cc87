import type { Clock, Logger } from "../../../engine/ports";
import { createKeyedMutex, type KeyedMutex } from "../../../platform/shared/mutex";
import { type ContentPorts, isPersonal } from "../content-ports";
import type { ListedSkill } from "./read-listed-skills";
import type { ApprovedSkill, SkillGateStore, SkillPin } from "./skill-gate-store";

export interface SkillGatePorts extends Pick<ContentPorts, "settings"> {
  connections: Pick<ContentPorts["connections"], "content" | "capabilities" | "state">;
  store: SkillGateStore;
  clock: Pick<Clock, "now">;
  logger: Logger;
  /** Called when other versions wait at a server. */
  onWaiting: (server: string) => void;
  /** Called when clients receive other versions of a server's skills, with the URIs of the files that differ. */
  onServed: (server: string, uris: readonly string[]) => void;
}

/** What this process knows of one server. */
export interface Gate {
  /** Null until the first list under the policy is stored. */
  pins: ReadonlyMap<string, SkillPin> | null;
  /** The last list of each owner of a connection; of a shared one under the empty name. */
  listed: Map<string, ReadonlyMap<string, ListedSkill>>;
  /** Hashes of approved versions that the lists of each owner had. */
  seen: Map<string, ReadonlySet<string>>;
  /** When the list of each owner was compared for a read, in epoch milliseconds, and the URIs that were read since. */
  checked: Map<string, { at: number; read: Set<string> }>;
  /** Versions that cannot be approved, by the URI of the skill. */
  withheld: ReadonlyMap<string, WithheldSkill>;
}

export interface WithheldSkill {
  skill: ListedSkill;
  reason: string;
  at: number;
}

export interface GateStates {
  /** Checks and decisions of a server take turns. */
  inOrder: KeyedMutex;
  isGated(server: string): boolean;
  /** The user whose lists a server's are; empty where they are shared. */
  toOwner(server: string, user: string): string;
  open(server: string): Gate;
  find(server: string): Gate | undefined;
  forget(server: string): void;
  /** Reads the stored versions again. */
  reread(server: string): Promise<Gate>;
  /**
   * The approved skills that clients of a connection receive: those of a shared server, also where it lists them no more. A
   * user of a personal connection receives only versions that the user's own lists had, since others may be another user's.
   */
  listApproved(server: string, user: string): ApprovedSkill[];
}

export function createGateStates(ports: Pick<SkillGatePorts, "settings" | "store">): GateStates {
  const gates = new Map<string, Gate>();
  const toOwner = (server: string, user: string): string => (isPersonal(ports, server) ? user : "");

  function open(server: string): Gate {
    const known = gates.get(server);
    if (known !== undefined) return known;
    const gate: Gate = {
      pins: null,
      listed: new Map(),
      seen: new Map(),
      checked: new Map(),
      withheld: new Map(),
    };
    gates.set(server, gate);
    return gate;
  }

  return {
    inOrder: createKeyedMutex(),
    isGated: (server) => (ports.settings(server)?.changedTools ?? "off") !== "off",
    toOwner,
    open,
    find: (server) => gates.get(server),
    forget: (server) => void gates.delete(server),

    async reread(server) {
      const gate = open(server);
      const pins = await ports.store.list(server);
      gate.pins = pins === null ? null : toPinMap(pins);
      return gate;
    },

    listApproved(server, user) {
      const { pins, listed, seen } = open(server);
      const owner = toOwner(server, user);
      const own = listed.get(owner);
      const approved = [...(own?.keys() ?? [])].flatMap((uri) => pins?.get(uri)?.approved ?? []);
      if (owner !== "") {
        return approved.filter(
          ({ hash, entry }) => own?.get(entry.uri)?.hash === hash || seen.get(owner)?.has(hash) === true,
        );
      }
      const gone = [...(pins?.values() ?? [])].filter(({ uri }) => own === undefined || !own.has(uri));
      return [...approved, ...gone.flatMap((pin) => pin.approved ?? [])];
    },
  };
}

export const toPinMap = (pins: readonly SkillPin[]): ReadonlyMap<string, SkillPin> =>
  new Map(pins.map((pin) => [pin.uri, pin]));
