import { mkdtemp } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createControl, SEED_PATH, STOP_PATH } from "./control.mjs";
import { createControlGuard, createProver, signControlRequest } from "./running-server.mjs";

const BODY = JSON.stringify({ scenarios: ["first-day"] });

let note = "";
let otherNote = "";
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-control-"));
  note = path.join(folder, "toolroom.db.server.json");
  otherNote = path.join(folder, "other.db.server.json");
  for (const each of [note, otherNote]) createProver(each);
});

describe("a request of the local owner", () => {
  const check = (headers: IncomingHttpHeaders, body = BODY, url: string = SEED_PATH) =>
    createControlGuard(note)({ url, headers }, body);

  it("is signed with the secret beside the database, for one path and body, and counts once", () => {
    const headers = signControlRequest(note, SEED_PATH, BODY);
    expect(check(headers)).toBe(true);
    expect(check(headers, `${BODY} `)).toBe(false);
    expect(check(headers, BODY, "/api/control/other")).toBe(false);
    expect(check({})).toBe(false);
    expect(check(signControlRequest(otherNote, SEED_PATH, BODY))).toBe(false);
    const isSigned = createControlGuard(note);
    expect([isSigned({ url: SEED_PATH, headers }, BODY), isSigned({ url: SEED_PATH, headers }, BODY)]).toEqual([
      true,
      false,
    ]);
  });

  it("is refused when it is old, and with a time that was changed", () => {
    const headers = signControlRequest(note, SEED_PATH, BODY);
    const signature = headers["toolroom-control"].split(".");
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    try {
      expect(check(headers)).toBe(false);
      expect(check({ "toolroom-control": [Date.now(), ...signature.slice(1)].join(".") })).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the control endpoint", () => {
  const seed = vi.fn(async (names: readonly string[], report: (scenario: string, outcome: string) => void) => {
    if (names.includes("unknown")) throw new Error("Unknown scenario");
    report("first-day", "22 calls");
  });
  const stop = vi.fn();
  let server: Server;
  let url = "";
  beforeAll(async () => {
    const control = createControl(note, seed, stop);
    server = createServer((request, response) => void control(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function post(body: string, headers: Record<string, string> = signControlRequest(note, SEED_PATH, body)) {
    const response = await fetch(url + SEED_PATH, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  }

  it("reports each scenario as it ends, and an error in place of the end", async () => {
    expect(await post(BODY)).toEqual({
      status: 200,
      text: '{"scenario":"first-day","outcome":"22 calls"}\n{"done":true}\n',
    });
    expect(await post('{"scenarios":["unknown"]}')).toEqual({ status: 200, text: '{"error":"Unknown scenario"}\n' });
  });

  it("stops the server for who can read the secret beside the database alone, once for each signature", async () => {
    const send = (headers: Record<string, string>) => fetch(url + STOP_PATH, { method: "POST", headers });
    const signed = signControlRequest(note, STOP_PATH, "");
    for (const headers of [{}, signControlRequest(note, SEED_PATH, ""), signControlRequest(otherNote, STOP_PATH, "")]) {
      expect((await send(headers)).status).toBe(403);
    }
    expect((await send({ ...signed, origin: url })).status).toBe(404);
    expect(stop).not.toHaveBeenCalled();
    expect((await send(signed)).status).toBe(202);
    expect((await send(signed)).status).toBe(403);
    expect(stop).toHaveBeenCalledOnce();
  });

  it("does nothing for anyone else: without a signature, from a page, or with a body that it does not know", async () => {
    seed.mockClear();
    expect(await post(BODY, {})).toMatchObject({ status: 403 });
    const signed = signControlRequest(note, SEED_PATH, BODY);
    expect(await post(BODY, { ...signed, origin: url })).toMatchObject({ status: 404 });
    for (const body of ["{}", "x", '{"scenarios":[1]}']) expect(await post(body)).toMatchObject({ status: 400 });
    expect(await post(`"${"x".repeat(70_000)}"`)).toMatchObject({ status: 413 });
    expect((await fetch(`${url}/api/control/other`)).status).toBe(404);
    expect(seed).not.toHaveBeenCalled();
  });

  it("adds sample data once at a time", async () => {
    let end = (): void => undefined;
    seed.mockImplementationOnce(() => new Promise((resolve) => (end = resolve)));
    const first = post(BODY);
    await vi.waitFor(() => expect(seed).toHaveBeenCalled());
    expect(await post(BODY)).toMatchObject({ status: 409 });
    end();
    expect(await first).toMatchObject({ status: 200, text: '{"done":true}\n' });
  });
});
