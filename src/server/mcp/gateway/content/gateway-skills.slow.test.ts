import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { toolsetInputSchema } from "../../../../lib/contract/toolset";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../gateway-container.test-support";

const SKILLED = path.resolve("e2e/support/mcp-servers/skilled.mjs");
const OFFERING = path.resolve("e2e/support/mcp-servers/offering.mjs");
const EXTENSION = "io.modelcontextprotocol/skills";
const SERVERS: Readonly<Record<string, string[]>> = {
  left: [SKILLED, "left"],
  right: [SKILLED, "right", "stateless"],
  third: [SKILLED, "third"],
  plain: [OFFERING, "plain"],
};
const WITH_SKILLS = ["left", "right", "third"];

let running: GatewayContainer;
beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers, toolsets } = running.container.services;
  for (const [name, args] of Object.entries(SERVERS)) {
    await servers.create(LOCAL_PRINCIPAL, { name, transport: "stdio", command: process.execPath, args });
    await servers.reconnect(LOCAL_PRINCIPAL, name);
  }
  const chosen = toolsetInputSchema.parse({ name: "chosen", contents: ["left", "plain"] });
  await toolsets.create(LOCAL_PRINCIPAL, chosen);
  await toolsets.create(LOCAL_PRINCIPAL, toolsetInputSchema.parse({ name: "team", contents: ["own skills"] }));
});
afterAll(() => running.stop());

const ERAS = ["legacy", "2026-07-28"] as const;

async function connect(address: string, era: (typeof ERAS)[number]): Promise<{ client: Client; skills: SkillsClient }> {
  const mode = era === "legacy" ? era : { pin: era };
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}${address}`)));
  return { client, skills: new SkillsClient(client) };
}

describe.each(ERAS)("for a host of the %s protocol", (era) => {
  it.each(WITH_SKILLS)(
    "the address of '%s' lists its skills, and each file passes the host's checks",
    async (server) => {
      const { client, skills } = await connect(`/${server}`, era);
      expect(skills.supported).toBe(true);
      const { skills: listed } = await skills.list();
      expect(listed.map(({ uri }) => uri)).toEqual([
        "skill://shared/SKILL.md",
        `skill://acme/${server}-guide/SKILL.md`,
        "skill://moving/SKILL.md",
        "skill://altered/SKILL.md",
        "skill://generated/SKILL.md",
      ]);
      const guide = listed[1];
      if (guide === undefined) throw new Error("no guide");
      expect(await skills.read(guide)).toMatchObject({ verified: true, frontmatter: guide.frontmatter });
      expect(await skills.read(guide, "references/ü.md")).toMatchObject({ verified: true, text: "Grüße, 世界" });
      expect((await skills.get(guide.uri)).skill).toEqual(guide);
      await client.close();
    },
  );

  it("/mcp lists those of all servers, with other URIs for the ones that several have", async () => {
    const { client, skills } = await connect("", era);
    const { skills: listed } = await skills.list();
    const uris = listed.map(({ uri }) => uri);
    expect(new Set(uris).size).toBe(15);
    expect(uris).toEqual(expect.arrayContaining(WITH_SKILLS.map((each) => `skill://acme/${each}-guide/SKILL.md`)));
    for (const server of WITH_SKILLS) {
      const uri = `toolroom://${server}/skill://shared/SKILL.md`;
      const shared = listed.find((each) => each.uri === uri);
      if (shared === undefined) throw new Error(`${uri} is not listed`);
      expect(await skills.read(shared)).toMatchObject({ body: `\nShared steps of ${server}.\n` });
      expect(await skills.read(shared, "references/more.md")).toMatchObject({ text: `More of ${server}.` });
      expect((await skills.get(uri)).skill).toEqual(shared);
    }
    await client.close();
  });

  it("a toolset lists those of the servers whose content it has", async () => {
    const { client, skills } = await connect("/sets/chosen", era);
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toContain("skill://shared/SKILL.md");
    expect(listed).toHaveLength(5);
    await client.close();
  });

  it("a file that is not what its skill lists is refused, and recorded as failed", async () => {
    const { client } = await connect("/left", era);
    const reading = client.readResource({ uri: "skill://altered/SKILL.md" });
    await expect(reading).rejects.toThrow(/skill:\/\/altered\/SKILL\.md is not what its skill lists: it has \d+ bytes/);
    const { items } = await running.container.services.executions.list({ status: ["failed"] }, undefined, 10);
    expect(JSON.stringify(items)).toContain("skill://altered/SKILL.md");
    await client.close();
  });

  it("a skill that changes after it was listed is read with its new digest", async () => {
    const { client, skills } = await connect("/left", era);
    const uri = "skill://moving/SKILL.md";
    const before = (await skills.get(uri)).skill;
    const { contents } = await client.readResource({ uri });
    expect(JSON.stringify(contents)).toMatch(/Version \d+\./);
    expect((await skills.get(uri)).skill.resources).not.toEqual(before.resources);
    await client.close();
  });

  it("an unknown skill is refused as the extension says", async () => {
    const { client, skills } = await connect("", era);
    await expect(skills.get("skill://nowhere/SKILL.md")).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });
});

describe.each(ERAS)("a skill of the team, for a host of the %s protocol", (era) => {
  const URI = "skill://team-steps/SKILL.md";
  const write = (body: string) => `---\nname: team-steps\ndescription: Steps of the team\n---\n\n${body}\n`;
  const files = (body: string) => [
    { path: "SKILL.md", text: write(body) },
    { path: "references/ü.md", text: "Grüße" },
    { path: "data.bin", base64: Buffer.from([0, 255, 254]).toString("base64") },
  ];
  beforeEach(async () => {
    await running.container.services.ownSkills.create(LOCAL_PRINCIPAL, files("First."));
  });
  afterEach(() => running.container.services.ownSkills.delete(LOCAL_PRINCIPAL, "team-steps"));

  it("is listed at /mcp beside those of servers, each file passes the host's checks, and the read is recorded", async () => {
    const { client, skills } = await connect("", era);
    const listed = (await skills.list()).skills;
    expect(listed.map(({ uri }) => uri)).toContain("skill://acme/left-guide/SKILL.md");
    const own = listed.find(({ uri }) => uri === URI);
    if (own === undefined) throw new Error(`${URI} is not listed`);
    expect(await skills.read(own)).toMatchObject({ body: "\nFirst.\n" });
    expect(await skills.read(own, "references/ü.md")).toMatchObject({ text: "Grüße" });
    const { contents } = await client.readResource({ uri: "skill://team-steps/data.bin" });
    expect(contents).toMatchObject([{ blob: Buffer.from([0, 255, 254]).toString("base64") }]);
    expect((await skills.get(URI)).skill).toEqual(own);
    const { items } = await running.container.services.executions.list({ status: ["succeeded"] }, undefined, 20);
    const reads = items.filter(({ toolName }) => toolName === "own skills resources/read");
    expect(JSON.stringify(reads)).toContain("skill://team-steps/data.bin");
    await client.close();
  });

  it("is announced when it changes, and read with its new digest", async () => {
    const { client, skills } = await connect("", era);
    const before = (await skills.list()).skills.find(({ uri }) => uri === URI);
    const announced: string[] = [];
    client.setNotificationHandler("notifications/resources/list_changed", () => void announced.push("list"));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void announced.push(params.uri));
    const filter = { resourcesListChanged: true, resourceSubscriptions: [URI] };
    const stream =
      era === "legacy" ? await client.subscribeResource({ uri: URI }).then(() => null) : await client.listen(filter);
    await running.container.services.ownSkills.update(LOCAL_PRINCIPAL, "team-steps", files("Second."));
    await waitUntil(() => announced.includes("list") && announced.includes(URI));
    const after = (await skills.list()).skills.find(({ uri }) => uri === URI);
    expect(after?.resources).not.toEqual(before?.resources);
    if (after === undefined) throw new Error(`${URI} is not listed`);
    expect(await skills.read(after)).toMatchObject({ body: "\nSecond.\n" });
    expect(announced).not.toContain("skill://team-steps/data.bin");
    await stream?.close();
    await client.close();
  });

  it("is in a toolset that chooses the team's skills, and in no other", async () => {
    const chosen = await connect("/sets/chosen", era);
    expect((await chosen.skills.list()).skills.map(({ uri }) => uri)).not.toContain(URI);
    await chosen.client.close();
    const team = await connect("/sets/team", era);
    const { skills: listed } = await team.skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual([URI]);
    expect(await team.skills.read(listed[0] as (typeof listed)[number])).toMatchObject({ body: "\nFirst.\n" });
    await team.client.close();
    const server = await connect("/left", era);
    expect((await server.skills.list()).skills.map(({ uri }) => uri)).not.toContain(URI);
    await server.client.close();
  });

  it("keeps its address where a server has a skill of its name, and each of the two can be read", async () => {
    const shared = [{ path: "SKILL.md", text: write("Of the team.").replace("team-steps", "shared") }];
    await running.container.services.ownSkills.create(LOCAL_PRINCIPAL, shared);
    const { client, skills } = await connect("", era);
    const { skills: listed } = await skills.list();
    const uris = listed.flatMap(({ uri }) => (uri.endsWith("skill://shared/SKILL.md") ? uri : []));
    expect(uris).toContain("toolroom://own%20skills/skill://shared/SKILL.md");
    expect(uris).toContain("toolroom://left/skill://shared/SKILL.md");
    const bodies = await Promise.all(
      listed.filter(({ uri }) => uris.includes(uri)).map(async (each) => (await skills.read(each)).body),
    );
    expect(bodies.sort()).toEqual(
      ["left", "right", "third"]
        .map((server) => `\nShared steps of ${server}.\n`)
        .concat("\nOf the team.\n")
        .sort(),
    );
    await running.container.services.ownSkills.delete(LOCAL_PRINCIPAL, "shared");
    await client.close();
  });
});

it("the address of a server without skills declares none", async () => {
  const client = await rawClient(`${running.url}/plain`, "2025-11-25");
  expect((await client.ask("skills/list")).at(-1)).toMatchObject({ error: { code: -32_601 } });
  const { client: host, skills } = await connect("/plain", "legacy");
  expect(host.getServerCapabilities()?.extensions?.[EXTENSION]).toBeUndefined();
  expect(skills.supported).toBe(false);
  await host.close();
});
