import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import { formatCassette, parseCassette } from "../../lib/cassette/cassette-file";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { WrapState } from "../cli/wrap/wrap-state";
import { hashToken } from "../features/accounts/one-time-token";
import { createSecretBox } from "../platform/auth/secret-box";
import { buildSqliteVersion, readOlderVersions } from "../platform/db/older-versions.test-support";
import { createRestClient } from "./api/rest/rest.test-support";
import { backupDatabase, restoreBackup } from "./backup-database";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

/** Files as versions wrote them, by the order of their formats. None is changed; a format that changes gets another folder. */
const FILES = path.join(import.meta.dirname, "written-files");
const BY = LOCAL_PRINCIPAL;
const read = (file: string): string => readFileSync(path.join(FILES, file), "utf8");
const list = (pattern: RegExp): string[] =>
  readdirSync(FILES, { recursive: true, encoding: "utf8" }).filter((file) => pattern.test(file));

interface Secrets {
  key: string;
  secrets: { context: string; plain: string; sealed: string }[];
  tokens: { token: string; hash: string }[];
}
const SECRETS = JSON.parse(read("first/secrets.json")) as Secrets;

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-written-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder: string, config = path.join(folder, "none.json")): Promise<Container> {
  const url = `file:${path.join(folder, "toolroom.db")}`;
  const container = await createContainer(
    readEnv({ DATABASE_URL: url, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  onTestFinished(() => container.close());
  return container;
}

describe("a file that an earlier version wrote", () => {
  it.each(list(/catalog\.json$/))("%s is imported as a catalog", async (file) => {
    const { services } = await open(createFolder());
    const text = read(file);
    const preview = await services.sharing.preview(BY, text);
    expect(preview.problems).toEqual([]);
    expect(preview.entries.map(({ status }) => status)).not.toContain("invalid");
    const decisions = preview.entries.map(({ kind, name }) => ({ kind, name, action: "add" as const }));
    await services.sharing.import(BY, { text, digest: preview.digest, decisions: decisions as never });
    expect(services.tools.get("greet").definition).toMatchObject({ name: "greet", description: "Greets a person" });
  });

  it.each(list(/suites\.json$/))("%s is imported as suites", async (file) => {
    const container = await open(createFolder());
    const ask = createRestClient(container);
    const response = await ask({ method: "POST", address: "/suites/import", actor: BY, body: JSON.parse(read(file)) });
    expect(await response.json()).toEqual({ created: ["smoke"], replaced: [], same: [] });
  });

  it.each(list(/cassette\.jsonl$/))("%s is read as a cassette, and imported byte for byte", async (file) => {
    const text = read(file);
    const { input, lines } = await parseCassette(text);
    expect(formatCassette(input, lines)).toBe(text);
    const { services } = await open(createFolder());
    expect(await services.cassettes.import(BY, { text } as never)).toMatchObject({ name: "demo" });
  });

  it.each(list(/bundle\.json$/))("%s is opened as an execution, with each digit of its arguments", async (file) => {
    const { services } = await open(createFolder());
    const { id } = await services.bundles.open(BY, read(file));
    expect(await services.executions.get(id)).toMatchObject({
      toolName: "greet",
      argumentsText: '{"name":"Ada","n":12345678901234567890}',
      resultText: '{"text":"Hello"}',
    });
  });

  it("of wrap still names each changed file, its backup and its edits", () => {
    const folder = createFolder();
    cpSync(path.join(FILES, "first", "wrap"), path.join(folder, "wrap"), { recursive: true });
    const state = WrapState.open(folder);
    expect(state.files).toMatchObject([{ client: "claude-code", entryName: "toolroom" }]);
    const [file] = state.files;
    if (file === undefined) throw new Error("no file was wrapped");
    expect(JSON.parse(state.readBackup(file).toString())).toHaveProperty("mcpServers.files");
  });

  it.each(list(/config-[\d-]+\.json$/))("%s configures the tools that it names", async (file) => {
    const folder = createFolder();
    cpSync("config/handlers", path.join(folder, "handlers"), { recursive: true });
    cpSync(path.join(FILES, file), path.join(folder, "toolroom.json"));
    const { services } = await open(folder, path.join(folder, "toolroom.json"));
    const { items, problems } = services.tools.list();
    expect(problems).toEqual([]);
    const { registry } = (JSON.parse(read(file)) as { tools: { registry: { name: string }[] } }).tools;
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(registry.map(({ name }) => name)));
  });
});

describe("what an earlier version stored", () => {
  it("opens with its key, and its tokens are known by their hashes", async () => {
    const box = await createSecretBox({ secretKey: SECRETS.key, keyFile: "" });
    for (const { context, plain, sealed } of SECRETS.secrets) expect(box.open(sealed, context)).toBe(plain);
    for (const { token, hash } of SECRETS.tokens) expect(hashToken(token)).toBe(hash);
  });

  it("and saved with its key file is restored by this one, upgraded, and its secrets can be used", async () => {
    const versions = readOlderVersions(path.resolve("prisma/migrations"));
    const version = versions.find(({ migrations }) => migrations.some(({ sql }) => sql.includes('"ModelProvider"')));
    if (version === undefined) throw new Error("no version has providers");
    const older = createFolder();
    const file = path.join(older, "toolroom.db");
    buildSqliteVersion(file, version);
    const raw = new Database(file);
    raw
      .prepare(
        `INSERT INTO "ModelProvider" (name, kind, settings, secret, "createdAt", "updatedAt") VALUES (?, ?, ?, ?, 1, 1)`,
      )
      .run("acme", "openai", '{"baseUrl":null,"models":["m"],"prices":[]}', SECRETS.secrets[0]?.sealed);
    raw.close();
    writeFileSync(`${file}.key`, `${SECRETS.key}\n`, { mode: 0o600 });
    const saved = path.join(older, "saved.db");
    expect(await backupDatabase(`file:${file}`, older, saved)).toMatchObject({ keyFile: `${saved}.key` });

    const folder = createFolder();
    await restoreBackup(`file:${path.join(folder, "toolroom.db")}`, folder, saved);
    const { services } = await open(folder);
    const acme = services.models.providers().items.find(({ name }) => name === "acme");
    expect(acme).toMatchObject({ name: "acme", origin: "console" });
    expect(JSON.stringify(acme)).not.toContain(SECRETS.secrets[0]?.plain);
    expect(services.system.problems(0).items.filter(({ origin }) => origin !== "config")).toEqual([]);
  });
});
