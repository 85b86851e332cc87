import { afterEach, beforeEach, expect, it } from "vitest";
import type { ModelConnection } from "../../engine/agent/chat-ports";
import { DEFAULT_RESPONSE_LIMITS } from "../../engine/agent/chat-ports";
import type { FakeVendor } from "../fake-vendors/vendor-server.test-support";
import { ask, callsIn, findFault, KEY, type Mode, user, WEATHER } from "./suite-bench.test-support";
import type { SuiteSubject } from "./suite-subject.test-support";

const OPTIONS = { tools: [WEATHER] };
const LIMITS = { ...DEFAULT_RESPONSE_LIMITS, maxResponseBytes: 4096, maxResponseCalls: 2 };

/** How much of a response is read. */
export function describeLimits(subject: SuiteSubject, mode: Mode): void {
  let vendor: FakeVendor;
  let client: ModelConnection;
  const clientWith = (limits: typeof LIMITS) => subject.createClient({ apiKey: KEY, baseUrl: vendor.url, limits });
  beforeEach(async () => {
    vendor = await subject.startVendor();
    client = clientWith(LIMITS);
  });
  afterEach(() => vendor.close());

  it("cuts a text off at the limit, says which one, and does not ask again", async () => {
    vendor.script([{ kind: "text", text: "é".repeat(2049) }]);
    const fault = await findFault(ask(client, mode, [user("Hello")]));
    expect(fault.kind).toBe("response_too_large");
    expect(fault.message).toContain("The model's response exceeded the limit of 4 KiB and was cut off.");
    expect(vendor.requests).toHaveLength(1);
  });

  it("takes a text that is as long as the limit", async () => {
    vendor.script([{ kind: "text", text: "x".repeat(4096) }]);
    await expect(ask(client, mode, [user("Hello")])).resolves.toMatchObject({ response: { finishReason: "stop" } });
  });

  it("counts the arguments of all calls together", async () => {
    const args = { city: "x".repeat(2100) };
    vendor.script([
      {
        kind: "calls",
        calls: [
          { name: "get_weather", args },
          { name: "get_weather", args },
        ],
      },
    ]);
    const fault = await findFault(ask(client, mode, [user("Hello")], OPTIONS));
    expect(fault.message).toContain("the limit of 4 KiB");
  });

  it("cuts a response off at 1 MiB of arguments of one call", async () => {
    const args = { city: "x".repeat(1024 * 1024) };
    vendor.script([{ kind: "calls", calls: [{ name: "get_weather", args }] }]);
    const fault = await findFault(ask(clientWith(DEFAULT_RESPONSE_LIMITS), mode, [user("Hello")], OPTIONS));
    expect(fault.kind).toBe("response_too_large");
    expect(fault.message).toContain("1 MiB for the arguments of one tool call");
  });

  it("passes surplus calls on, which are refused later, and cuts a response off that has eight times the limit", async () => {
    const calls = Array.from({ length: 17 }, (_, at) => ({ name: "get_weather", args: { city: `${at}` } }));
    vendor.script([
      { kind: "calls", calls: calls.slice(0, 16) },
      { kind: "calls", calls },
    ]);
    const { response } = await ask(client, mode, [user("Hello")], OPTIONS);
    expect(callsIn(response)).toHaveLength(16);
    const fault = await findFault(ask(client, mode, [user("Hello")], OPTIONS));
    expect(fault.message).toContain("the limit of 16 tool calls");
  });

  it.runIf(mode === "streaming")(
    "ends the request when the limit is exceeded, even while the stream continues",
    async () => {
      vendor.script([{ kind: "hang", afterText: "x".repeat(5000) }]);
      const fault = await findFault(ask(client, mode, [user("Hello")]));
      expect(fault.kind).toBe("response_too_large");
      await vendor.abandoned();
    },
  );

  it("does not read on in a body without an end, and ends the request", async () => {
    const contentType = mode === "streaming" ? "text/event-stream" : "application/json";
    vendor.script([{ kind: "flood", contentType }]);
    const fault = await findFault(ask(client, mode, [user("Hello")]));
    expect(fault.kind).toBe("response_too_large");
    await vendor.abandoned();
    expect(vendor.requests).toHaveLength(1);
  });
}
