import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ImportEntry, ImportPreview } from "../../../lib/contract/catalog-file";
import type { ServerImport } from "../../../lib/contract/server-import";
import { type ClientFile, readClientFile } from "./client-files";
import { CLIENTS, type Machine } from "./clients";
import type { Sample } from "./corpus-json.test-support";
import type { WrapCatalog } from "./plan-wrap";

export const BRIDGE = { command: "node", args: ["/opt/toolroom/scripts/mcp.mjs", "--names", "plain"] };

/** A home folder with a project in it, as on Linux. */
export function makeMachine(): Machine {
  const homeFolder = mkdtempSync(path.join(tmpdir(), "toolroom-wrap-"));
  return { platform: "linux", homeFolder, workFolder: path.join(homeFolder, "project"), env: {} };
}

/** Writes a sample where its client keeps it. */
export function placeSample(sample: Pick<Sample, "client" | "file" | "text">, machine: Machine): string {
  const client = CLIENTS.find(({ id }) => id === sample.client);
  if (client === undefined) throw new Error(`no client ${sample.client}`);
  const project = client.projectFiles.map((file) => path.join(machine.workFolder, file));
  const candidates = [...client.files(machine), ...project].map((file) =>
    path.extname(file) === "" && !file.endsWith("json") ? path.join(file, path.basename(sample.file)) : file,
  );
  const file = candidates.find((each) => each.endsWith(path.normalize(sample.file)));
  if (file === undefined) throw new Error(`${sample.client} keeps no ${sample.file}`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, sample.text, { mode: 0o600 });
  return file;
}

export function readPlaced(client: string, file: string, machine: Machine): ClientFile {
  const owner = CLIENTS.find(({ id }) => id === client);
  if (owner === undefined) throw new Error(`no client ${client}`);
  const read = readClientFile(owner, file, machine);
  if ("reason" in read) throw new Error(`${file} ${read.reason}`);
  return read;
}

/** A Toolroom whose import reads as the real one, with nothing behind it. */
export class MemoryCatalog implements WrapCatalog {
  /** What was imported, by name. */
  readonly servers = new Map<string, string>();
  /** How servers answer that do not connect; a text is thrown. */
  readonly unconnected = new Map<string, Awaited<ReturnType<WrapCatalog["connect"]>> | string>();
  /** Each attempt to connect. */
  readonly attempts: string[] = [];

  constructor(private readonly parse: (text: string) => Promise<ServerImport>) {}

  async preview(text: string): Promise<ImportPreview> {
    const { servers, problems, notes } = await this.parse(text);
    const entries = servers.map((server, position): ImportEntry => {
      const known = this.servers.get(server.name);
      const status =
        server.problems.length > 0
          ? "invalid"
          : known === undefined
            ? "add"
            : known === JSON.stringify(server.settings)
              ? "same"
              : "change";
      return {
        kind: "server",
        position,
        name: server.name,
        status,
        problems: server.problems.map((message) => ({ path: "", message })),
        notes: server.notes,
        conflict: null,
        details: [],
        breaking: false,
        target: null,
        secrets: [],
        denied: null,
        needs: "administer",
        freeName: `${server.name}-2`,
      };
    });
    return { format: "servers", digest: text, entries, problems, notes };
  }

  async import({ text, decisions }: Parameters<WrapCatalog["import"]>[0]): Promise<void> {
    const { servers } = await this.parse(text);
    for (const { action, position } of decisions) {
      const server = servers[position];
      if (action === "add" && server !== undefined) this.servers.set(server.name, JSON.stringify(server.settings));
    }
  }

  async connect(name: string): ReturnType<WrapCatalog["connect"]> {
    this.attempts.push(name);
    const state = this.unconnected.get(name) ?? { status: "connected" as const, reason: null };
    if (typeof state === "string") throw new Error(state);
    return state;
  }

  async remove(name: string): Promise<void> {
    if (!this.servers.delete(name)) throw new Error(`no server ${name}`);
  }

  async close(): Promise<void> {}
}
