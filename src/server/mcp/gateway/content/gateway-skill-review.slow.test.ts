import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { toolsetInputSchema } from "../../../../lib/contract/toolset";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "../gateway-container.test-support";

const SKILLED = path.resolve("e2e/support/mcp-servers/skilled.mjs");
const URI = "skill://refunds/SKILL.md";
const folder = mkdtempSync(path.join(tmpdir(), "reviewed-skills-"));

/** Writes the folder that the server lists its skills from. */
function publish(name: string, body: string): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  const text = `---\nname: ${name}\ndescription: How docs does ${name}\nlicense: MIT\n---\n\n${body}\n`;
  writeFileSync(path.join(folder, name, "SKILL.md"), text);
}

let running: GatewayContainer;
const services = () => running.container.services;
const changes = async () => (await services().changes.review("docs")).skills;

beforeAll(async () => {
  publish("refunds", "First steps.");
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers, toolsets } = services();
  const args = [SKILLED, "docs", `folder=${folder}`];
  const settings = { transport: "stdio", command: process.execPath, args } as const;
  await servers.create(LOCAL_PRINCIPAL, { name: "docs", changedTools: "review", ...settings });
  await servers.reconnect(LOCAL_PRINCIPAL, "docs");
  await toolsets.create(LOCAL_PRINCIPAL, toolsetInputSchema.parse({ name: "chosen", contents: ["docs"] }));
  await services().content.skills(LOCAL_PRINCIPAL, "docs");
});
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(address: string): Promise<{ client: Client; skills: SkillsClient }> {
  const client = new Client({ name: "host", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}${address}`)));
  return { client, skills: new SkillsClient(client) };
}

/** The texts of the listed skills as a host of an address reads them, each checked against its digest. */
async function readAll(address: string): Promise<string> {
  const { client, skills } = await connect(address);
  const listed = (await skills.list()).skills;
  const bodies = await Promise.all(listed.map(async (each) => (await skills.read(each)).body));
  await client.close();
  return JSON.stringify({ listed, bodies });
}

async function decide(decision: "approve" | "block"): Promise<void> {
  const references = (await changes()).flatMap(({ uri, hash, status }) =>
    status === "withheld" ? [] : [{ uri, hash, status }],
  );
  const { missed } = await services().changes.decideSkills(LOCAL_PRINCIPAL, "docs", references, decision);
  expect(missed).toEqual([]);
}

describe.each(["", "/docs", "/sets/chosen"])("a host of /mcp%s", (address) => {
  beforeEach(async () => {
    publish("refunds", `Approved steps of ${address}.`);
    await services().content.skills(LOCAL_PRINCIPAL, "docs");
    if ((await changes()).length > 0) await decide("approve");
  });

  it("reads the approved version of a skill until a user approves another, and receives a notification of that one", async () => {
    const { client, skills } = await connect(address);
    const announced: string[] = [];
    client.setNotificationHandler("notifications/resources/list_changed", () => void announced.push("list"));
    expect(await readAll(address)).toContain(`Approved steps of ${address}.`);
    publish("refunds", "Changed steps.");
    const read = await readAll(address);
    expect(read).toContain(`Approved steps of ${address}.`);
    expect(read).not.toContain("Changed");
    expect(services().servers.get("docs", "local")).toMatchObject({ heldCount: 1, heldSkillCount: 1 });
    await decide("approve");
    await waitUntil(() => announced.includes("list"));
    const entry = (await skills.list()).skills[0];
    if (entry === undefined) throw new Error("no skill is listed");
    expect((await skills.read(entry)).body).toContain("Changed steps.");
    expect(services().servers.get("docs", "local").heldCount).toBe(0);
    await client.close();
  });

  it("does not get a new skill, and a read of it is refused and recorded", async () => {
    publish("added", "New steps.");
    expect(await readAll(address)).not.toContain("added");
    const { client } = await connect(address);
    const uri = "skill://added/SKILL.md";
    await expect(client.readResource({ uri })).rejects.toThrow(/no approved skill has skill:\/\/added\/SKILL\.md/);
    const { items } = await services().executions.list({ status: ["failed"] }, undefined, 10);
    expect(JSON.stringify(items)).toContain(uri);
    await client.close();
    rmSync(path.join(folder, "added"), { recursive: true });
    expect(await readAll(address)).toContain("Approved steps");
    expect(await changes()).toEqual([]);
  });
});

it("a read of a changed skill is recorded with the version that was sent, and why", async () => {
  publish("refunds", "Kept steps.");
  await services().content.skills(LOCAL_PRINCIPAL, "docs");
  if ((await changes()).length > 0) await decide("approve");
  publish("refunds", "Other steps.");
  const { text, executionId } = await services().content.readSkill(LOCAL_PRINCIPAL, "docs", URI);
  expect(text).toContain("Kept steps.");
  const { logs } = await services().executions.get(executionId);
  expect(JSON.stringify(logs)).toMatch(/Sent the stored file sha256:[\da-f]{64}, which is approved/);
  const [listed] = await services().content.skills(LOCAL_PRINCIPAL, "docs");
  expect(listed).toMatchObject({ uri: URI, change: "open" });
  await decide("block");
  expect(await services().changes.waiting()).toEqual([]);
});

it("a client's question for a skill is answered by the review, by its program and by its address", async () => {
  const client = new Client({ name: "codex-mcp-client", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/docs`)));
  await client.listTools();
  publish("proposed", "New steps.");
  await services().content.skills(LOCAL_PRINCIPAL, "docs");
  const explain = (skill: string) => services().clients.explain("codex-mcp-client", skill);
  expect(await explain("proposed")).toMatchObject({
    verdict: "held",
    answer: "The skill is new on docs and waits for approval.",
    link: "/servers/docs/changes",
  });
  expect(await explain("refunds")).toMatchObject({
    verdict: "client",
    answer: "The skill is served at this address. Codex loads no skills of servers.",
  });
  const own = { path: "SKILL.md", text: "---\nname: team-steps\ndescription: Steps of the team\n---\n" };
  await services().ownSkills.create(LOCAL_PRINCIPAL, [own]);
  expect(await explain("skill://team-steps/SKILL.md")).toMatchObject({
    verdict: "limit",
    answer: "The skill is served at /mcp, and not at /mcp/docs.",
  });
  expect(await explain("nothing")).toMatchObject({ verdict: "unknown" });
  const { findings } = await services().clientVerdicts.check(LOCAL_PRINCIPAL, "codex", { server: "docs" });
  expect(findings).toMatchObject([{ rule: "codex/skills", severity: "dropped", tool: null }]);
  rmSync(path.join(folder, "proposed"), { recursive: true });
  await client.close();
});

it("the registry names approved skills with the address that serves them, and those of the team", async () => {
  const { entries } = await services().registry.get(LOCAL_PRINCIPAL, "http://127.0.0.1:3000");
  const skills = new Map(entries.map(({ server, _meta }) => [server.name, _meta["toolroom/skills"]]));
  const digest = expect.stringMatching(/^sha256:/);
  const refunds = { name: "refunds", description: "How docs does refunds", uri: URI, digest };
  expect(skills.get("local.toolroom/toolset.chosen")).toEqual([refunds]);
  expect(skills.get("local.toolroom/toolroom")).toEqual([
    refunds,
    {
      name: "team-steps",
      description: "Steps of the team",
      uri: "skill://team-steps/SKILL.md",
      digest: services().ownSkills.describe("team-steps").digest,
    },
  ]);
});

it("a server with a changed skill waits among the changes of servers, and a change without a server is refused", async () => {
  publish("refunds", "Yet other steps.");
  await services().content.skills(LOCAL_PRINCIPAL, "docs");
  expect(await services().changes.waiting()).toMatchObject([{ server: "docs", open: 0, skills: 1 }]);
  const reference = { uri: URI, hash: "x", status: "open" as const };
  const deciding = services().changes.decideSkills(LOCAL_PRINCIPAL, "nowhere", [reference], "approve");
  await expect(deciding).rejects.toMatchObject({ code: "NOT_FOUND" });
});
