import { createHash } from "node:crypto";
import type { ChangedToolsPolicy } from "../../../../lib/contract/held-change";
import type { ServerSettings } from "../../../../lib/contract/server";
import { SKILLS_EXTENSION } from "../../../../lib/mcp-extensions";
import { silentLogger } from "../../../create-tool-engine";
import type { ServerContent } from "../../../engine/mcp-ports";
import type { ToolContext } from "../../../engine/ports";
import { withSkillGate } from "./gated-content";
import { createSkillGate } from "./skill-gate";
import type { SkillGateStore } from "./skill-gate-store";

export const SERVER = "docs";
export const ADA = { id: "ada", name: "Ada" };
export const BEN = { id: "ben", name: "Ben" };

type Files = Readonly<Record<string, string | Uint8Array>>;

const toBytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : content;

export const toEntry = (root: string, description: string, files: Files): Record<string, unknown> => ({
  uri: `${root}/SKILL.md`,
  frontmatter: { name: root.slice(root.lastIndexOf("/") + 1), description },
  resources: Object.entries(files).map(([path, content]) => ({
    uri: `${root}/${path}`,
    digest: `sha256:${createHash("sha256").update(toBytes(content)).digest("hex")}`,
    size: toBytes(content).length,
  })),
});

/** A server whose lists and answers a test changes. */
export class FakeSkillServer {
  entries: Record<string, unknown>[] = [];
  resources: Record<string, unknown>[] = [];
  templates: Record<string, unknown>[] = [];
  /** By URI; a file that is missing is refused. */
  readonly files = new Map<string, string | Uint8Array>();
  /** Called after each list, for a server that changes while it is read. */
  onListed: () => void = () => undefined;
  declares = true;
  /** False: nothing is known of it until the first request. */
  isConnected = true;
  isDown = false;
  reads = 0;
  /** Requests for its list of skills. */
  lists = 0;

  /** Lists a skill with these files, and answers with them. */
  publish(root: string, description: string, files: Files): void {
    this.entries = [...this.entries.filter(({ uri }) => uri !== `${root}/SKILL.md`), toEntry(root, description, files)];
    this.resources = this.entries.map(({ uri, frontmatter }) => ({ uri, name: "x", ...(frontmatter as object) }));
    for (const [path, content] of Object.entries(files)) this.files.set(`${root}/${path}`, content);
  }

  withdraw(root: string): void {
    this.entries = this.entries.filter(({ uri }) => uri !== `${root}/SKILL.md`);
    this.resources = this.resources.filter(({ uri }) => uri !== `${root}/SKILL.md`);
  }

  #read(uri: unknown): Record<string, unknown> {
    this.isConnected = true;
    this.reads += 1;
    const content = this.files.get(String(uri));
    if (this.isDown || content === undefined) throw new Error("Resource not found");
    const part = typeof content === "string" ? { text: content } : { blob: Buffer.from(content).toString("base64") };
    return { contents: [{ uri, ...part, _meta: { note: "unapproved words" } }], note: "unapproved words" };
  }

  readonly content = {
    list: async (list: string) => {
      this.isConnected = true;
      if (list === "skills") this.lists += 1;
      if (this.isDown) throw new Error("gone");
      const listed = { skills: this.declares ? this.entries : [], resources: this.resources };
      const entries = { ...listed, resourceTemplates: this.templates, prompts: [] }[list] ?? [];
      this.onListed();
      return entries;
    },
    request: async (_method: string, { uri }: Record<string, unknown>) => this.#read(uri),
    ask: async (_method: string, { uri }: Record<string, unknown>) => this.#read(uri),
  } as unknown as ServerContent;
}

export type GatedServer = Awaited<ReturnType<typeof openGate>>;

/** A gate over one server, as a process opens it. */
export async function openGate(
  store: SkillGateStore,
  server: FakeSkillServer,
  { credentials, user = "ada" }: { credentials?: "personal"; user?: string } = {},
) {
  let policy: ChangedToolsPolicy = "review";
  let now = 1000;
  const waiting: string[] = [];
  const served: string[][] = [];
  const connections = {
    content: <T>(_server: string, work: (content: ServerContent) => Promise<T>) => work(server.content),
    capabilities: () =>
      !server.isConnected
        ? null
        : server.declares
          ? { resources: {}, extensions: { [SKILLS_EXTENSION]: {} } }
          : { resources: {} },
    state: () => ({ status: "connected" as const }),
  };
  const settings = () =>
    ({
      name: SERVER,
      changedTools: policy,
      ...(credentials && { credentials: { mode: credentials } }),
    }) as ServerSettings;
  const gate = createSkillGate({
    connections,
    settings,
    store,
    clock: { now: () => now++ },
    logger: silentLogger,
    onWaiting: (name) => void waiting.push(name),
    onServed: (_name, uris) => void served.push([...uris]),
  });
  await gate.load();
  const gated = withSkillGate(connections, gate);
  const ask = <T>(work: (content: ServerContent) => Promise<T>): Promise<T> => gated.content(SERVER, work, user);
  return {
    gate,
    waiting,
    served,
    setPolicy: (next: ChangedToolsPolicy): Promise<void> => {
      policy = next;
      return gate.followServer(SERVER, user);
    },
    /** Time passes without a request. */
    wait: (ms: number) => {
      now += ms;
    },
    list: () => ask((content) => content.list("skills")),
    templates: () => ask((content) => content.list("resourceTemplates")),
    complete: (uri: string) =>
      ask((content) => content.ask("completion/complete", { ref: { type: "ref/resource", uri }, uri })),
    resources: () => ask((content) => content.list("resources")),
    get: (uri: string) => ask((content) => content.ask("skills/get", { uri })),
    /** The answer, and the lines of the record of the read. */
    async read(uri: string) {
      const lines: string[] = [];
      const logger = { ...silentLogger, warn: (line: object | string) => void lines.push(String(line)) };
      const context = { signal: new AbortController().signal, logger } as unknown as ToolContext;
      const result = await ask((content) => content.request("resources/read", { uri }, context));
      return { text: JSON.stringify(result), lines };
    },
    decide: (decision: "approve" | "block", name?: string) => {
      const references = gate.changes(SERVER).flatMap((change) => {
        if (change.status === "withheld" || (name !== undefined && change.name !== name)) return [];
        return [{ uri: change.uri, hash: change.hash, status: change.status }];
      });
      return gate.decide(ADA, SERVER, references, decision);
    },
  };
}
