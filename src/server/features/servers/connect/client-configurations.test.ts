import { describe, expect, it } from "vitest";
import { findNode } from "../../../../../scripts/program.mjs";
import {
  type ClientConfiguration,
  CONNECT_CLIENTS,
  TOKEN_PLACEHOLDER,
} from "../../../../lib/contract/client-configuration";
import { POWERSHELLS, readPowerShell } from "../../../../lib/powershell.test-support";
import { openImport } from "../import/parse-import.test-support";
import type { Installation } from "./bridge-command";
import { clientConfigurations } from "./client-configurations";

const ORIGIN = "http://127.0.0.1:3000";
const NEEDS_NOTHING = { http: false, stdio: false };
const NEEDS_TOKENS = { http: true, stdio: true };
const INSTALLATION: Installation = {
  home: "/opt/toolroom",
  data: "/home/ada/My data",
  databaseUrl: "file:/home/ada/My data/toolroom.db",
  config: null,
  isContainer: false,
  platform: "linux",
};
const WINDOWS: Partial<Installation> = {
  platform: "win32",
  home: "C:/Program Files/toolroom",
  data: "C:/Users/Ada/it's mine",
  databaseUrl: "file:C:/Users/Ada/it's mine/toolroom.db",
};
const parseImport = openImport();

const offer = (more: Partial<Installation> = {}, { origin = ORIGIN, part = {}, needs = NEEDS_NOTHING } = {}) =>
  clientConfigurations(origin, { ...INSTALLATION, ...more }, part, needs);

function getLine(more: Partial<Installation> = {}, choices = {}): string | undefined {
  const { items } = offer(more, choices);
  return items.find(({ client, transport }) => client === "other" && transport === "stdio")?.text;
}

/** The server that a client would add. */
async function readServer(text: string) {
  const { servers, problems } = await parseImport(text);
  expect(problems, text).toEqual([]);
  expect(servers, text).toHaveLength(1);
  expect(servers[0]?.problems, text).toEqual([]);
  return servers[0];
}

/** The Inspector's command line adds no server; what stands for any other client is for users. */
const isEntry = ({ client }: ClientConfiguration): boolean => client !== "inspector" && client !== "other";

describe("the command over stdio", () => {
  const program = `${findNode()} /opt/toolroom/scripts/mcp.mjs`;

  it("leads to this Toolroom by its data folder, its database file, or its address", () => {
    expect(getLine()).toBe(`${program} --data '/home/ada/My data'`);
    expect(getLine({}, { part: { toolset: "team" } })).toBe(`${program} --data '/home/ada/My data' --set team`);
    expect(getLine({ config: "/etc/room.json" })).toBe(`${program} --data '/home/ada/My data' --config /etc/room.json`);
    expect(getLine({ databaseUrl: "file:/srv/team.db" })).toBe(`DATABASE_URL=file:/srv/team.db ${program}`);
    const postgres = getLine({ databaseUrl: "postgresql://ada:secret@db/toolroom" });
    expect(postgres).toBe(`${program} --toolroom ${ORIGIN}`);
  });

  it("names no path of this machine to a client on another one, or outside of the container", () => {
    const origin = "https://tools.example.com";
    expect(getLine({}, { origin, part: { server: "files" } })).toBe(
      "toolroom mcp --toolroom https://tools.example.com --server files",
    );
    expect(getLine({ isContainer: true })).toBe(`toolroom mcp --toolroom ${ORIGIN}`);
    expect([offer({}, { origin }).wrap, offer({ isContainer: true }).wrap]).toEqual([null, null]);
  });

  it("is for PowerShell where this Toolroom runs on Windows, also that of Claude Code and the one that moves servers", () => {
    const program = "C:/Program Files/toolroom/scripts";
    const stdio = [`${program}/mcp.mjs`, "--data", WINDOWS.data];
    const { items, wrap } = offer({ ...WINDOWS, config: "C:/a b.json" }, { needs: NEEDS_TOKENS });
    const read = (client: string, version: (typeof POWERSHELLS)[number], variables: Record<string, string>) =>
      readPowerShell(
        items.find((item) => item.client === client && item.transport === "stdio")?.text ?? "",
        version,
        variables,
      );
    for (const version of POWERSHELLS) {
      const variables = {};
      const config = ["--config", "C:/a b.json"];
      expect(read("other", version, variables)).toEqual([
        { program: findNode(), words: [...stdio, ...config], input: null },
      ]);
      expect(variables).toEqual({ TOOLROOM_API_TOKEN: TOKEN_PLACEHOLDER });
      const token = ["--env", `TOOLROOM_API_TOKEN=${TOKEN_PLACEHOLDER}`];
      const add = ["mcp", "add", "toolroom", ...token, "--", findNode(), ...stdio, ...config];
      expect(read("claude-code", version, {})).toEqual([{ program: "claude", words: add, input: null }]);
      const own: Record<string, string> = {};
      const words = [`${program}/toolroom.mjs`, "wrap", "--data", WINDOWS.data];
      expect(readPowerShell(wrap ?? "", version, own)).toEqual([{ program: findNode(), words, input: null }]);
      expect(own).toEqual({ TOOLROOM_CONFIG: "C:/a b.json" });
    }
    expect(items.filter(({ transport, powershell }) => transport === "stdio" && powershell !== null)).toEqual([]);
  });

  it("has both forms where the reader's own machine runs it", () => {
    for (const more of [{}, WINDOWS]) {
      const origin = "https://tools.example.com";
      const { items } = offer(more, { origin, needs: NEEDS_TOKENS });
      const commands = items.filter(({ client, transport }) => client !== "other" || transport === "stdio");
      for (const { language, client, text, powershell } of commands) {
        expect([client, powershell !== null]).toEqual([client, language === "shell"]);
        if (powershell === null) continue;
        const [first, second] = POWERSHELLS.map((version) => readPowerShell(powershell, version));
        expect(first).toEqual(second);
        expect(first).toHaveLength(1);
        expect(text).not.toContain("$env:");
      }
    }
  });

  it("has a counterpart that moves the servers of clients to the same Toolroom", () => {
    const wrap = `${findNode()} /opt/toolroom/scripts/toolroom.mjs wrap`;
    expect(offer().wrap).toBe(`${wrap} --data '/home/ada/My data'`);
    expect(offer({ databaseUrl: "file:/srv/team.db" }).wrap).toBe(`DATABASE_URL=file:/srv/team.db ${wrap}`);
    expect(offer({ databaseUrl: "postgresql://db/x" }).wrap).toBe(`TOOLROOM_URL=${ORIGIN} ${wrap}`);
  });
});

describe("the configurations of clients", () => {
  it("name the file that the client reads on the system of this Toolroom", () => {
    const find = (more: Partial<Installation>, client: string) =>
      offer(more).items.find((item) => item.client === client)?.place;
    expect(find({}, "goose")).toBe("~/.config/goose/config.yaml");
    expect(find(WINDOWS, "goose")).toBe("%APPDATA%\\Block\\goose\\config\\config.yaml");
    expect(find({}, "claude-desktop")).toContain("Settings");
    expect(find(WINDOWS, "claude-desktop")).toContain("\\Packages\\Claude_");
  });

  it("exist for each client, in the order of the clients, and lead to this Toolroom over their transport", async () => {
    const { items } = offer();
    expect([...new Set(items.map(({ client }) => client))]).toEqual(CONNECT_CLIENTS.map(({ id }) => id));
    for (const item of items.filter(isEntry)) {
      const server = await readServer(item.text);
      const about = `${item.label} ${item.transport}`;
      if (item.transport === "http") expect(server?.settings, about).toMatchObject({ url: `${ORIGIN}/mcp` });
      else {
        expect(server?.settings, about).toMatchObject({
          transport: "stdio",
          command: findNode(),
          args: ["/opt/toolroom/scripts/mcp.mjs", "--data", "/home/ada/My data"],
          env: [],
        });
      }
      expect(server?.name, about).toBe("toolroom");
    }
  });

  it("carry a token where accounts are on: in the environment over stdio, in a header over HTTP", async () => {
    const { items } = offer({}, { needs: NEEDS_TOKENS });
    for (const item of items) {
      expect(item, `${item.label} ${item.transport}`).toMatchObject({ needsToken: true, install: null });
      expect(item.text, `${item.label} ${item.transport}`).toContain(TOKEN_PLACEHOLDER);
      if (!isEntry(item)) continue;
      const { settings } = (await readServer(item.text)) ?? {};
      const about = `${item.label} ${item.transport}`;
      if (item.transport === "stdio") {
        expect(settings, about).toMatchObject({ env: [{ name: "TOOLROOM_API_TOKEN", value: TOKEN_PLACEHOLDER }] });
      } else {
        const headers = [{ name: "Authorization", value: `Bearer ${TOKEN_PLACEHOLDER}` }];
        expect(settings, about).toMatchObject({ headers });
      }
    }
    const signIn = offer({}, { needs: { http: false, stdio: true } }).items;
    for (const { transport, needsToken, text } of signIn) {
      expect([needsToken, text.includes(TOKEN_PLACEHOLDER)]).toEqual([transport === "stdio", transport === "stdio"]);
    }
  });

  it("have links that add the same server, in the clients that have links", async () => {
    const linked = offer().items.filter(({ install }) => install !== null);
    expect(linked.map(({ client, transport }) => `${client} ${transport}`)).toEqual([
      "cursor http",
      "cursor stdio",
      "vscode http",
      "vscode stdio",
      "goose http",
      "lmstudio http",
      "lmstudio stdio",
      "kiro http",
      "kiro stdio",
    ]);
    for (const { client, text, install } of linked) {
      if (client !== "cursor" && client !== "vscode") continue;
      const byLink = await readServer(install ?? "");
      const byText = await readServer(text);
      expect([byLink?.name, byLink?.settings]).toEqual([byText?.name, byText?.settings]);
    }
    const find = (client: string) =>
      new URL(linked.find((item) => item.client === client)?.install ?? "").searchParams.get("config") ?? "";
    expect(JSON.parse(find("kiro"))).toEqual({ url: `${ORIGIN}/mcp` });
    expect(JSON.parse(Buffer.from(find("lmstudio"), "base64").toString())).toEqual({ url: `${ORIGIN}/mcp` });
  });
});
