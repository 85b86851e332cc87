import type { ListedModels } from "../../../lib/contract/model";
import { getMessage } from "../../../lib/get-message";
import { equalJson } from "../../../lib/json/equal-json";
import type { ModelConnection } from "../../engine/agent/chat-ports";
import type { Clock } from "../../engine/ports";
import type { Change, Edit } from "../../platform/shared/announced-edits";
import { withinLimit } from "../../platform/shared/within-limit";

const LIMIT_MS = 10_000;
const FRESH_MS = 5 * 60_000;
/** A vendor that does not answer is left alone for a while by those who only want to know. */
const RETRY_AFTER_MS = 60_000;
const MAX_MODELS = 1000;

interface Listing {
  newest: ListedModels | null;
  /** The models of the last success; later failures keep them. */
  readonly models: string[];
  at: number;
  asking: Promise<ListedModels> | null;
}

interface AvailableModelPorts {
  clock: Clock;
  /** The picker shows the lists. */
  editAtOnce: Edit;
  limitMs?: number | undefined;
}

export type AvailableModels = ReturnType<typeof createAvailableModels>;

/** The vendors' lists of models, requested at most every five minutes. Keyed by the client: other settings have another one. */
export function createAvailableModels({ clock, editAtOnce, limitMs = LIMIT_MS }: AvailableModelPorts) {
  const listings = new WeakMap<ModelConnection, Listing>();

  function createListing(connection: ModelConnection): Listing {
    const known = listings.get(connection);
    if (known !== undefined) return known;
    const listing: Listing = { newest: null, models: [], at: 0, asking: null };
    listings.set(connection, listing);
    return listing;
  }

  async function ask(change: Change, connection: ModelConnection, listing: Listing): Promise<ListedModels> {
    let answer: ListedModels;
    try {
      const models = await withinLimit((signal) => connection.listModels(signal), limitMs);
      answer = { models: [...new Set(models)].slice(0, MAX_MODELS), problem: null };
      keepModels(change, listing, answer.models);
    } catch (error) {
      answer = { models: [], problem: getMessage(error) };
    }
    listing.newest = answer;
    listing.at = clock.elapsed();
    listing.asking = null;
    return answer;
  }

  return {
    /** Returns the known models without a request; empty before the first response. */
    known: (connection: ModelConnection): string[] => createListing(connection).models,

    /** Whether a new request may give another result. */
    isDue(connection: ModelConnection): boolean {
      const { newest, at, asking } = createListing(connection);
      if (asking !== null) return false;
      return newest === null || clock.elapsed() - at > (newest.problem === null ? FRESH_MS : RETRY_AFTER_MS);
    },

    /** Never rejects: a vendor that cannot be reached becomes a problem. */
    list(connection: ModelConnection, { refresh = false } = {}): Promise<ListedModels> {
      const listing = createListing(connection);
      const { newest, at, asking } = listing;
      if (asking !== null) return asking;
      if (!refresh && newest?.problem === null && clock.elapsed() - at <= FRESH_MS) return Promise.resolve(newest);
      listing.asking = editAtOnce((change) => ask(change, connection, listing));
      return listing.asking;
    },
  };
}

function keepModels(change: Change, listing: { models: string[] }, models: string[]): void {
  if (!equalJson(listing.models, models)) change.mark();
  listing.models = models;
}
