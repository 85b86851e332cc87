import {
  type CassetteContent,
  formatCassette,
  MAX_CASSETTE_CHARS,
  parseCassette,
  parseLines,
  type ReadCassette,
} from "../../../lib/cassette/cassette-file";
import { parseFaults } from "../../../lib/cassette/faults";
import type { Actor } from "../../../lib/contract/actor";
import type { CassetteInput, CassettePreview, CassetteSummary, NewCassette } from "../../../lib/contract/cassette";
import type { LeftOutReason } from "../../../lib/contract/cassette-words";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { createCassetteContents, createCassetteReports } from "./cassette-reports";
import type { CassetteStore, StoredCassette } from "./cassette-store";
import { type ChoicePorts, createCallFreezer, refuseField } from "./choose-calls";
import type { FrozenCalls } from "./freeze-calls";

export interface CassetteServicePorts extends ChoicePorts {
  store: CassetteStore;
  /** Called after a cassette changed. */
  onChange: () => void;
}

/** Recorded tools and calls, kept to be served in place of their servers. */
export function createCassetteService(ports: CassetteServicePorts) {
  const { store, onChange } = ports;
  const freeze = createCallFreezer(ports);

  /** @throws AppError NOT_FOUND */
  async function find(name: string): Promise<StoredCassette> {
    const found = await store.find(name);
    if (found === null) throw new AppError("NOT_FOUND", `There is no cassette '${name}'`);
    return found;
  }

  async function readContent(cassette: StoredCassette): Promise<CassetteContent> {
    // The header is the first line of the file.
    return parseLines(await store.lines(cassette.id), 2);
  }

  const reports = createCassetteReports({ store, find, readContent });
  const { toSummaries } = reports;
  const toSummary = async (cassette: StoredCassette): Promise<CassetteSummary> =>
    (await toSummaries([cassette]))[0] as CassetteSummary;

  async function add(
    actor: Actor,
    input: CassetteInput,
    frozen: Pick<FrozenCalls, "lines" | "servers" | "toolCount" | "callCount">,
  ) {
    const created = await store.create(accept(input), frozen, actor);
    onChange();
    return await toSummary(created);
  }

  return {
    ...createCassetteContents({ find, readContent }),
    sessions: reports.sessions,
    report: reports.report,

    list: async (): Promise<CassetteSummary[]> => toSummaries(await store.list()),
    get: async (name: string): Promise<CassetteSummary> => toSummary(await find(name)),

    /** Counts the calls that a choice would freeze, and those that it leaves out. */
    async preview(choice: Pick<NewCassette, "choice" | "tools">): Promise<CassettePreview> {
      const { toolCount, callCount, servers, leftOut } = await freeze(choice);
      return { toolCount, callCount, servers: [...servers], leftOut: toCounts(leftOut) };
    },

    async create(actor: Actor, { choice, tools: which, ...input }: NewCassette): Promise<CassetteSummary> {
      accept(input);
      if ((await store.find(input.name)) !== null) throw nameConflict("cassette", input.name);
      const frozen = await freeze({ choice, tools: which });
      if (frozen.callCount === 0) {
        const reasons = toCounts(frozen.leftOut).map(({ reason, count }) => `${count} ${reason.replaceAll("_", " ")}`);
        throw refuseField(
          "choice",
          `no call can be recorded${reasons.length === 0 ? "" : ` (left out: ${reasons.join(", ")})`}`,
        );
      }
      return await add(actor, input, frozen);
    },

    /** Name, notes and how calls are matched; tools and calls never change. */
    async update(actor: Actor, name: string, input: CassetteInput, revision?: number): Promise<CassetteSummary> {
      const stored = await store.update(name, accept(input), { by: actor, revision });
      onChange();
      return await toSummary(stored);
    },

    async delete(_actor: Actor, name: string, revision?: number): Promise<{ name: string }> {
      await store.delete(name, revision);
      onChange();
      return { name };
    },

    /** The cassette as a file: the same cassette gives the same bytes. */
    async exportFile(name: string): Promise<string> {
      const cassette = await find(name);
      return formatCassette(cassette, await store.lines(cassette.id));
    },

    /** @param name in place of the name in the file */
    async import(actor: Actor, { text, name }: { text: string; name?: string | undefined }): Promise<CassetteSummary> {
      const { input, content, lines } = await readFile(text);
      const named = { ...input, name: name ?? input.name };
      if ((await store.find(named.name)) !== null) throw nameConflict("cassette", named.name);
      const servers = [...new Set([...content.tools, ...content.calls].flatMap(({ server }) => server ?? []))].sort();
      return await add(actor, named, {
        lines,
        servers,
        toolCount: content.tools.length,
        callCount: content.calls.length,
      });
    },
  };
}

function accept(input: CassetteInput): CassetteInput {
  const faults = parseFaults(input.settings.faults);
  if (typeof faults === "string") throw refuseField("settings.faults", faults);
  return input;
}

const toCounts = (leftOut: ReadonlyMap<LeftOutReason, number>) =>
  Array.from(leftOut, ([reason, count]) => ({ reason, count }));

/** @throws AppError that names the line and the field */
async function readFile(text: string): Promise<ReadCassette> {
  if (text.length > MAX_CASSETTE_CHARS + 100_000)
    throw refuseField("text", `is larger than ${MAX_CASSETTE_CHARS / 1_000_000} MB`);
  try {
    return await parseCassette(text);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "CassetteFileError") throw error;
    throw invalidInput("The cassette file cannot be read. ", [{ path: "", message: error.message }]);
  }
}
