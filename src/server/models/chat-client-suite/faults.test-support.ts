import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { type ChatResponseUpdate, readMessageText } from "../../../lib/contract/chat";
import { ask, type Bench, findFault, KEY, MODEL, type Mode, setUpBench, user } from "./suite-bench.test-support";
import type { SuiteSubject } from "./suite-subject.test-support";

const HELLO = [user("Hello")];

/** The guarantees for faults and retries. */
export function describeFaults(subject: SuiteSubject, mode: Mode): void {
  const bench = setUpBench(subject);
  describeRetries(mode, bench);
  describeBrokenConnections(mode, bench);
  describeErrors(subject, mode, bench);
  describeStop(mode, bench);
}

function describeRetries(mode: Mode, bench: Bench): void {
  it("waits as long as the vendor asks after 429, says so in the stream, and then answers", async () => {
    bench.vendor().script([
      { kind: "status", status: 429, headers: { "retry-after": "2" } },
      { kind: "text", text: "Here I am." },
    ]);
    const { response, updates } = await ask(bench.client(), mode, HELLO);
    expect(response.messages.map(readMessageText)).toEqual(["Here I am."]);
    expect(bench.delays).toEqual([2000]);
    if (mode === "streaming") {
      expect(updates[0]).toMatchObject({ type: "retry", delayMs: 2000, reason: expect.stringContaining("429") });
    }
  });

  it.each([408, 409, 500, 502, 503, 529])("sends the request again after %i", async (status) => {
    bench.vendor().script([
      { kind: "status", status },
      { kind: "text", text: "Here I am." },
    ]);
    const { response } = await ask(bench.client(), mode, HELLO);
    expect(response.messages.map(readMessageText)).toEqual(["Here I am."]);
    expect(bench.delays).toEqual([500]);
  });

  it("fails after the last attempt, with longer pauses between", async () => {
    bench.vendor().script([500, 500, 500, 500].map((status) => ({ kind: "status", status })));
    const fault = await findFault(ask(bench.client(), mode, HELLO));
    expect(fault.kind).toBe("unexpected");
    expect(bench.vendor().requests).toHaveLength(3);
    expect(bench.delays).toEqual([500, 1000]);
  });

  it("does not wait for a vendor that asks for more than a minute", async () => {
    bench.vendor().script([{ kind: "status", status: 429, headers: { "retry-after": "3600" } }]);
    const fault = await findFault(ask(bench.client(), mode, HELLO));
    expect(fault.kind).toBe("rate_limit");
    expect(bench.vendor().requests).toHaveLength(1);
  });
}

function describeBrokenConnections(mode: Mode, bench: Bench): void {
  it("sends the request again when the connection breaks before anything came", async () => {
    bench.vendor().script([
      { kind: "cut", afterText: "" },
      { kind: "text", text: "Here I am." },
    ]);
    const { response, updates } = await ask(bench.client(), mode, HELLO);
    expect(response.messages.map(readMessageText)).toEqual(["Here I am."]);
    expect(bench.delays).toEqual([500]);
    if (mode === "streaming") expect(updates[0]?.type).toBe("retry");
  });

  it.runIf(mode === "streaming")(
    "ends with `connection` when the connection breaks after text was passed on",
    async () => {
      bench.vendor().script([
        { kind: "cut", afterText: "Once" },
        { kind: "text", text: "never asked for" },
      ]);
      const updates: ChatResponseUpdate[] = [];
      const fault = await findFault(
        (async () => {
          for await (const update of bench.client().getStreamingResponse(HELLO, { model: MODEL })) updates.push(update);
        })(),
      );
      expect(fault.kind).toBe("connection");
      expect(updates).toEqual([{ type: "text", text: "Once" }]);
      expect(bench.vendor().requests).toHaveLength(1);
    },
  );

  it.runIf(mode === "streaming")("ends with the vendor's error when the stream itself reports one", async () => {
    bench.vendor().script([{ kind: "mid_stream_error", afterText: "Once", message: "The engine broke." }]);
    const fault = await findFault(ask(bench.client(), mode, HELLO));
    expect(fault.message).toContain("The engine broke.");
    expect(bench.vendor().requests).toHaveLength(1);
  });

  it("says `connection` and names the vendor when nothing listens", async () => {
    await bench.vendor().close();
    const fault = await findFault(ask(bench.client(), mode, HELLO));
    expect(fault.kind).toBe("connection");
    expect(fault.message).toContain("ECONNREFUSED");
    expect(bench.delays).toEqual([500, 1000]);
  });
}

function describeErrors(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  it.each([401, 403])(
    "says `auth` after %i, names the vendor, tries once, and keeps the key to itself",
    async (status) => {
      bench.vendor().script([{ kind: "status", status, message: `The key ${KEY} (${KEY.slice(0, 12)}***) is wrong.` }]);
      const fault = await findFault(ask(bench.client(), mode, HELLO));
      expect(fault.kind).toBe("auth");
      expect(fault.message).toContain(subject.vendorName);
      expect(fault.message).toMatch(/key/);
      expectNoKey(fault);
      expect(bench.vendor().requests).toHaveLength(1);
    },
  );

  it("takes the key out of whatever a vendor echoes, and cuts what is long", async () => {
    const message = `No such thing: ${KEY} ${"x".repeat(480 - KEY.length)} ${KEY} ${"y".repeat(5000)}`;
    bench.vendor().script([{ kind: "status", status: 400, message }]);
    const fault = await findFault(ask(bench.client(), mode, HELLO));
    expect(fault.kind).toBe("bad_request");
    expect(fault.message).toContain("No such thing");
    expect(fault.message.length).toBeLessThan(700);
    expectNoKey(fault);
  });

  it("takes keys of the base URL out of whatever a vendor echoes, and out of errors of the connection", async () => {
    const planted = "planted-4f9a8b7c";
    const at = bench.vendor().url.replace("//", "//someone:planted-pass@");
    const message = `cannot serve /v1?key=${planted} for someone:planted-pass (${planted}, token=${planted})`;
    bench.vendor().script([{ kind: "status", status: 400, message }]);
    const listening = `${at}?key=${planted}#${planted}`;
    const urls = [listening, `http://someone:planted-pass@127.0.0.1:1/?key=${planted}`, `no address?key=${planted}`];
    for (const baseUrl of urls) {
      const client = subject.createClient({ apiKey: null, baseUrl, retry: { maxAttempts: 1 } });
      const fault = await findFault(ask(client, mode, [user("Hello")]));
      expect(fault.message).not.toContain("planted");
    }
  });

  it("takes the key out of the reason of a retry", async () => {
    bench.vendor().script([
      { kind: "status", status: 500, message: `Boom ${KEY}` },
      { kind: "text", text: "Here." },
    ]);
    const { updates } = await ask(bench.client(), mode, HELLO);
    expect(JSON.stringify(updates)).not.toContain(KEY);
  });

  it("tells overload, a conversation that is too long, an unknown model and a model without tools apart", async () => {
    const overloaded = Array.from({ length: 3 }, () => ({ kind: "status" as const, status: 503 }));
    bench
      .vendor()
      .script([...overloaded, { kind: "context_length" }, { kind: "status", status: 404 }, { kind: "no_tools" }]);
    const kinds: string[] = [];
    for (let round = 0; round < 4; round += 1) kinds.push((await findFault(ask(bench.client(), mode, HELLO))).kind);
    expect(kinds).toEqual(["overloaded", "context_length", "not_found", "no_tools"]);
  });

  it("says so where something answers that is no such API", async () => {
    const page = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>It works!</title>");
    });
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
      const client = subject.createClient({ apiKey: KEY, baseUrl, retry: { maxAttempts: 1 } });
      const fault = await findFault(ask(client, mode, HELLO));
      expect(["protocol", "connection"]).toContain(fault.kind);
      expect((await findFault(client.listModels())).kind).toBe("protocol");
    } finally {
      await new Promise((resolve) => page.close(resolve));
    }
  });

  it("AGT-01 stays at its address: a redirect gets neither key nor conversation, and is reported", async () => {
    const led: string[] = [];
    const elsewhere = createServer((request, response) => {
      led.push(`${request.method} ${JSON.stringify(request.headers)}`);
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const host = `localhost:${(elsewhere.address() as AddressInfo).port}`;
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        const location = `http://name:s3cret-pass@${host}/v1?session=s3cret-query`;
        bench.vendor().script([{ kind: "status", status, headers: { location } }]);
        const asking = status === 302 ? bench.client().listModels() : ask(bench.client(), mode, HELLO);
        const fault = await findFault(asking);
        expect(fault.kind).toBe("bad_request");
        expect(fault.message).toContain(host);
        expect(fault.message).toContain(String(status));
        expect(fault.message).not.toMatch(/s3cret|name:/);
        expectNoKey(fault);
      }
      expect(led).toEqual([]);
      expect(bench.vendor().requests).toHaveLength(5);
    } finally {
      elsewhere.closeAllConnections();
      await new Promise((resolve) => elsewhere.close(resolve));
    }
  });

  it("AGT-01 stays at its address where a redirect names no other, or none at all", async () => {
    bench.vendor().script([
      { kind: "status", status: 307, headers: { location: "/elsewhere" } },
      { kind: "status", status: 308 },
    ]);
    const own = await findFault(ask(bench.client(), mode, HELLO));
    expect(own.message).toContain(new URL(bench.vendor().url).host);
    const none = await findFault(ask(bench.client(), mode, HELLO));
    expect([own.kind, none.kind]).toEqual(["bad_request", "bad_request"]);
    expect(none.message).toContain("another address");
    expect(bench.vendor().requests).toHaveLength(2);
  });

  it("refuses a request without a model before sending it", async () => {
    const fault = await findFault(ask(bench.client(), mode, HELLO, { model: "" }));
    expect(fault.kind).toBe("bad_request");
    expect(fault.message).toContain("model");
    expect(bench.vendor().requests).toEqual([]);
  });
}

function describeStop(mode: Mode, bench: Bench): void {
  it("ends the request at once when the signal aborts", async () => {
    bench.vendor().script([{ kind: "hang", afterText: "Once" }]);
    const stop = new AbortController();
    const answer = findFault(ask(bench.client(), mode, HELLO, { signal: stop.signal }));
    await expect.poll(() => bench.vendor().requests.length).toBe(1);
    stop.abort();
    expect((await answer).kind).toBe("aborted");
    await bench.vendor().abandoned();
    expect(bench.vendor().requests).toHaveLength(1);
  });

  it.runIf(mode === "streaming")("ends the request at once when the signal aborts between two updates", async () => {
    bench.vendor().script([{ kind: "hang", afterText: "Once" }]);
    const stop = new AbortController();
    const fault = await findFault(
      (async () => {
        const stream = bench.client().getStreamingResponse(HELLO, { model: MODEL, signal: stop.signal });
        for await (const _update of stream) stop.abort();
      })(),
    );
    expect(fault.kind).toBe("aborted");
    await bench.vendor().abandoned();
  });

  it("asks nothing when the signal was aborted before", async () => {
    const fault = await findFault(ask(bench.client(), mode, HELLO, { signal: AbortSignal.abort() }));
    expect(fault.kind).toBe("aborted");
    expect(bench.vendor().requests).toEqual([]);
  });
}

/** Neither in the message nor in anything that a logger would print of the error. */
function expectNoKey(fault: Error): void {
  const printed = [fault.message, fault.stack, JSON.stringify(fault), String(fault.cause)].join("\n");
  expect(printed).not.toContain(KEY);
  expect(printed).not.toContain(KEY.slice(0, 12));
}
