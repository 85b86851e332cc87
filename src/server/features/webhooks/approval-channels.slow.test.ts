import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import type { WebhookInput } from "../../../lib/contract/webhook";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { callAs } from "../../main/api/call-as";
import { type Container, createContainer } from "../../main/container";
import { readEnv } from "../../main/env";

const ORIGIN = "http://toolroom.test";
const PASSWORD = "correct horse battery";
const AUTOMATION_TOKEN = "automation-token-of-thirty-two-letters";
const TOOL = {
  name: "pay",
  description: "Pays",
  type: "function",
  handler: "echo",
  parameters: { type: "object" },
  implementation: { type: "builtin", handler: "echo" },
};

async function receive() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.statusCode = 204;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function post(container: Container, to: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", origin: ORIGIN, host: "toolroom.test" };
  const request = new Request(`${ORIGIN}/api/auth/${to}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await container.signInRequests?.(request)) ?? new Response(null, { status: 404 });
}

async function authenticate(container: Container, headers: Record<string, string>): Promise<Principal> {
  const found = await container.access.authenticate(new Headers(headers));
  if (found === null) throw new Error("The request has no actor");
  return found;
}

/** Ada, an admin, and Edda, an editor. */
async function openWithUsers() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-channels-"));
  const container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.join(folder, "none.json"),
      TOOLROOM_AUTH: "on",
      TOOLROOM_API_TOKEN: AUTOMATION_TOKEN,
      TOOLROOM_PUBLIC_URL: "https://tools.example.com",
      TOOLROOM_PRIVATE_ADDRESSES: "allow",
    }),
  );
  onTestFinished(container.close);
  const join = async (token: string | undefined, email: string, name: string): Promise<Principal> => {
    await post(container, "link/use", { token, email, name, password: PASSWORD });
    const response = await post(container, "sign-in/email", { email, password: PASSWORD });
    const cookie = response.headers.getSetCookie().map((each) => each.split(";")[0]);
    return authenticate(container, { cookie: cookie.join("; ") });
  };
  const ada = await join((await container.setupPath())?.split("#")[1], "ada@example.org", "Ada");
  const invitation = { role: "editor", email: null, validDays: 1 } as const;
  const edda = await join(await container.services.people.invite(ada, invitation), "edda@example.org", "Edda");
  await container.services.tools.create(ada, JSON.stringify(TOOL));
  return { container, ada, edda };
}

const toInput = (url: string, approverId: string): WebhookInput => ({
  url,
  description: "Phone",
  events: ["approval.requested"],
  tools: [],
  enabled: true,
  approverId,
});

const visit = (userId: string | null) => ({ userId, origin: { door: "rest", address: "192.0.2.7" } }) as const;

it("an admin who names another approver gets no links until that user confirms the address, and none for another address", async () => {
  const { container, ada, edda } = await openWithUsers();
  const { webhooks, executions, tools, auditLog } = container.services;
  const { bodies, url } = await receive();
  const { id, approverConfirmed } = await webhooks.create(ada, toInput(url, edda.id));
  expect(approverConfirmed).toBe(false);
  await tools.setApproval(ada, "pay", "always");
  const ask = async (): Promise<string | undefined> => {
    const before = bodies.length;
    await executions.run(ada, { tool: "pay", argumentsText: "{}", waitMs: 1 });
    await waitUntil(() => expect(bodies.length).toBe(before + 1));
    return JSON.parse(bodies[before] ?? "").data.approve;
  };
  expect(await ask()).toBeUndefined();
  expect(await webhooks.channels(ada)).toEqual([]);
  expect(await webhooks.channels(edda)).toEqual([
    { id, description: "Phone", receiver: new URL(url).origin, isConfirmed: false },
  ]);
  const token = { id: "t", scopes: ["manage" as const], tools: null, servers: null };
  await expect(webhooks.confirmChannel({ ...edda, token }, id)).rejects.toMatchObject({ code: "DENIED" });
  await expect(webhooks.confirmChannel(ada, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await callAs(container, edda).webhooks.confirmChannel({ id });
  expect(await ask()).toMatch(/^https:\/\/tools\.example\.com\/approve#/);
  const { items } = await auditLog.list(ada, { action: ["webhooks.confirmChannel"] }, undefined, 10);
  expect(items.some(({ actor, outcome }) => actor.id === edda.id && outcome === "done")).toBe(true);

  await webhooks.update(ada, id, toInput(`${url}/elsewhere`, edda.id));
  expect(await ask()).toBeUndefined();
  await webhooks.confirmChannel(edda, id);
  expect(await ask()).toBeDefined();
  await webhooks.leaveChannel(edda, id);
  expect(await ask()).toBeUndefined();
  expect(await webhooks.list(ada)).toMatchObject([{ approverId: null, approverConfirmed: false }]);
});

it("links of an account that was switched off stay void when it is switched on again", async () => {
  const { container, ada, edda } = await openWithUsers();
  const { webhooks, executions, tools, people } = container.services;
  const { bodies, url } = await receive();
  const { id } = await webhooks.create(ada, toInput(url, edda.id));
  await webhooks.confirmChannel(edda, id);
  await tools.setApproval(ada, "pay", "always");
  await executions.run(ada, { tool: "pay", argumentsText: "{}", waitMs: 1 });
  await waitUntil(() => expect(bodies).toHaveLength(1));
  const link = new URL(JSON.parse(bodies[0] ?? "").data.approve).hash.slice(1);
  expect(await container.approvalLinks.view(link, visit(null))).toMatchObject({ approver: "Edda" });
  await people.setDisabled(ada, edda.id, true);
  await expect(container.approvalLinks.view(link, visit(null))).rejects.toThrow("withdrawn");
  await people.setDisabled(ada, edda.id, false);
  await expect(container.approvalLinks.view(link, visit(null))).rejects.toThrow("withdrawn");
  // A new confirmation gives rise to new links alone.
  await webhooks.confirmChannel(edda, id);
  await expect(container.approvalLinks.decide(link, { approved: true }, visit(null))).rejects.toThrow("withdrawn");
});

it("the requester cannot use the link of a rule about another user, and TOOLROOM_API_TOKEN approves under no rule about users", async () => {
  const { container, ada, edda } = await openWithUsers();
  const { webhooks, executions, tools, approvals } = container.services;
  const { bodies, url } = await receive();
  const { id } = await webhooks.create(ada, toInput(url, edda.id));
  await webhooks.confirmChannel(edda, id);
  await tools.setApproval(ada, "pay", "other_editor");
  const { id: call } = await executions.run(ada, { tool: "pay", argumentsText: "{}", waitMs: 1 });
  await waitUntil(() => expect(bodies).toHaveLength(1));
  const link = new URL(JSON.parse(bodies[0] ?? "").data.approve).hash.slice(1);
  for (const userId of [null, ada.id]) {
    await expect(container.approvalLinks.decide(link, { approved: true }, visit(userId))).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  }
  const automation = await authenticate(container, { authorization: `Bearer ${AUTOMATION_TOKEN}` });
  for (const mode of ["editor", "admin", "other", "other_editor", "other_admin"] as const) {
    await tools.setApproval(ada, "pay", mode);
    await expect(approvals.decide(automation, call, { approved: true })).rejects.toThrow(
      "TOOLROOM_API_TOKEN is no user",
    );
  }
  await tools.setApproval(ada, "pay", "other_editor");
  expect(await container.approvalLinks.decide(link, { approved: true }, visit(edda.id))).toMatchObject({
    decided: true,
  });
});
