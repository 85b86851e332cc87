import type { ConnectionState, ConnectionStatus } from "../../../lib/contract/connection-state";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import type { Instances } from "../../platform/coordination/instances";

/** The first one stands for the connections of all instances. */
const WORST_FIRST: readonly ConnectionStatus[] = [
  ...(["failed", "sign_in_needed", "disconnected", "connecting", "connected", "idle", "disabled"] as const),
];
const CHANGED = createTopic<{ server: string; state: ConnectionState }>("servers.state");
const READ_ALL = createTopic<null, { copy: string; states: [string, ConnectionState][] }>("servers.states");

/** The states of the connections that the other instances have, so that a page shows the same from whichever instance it comes. */
export interface InstanceStates {
  /** Asks the other instances. */
  load(): Promise<void>;
  /** Tells the other instances. */
  tell(server: string, state: ConnectionState): void;
  /** One state for all instances: the worst, with the name of its instance where the others are better. */
  merge(server: string, own: ConnectionState): ConnectionState;
}

interface InstanceStatesPorts {
  copies: Pick<Instances, "self" | "list">;
  bulletin: Bulletin;
  /** This instance's connections that are not a user's own. */
  read(): Iterable<[server: string, state: ConnectionState]>;
  onChange(server: string): void;
}

export function createInstanceStates({ copies, bulletin, read, onChange }: InstanceStatesPorts): InstanceStates {
  /** By instance and server. */
  const known = new Map<string, Map<string, ConnectionState>>();

  function note(copy: string, server: string, state: ConnectionState): void {
    const states = known.get(copy) ?? new Map<string, ConnectionState>();
    known.set(copy, states.set(server, state));
  }

  async function load(): Promise<void> {
    for (const { copy, states } of await bulletin.ask(READ_ALL, null)) {
      for (const [server, state] of states) note(copy, server, state);
    }
  }

  bulletin.on(CHANGED, ({ server, state }, from) => {
    note(from, server, state);
    onChange(server);
  });
  bulletin.on(READ_ALL, () => ({ copy: copies.self.id, states: [...read()] }));
  bulletin.onGap(() => void load());

  return {
    load,
    tell: (server, state) => bulletin.post(CHANGED, { server, state }),
    merge(server, own) {
      const living = copies.list();
      if (living.length === 1) return own;
      for (const id of known.keys()) if (!living.some((copy) => copy.id === id)) known.delete(id);
      const states = living.flatMap(({ id, name }) => {
        const state = id === copies.self.id ? own : known.get(id)?.get(server);
        return state === undefined ? [] : [{ id, name, state }];
      });
      const rank = ({ status }: ConnectionState): number => WORST_FIRST.indexOf(status);
      // The same one at every instance.
      const [worst] = states.sort((one, other) => rank(one.state) - rank(other.state) || (one.id < other.id ? -1 : 1));
      if (worst === undefined) return own;
      const { state, name } = worst;
      const alike = states.filter((each) => each.state.status === state.status).length;
      if (alike === states.length || state.reason === null) return state;
      return { ...state, reason: `${alike} of ${states.length} copies (${name}): ${state.reason}` };
    },
  };
}
