import { expect, it } from "vitest";
import { type ChatMessage, type ChatTool, readMessageText } from "../../../lib/contract/chat";
import { isPlainObject, type JsonObject } from "../../../lib/contract/json";
import { parseArguments } from "../../engine/agent/execution-engine";
import { bigCatalog } from "./big-catalog.test-support";
import {
  ask,
  type Bench,
  call,
  callsIn,
  findFault,
  KEY,
  lastBody,
  type Mode,
  PNG,
  parsed,
  result,
  setUpBench,
  user,
  WEATHER,
} from "./suite-bench.test-support";
import type { SuiteSubject } from "./suite-subject.test-support";

const SENDABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const OK = { kind: "text" as const, text: "Good." };

const ODD_NAMES = [
  "$top",
  "page[size]",
  "@odata.etag",
  "first name",
  "n".repeat(70),
  "größe",
  "",
  "1st",
  "a-b",
  "a.b",
  "plain",
];
const named = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: ["integer", "object"] }]));
const ODD_SCHEMA = {
  type: "object",
  properties: {
    ...named(ODD_NAMES),
    list: { type: "array", items: { $ref: "#/$defs/Filter" } },
    choice: { anyOf: [{ type: "object", properties: named(["$either"]), required: ["$either"] }, { type: "string" }] },
  },
  required: ["$top", "page[size]", "plain"],
  dependentRequired: { "@odata.etag": ["$top"] },
  dependentSchemas: { "first name": { required: ["größe"] } },
  allOf: [{ properties: { "$all of": { type: "string", default: "x" } } }],
  $defs: {
    Filter: { type: "object", properties: { ...named(ODD_NAMES), id: { type: "integer" } }, required: ["$top"] },
  },
};

/** The names of properties, wherever a schema mentions them. */
function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (!isPlainObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "required") return value as string[];
    if (keyword === "dependentRequired") return Object.entries(value as object).flat(2) as string[];
    const names = ["properties", "dependentSchemas"].includes(keyword) ? Object.keys(value as object) : [];
    const isMap = names.length > 0 || keyword === "$defs";
    return [...names, ...namesIn(isMap ? Object.values(value as object) : value)];
  });
}

function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  return isPlainObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]) : [];
}

/** The guarantees for requests. */
export function describeRequests(subject: SuiteSubject, mode: Mode): void {
  const bench = setUpBench(subject);
  describeTools(subject, mode, bench);
  describeOptions(subject, mode, bench);
  describeResults(subject, mode, bench);
  describeConversations(subject, mode, bench);
  if (mode === "whole") describeListing(subject, bench);
}

function describeTools(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  it("sends names that the provider refuses under an alias; calls come back under the catalog's name", async () => {
    const names = ["files.read", `${"a".repeat(60)}__read`, `${"b".repeat(64)}`, `${"c".repeat(63)}.${"d".repeat(64)}`];
    const tools = [...names.map((name) => ({ ...WEATHER, name })), WEATHER];
    bench.vendor().script([OK]);
    await ask(bench.client(), mode, [user("Hello")], { tools });
    const sent = subject.toolNamesInRequest(lastBody(bench.vendor()));
    expect(sent).toHaveLength(5);
    expect(new Set(sent).size).toBe(5);
    for (const name of sent) expect(name).toMatch(SENDABLE_NAME);
    expect(sent.slice(2)).toEqual([names[2], expect.any(String), WEATHER.name]);

    bench.vendor().script([{ kind: "calls", calls: sent.map((name) => ({ name, args: {} })) }]);
    const { response } = await ask(bench.client(), mode, [user("Hello")], { tools });
    expect(callsIn(response).map(({ name }) => name)).toEqual([...names, WEATHER.name]);

    // The calls go back under the aliases they came with, also when their tools are gone.
    bench.vendor().script([OK]);
    await ask(bench.client(), mode, [user("Hello"), ...response.messages], { tools: [WEATHER] });
    expect(subject.callsInRequest(lastBody(bench.vendor())).map(({ name }) => name)).toEqual(sent);
  });

  it("sends property names that the provider refuses under an alias; calls get the names back, digit for digit", async () => {
    const given = Object.fromEntries(ODD_NAMES.map((name, at) => [name, at]));
    const nested = { list: [{ ...given, id: 777 }], "page[size]": { $top: 1 } };
    const tools = [{ ...WEATHER, name: "list_orders", parameters: ODD_SCHEMA }, WEATHER];
    const original = JSON.stringify(ODD_SCHEMA);
    bench.vendor().script([OK]);
    const history = [
      user("Hello"),
      { role: "assistant" as const, contents: [call("c1", "list_orders", nested)] },
      { role: "tool" as const, contents: [result("c1", "list_orders", "None.")] },
    ];
    await ask(bench.client(), mode, history, { tools });
    const body = lastBody(bench.vendor());
    const sent = subject.schemasInRequest(body).list_orders;
    const accepted = subject.propertyNames ?? /^/;
    for (const name of namesIn(sent)) expect(name).toMatch(accepted);
    expect(sent.required).toHaveLength(ODD_SCHEMA.required.length);
    for (const name of sent.required) expect(Object.keys(sent.properties)).toContain(name);
    const [earlier] = subject.callsInRequest(body);
    const sentKeys = keysIn(earlier?.args);
    for (const name of sentKeys) expect(name).toMatch(accepted);
    expect(sentKeys).toHaveLength(keysIn(nested).length);

    // A model copies the names that it was sent.
    const argumentsText = JSON.stringify(earlier?.args);
    bench.vendor().script([{ kind: "calls", calls: [{ name: "list_orders", args: earlier?.args as JsonObject }] }]);
    const { response } = await ask(bench.client(), mode, [user("Hello")], { tools });
    expect(callsIn(response).map(parsed)).toEqual([nested]);
    if (subject.malformedArguments === "both") {
      const exact = argumentsText.replace(":777", ":9054686819491029395");
      bench.vendor().script([{ kind: "raw_arguments", name: "list_orders", argumentsText: exact }]);
      const long = await ask(bench.client(), mode, [user("Hello")], { tools });
      expect(callsIn(long.response)[0]?.arguments).toContain('"id":9054686819491029395');
    }
    expect(JSON.stringify(ODD_SCHEMA)).toBe(original);
  });

  it("reads arguments that are null as none", async () => {
    if (subject.malformedArguments === "never") return;
    for (const argumentsText of ["null", " null\n", ""]) {
      bench.vendor().script([{ kind: "raw_arguments", name: WEATHER.name, argumentsText }]);
      if (mode === "whole" && subject.malformedArguments === "streaming") continue;
      const { response } = await ask(bench.client(), mode, [user("Hello")], { tools: [WEATHER] });
      expect(callsIn(response).map((each) => parseArguments(each).args.value)).toEqual([{}]);
      bench.vendor().script([OK]);
      await ask(bench.client(), mode, [user("Hello"), ...response.messages], { tools: [WEATHER] });
      expect(subject.callsInRequest(lastBody(bench.vendor())).map(({ args }) => args)).toEqual([{}]);
    }
  });

  it("sends a catalog of 40 tools with references and unions in a self-contained form", async () => {
    const tools: ChatTool[] = bigCatalog(40);
    bench.vendor().script([OK]);
    await ask(bench.client(), mode, [user("Hello")], { tools });
    const schemas = subject.schemasInRequest(lastBody(bench.vendor()));
    expect(Object.keys(schemas)).toHaveLength(40);
    for (const schema of Object.values(schemas)) {
      expect(schema.type).toBe("object");
      expect(Object.keys(schema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(anyOf|oneOf|allOf|\$ref)$/)]),
      );
      for (const ref of refsIn(schema)) expect(resolves(schema, ref), ref).toBe(true);
    }
  });
}

function describeOptions(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  it("sends the requested tool choice", async () => {
    const choices = subject.forcesTools
      ? (["auto", "none", "required", { name: "get_weather" }] as const)
      : (["auto", "none"] as const);
    for (const toolChoice of choices) {
      bench.vendor().script([OK]);
      await ask(bench.client(), mode, [user("Hello")], { tools: [WEATHER], toolChoice });
      expect(subject.toolChoiceInRequest(lastBody(bench.vendor()))).toEqual(toolChoice);
    }
  });

  it("sends instructions and system messages in the provider's place for them, and the output limit", async () => {
    bench.vendor().script([OK]);
    const system: ChatMessage = { role: "system", contents: [{ type: "text", text: "Answer in verse." }] };
    const options = { instructions: "Be brief.", maxOutputTokens: 321 };
    await ask(bench.client(), mode, [system, user("Hello")], options);
    const body = lastBody(bench.vendor());
    expect(subject.systemInRequest(body)).toMatch(/Be brief\.[\s\S]*Answer in verse\./);
    expect(subject.maxOutputTokensInRequest(body)).toBe(321);
  });

  it("speaks to the base URL and puts the key into a header alone", async () => {
    bench.vendor().script([OK]);
    await ask(bench.client(), mode, [user("Hello")]);
    const request = bench.vendor().requests[0];
    expect(request?.path).not.toContain(KEY);
    expect(JSON.stringify(request?.body)).not.toContain(KEY);
    if (subject.needsKey) expect(JSON.stringify(request?.headers)).toContain(KEY);
  });

  it("sends a name and password of the base URL in a header, where there is no key", async () => {
    bench.vendor().script([OK]);
    const baseUrl = bench.vendor().url.replace("http://", "http://me:pass%20word@");
    await ask(subject.createClient({ apiKey: null, baseUrl }), mode, [user("Hello")]);
    const { authorization } = bench.vendor().requests[0]?.headers ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from("me:pass word").toString("base64")}`);
  });

  it("takes a base URL that ends with a slash, and no key", async () => {
    const client = subject.createClient({ apiKey: null, baseUrl: `${bench.vendor().url}/` });
    bench.vendor().script([OK]);
    const { response } = await ask(client, mode, [user("Hello")]);
    expect(response.messages.map(readMessageText)).toEqual(["Good."]);
  });
}

function describeResults(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  const asked: ChatMessage[] = [
    user("Weather?"),
    { role: "assistant", contents: [call("call_1", "get_weather", { city: "Oslo" })] },
  ];

  it("TIME-04 sends a failed result in the provider's form for it", async () => {
    bench.vendor().script([OK]);
    const exception = { kind: "timeout" as const, message: "It took longer than 30 s." };
    const failed: ChatMessage = {
      role: "tool",
      contents: [{ type: "function_result", callId: "call_1", name: "get_weather", exception }],
    };
    await ask(bench.client(), mode, [...asked, failed], { tools: [WEATHER] });
    const [sent] = subject.resultsInRequest(lastBody(bench.vendor()));
    expect(sent?.text).toContain("It took longer than 30 s.");
    if (subject.marksErrors) expect(sent?.isError).toBe(true);
    else expect(sent?.text).toMatch(/^Error: /);
  });

  it("OUT-02 sends an image of a result natively where the provider takes images, else the text that names it", async () => {
    bench.vendor().script([OK]);
    const drawn: ChatMessage = {
      role: "tool",
      contents: [
        {
          ...result("call_1", "get_weather", "A chart. [image image/png, 70 bytes: left out]"),
          items: [
            { type: "text", text: "A chart." },
            { type: "media", kind: "image", mimeType: "image/png", data: PNG, bytes: 70 },
          ],
        },
      ],
    };
    await ask(bench.client(), mode, [...asked, drawn], { tools: [WEATHER] });
    const body = lastBody(bench.vendor());
    expect(JSON.stringify(body).includes(PNG)).toBe(subject.takesImages);
    const [sent] = subject.resultsInRequest(body);
    expect(sent?.text).toContain("A chart.");
    if (!subject.takesImages) expect(sent?.text).toContain("left out");
  });

  it("OUT-02 sends the result's text where only the size of its media was kept", async () => {
    bench.vendor().script([OK]);
    const logged: ChatMessage = {
      role: "tool",
      contents: [
        {
          ...result("call_1", "get_weather", "[image image/png, 70 bytes: left out]"),
          items: [{ type: "media", kind: "image", mimeType: "image/png", data: "", bytes: 70 }],
        },
      ],
    };
    await ask(bench.client(), mode, [...asked, logged], { tools: [WEATHER] });
    expect(JSON.stringify(lastBody(bench.vendor()))).toContain("image/png, 70 bytes");
  });

  it("sends a user's image where the provider takes images", async () => {
    bench.vendor().script([OK]);
    const picture: ChatMessage = {
      role: "user",
      contents: [
        { type: "text", text: "What is this?" },
        { type: "media", kind: "image", mimeType: "image/png", data: PNG, bytes: 70 },
      ],
    };
    await ask(bench.client(), mode, [picture]);
    const text = JSON.stringify(lastBody(bench.vendor()));
    expect(text).toContain("What is this?");
    expect(text).toContain(subject.takesImages ? PNG : "image/png, 70 bytes");
  });
}

function describeConversations(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  it("AGT-08 sends calls and results back in pairs, in the order of the calls, and continues from there", async () => {
    const cities = ["Oslo", "Rome"].map((city) => ({ name: "get_weather", args: { city } }));
    bench.vendor().script([{ kind: "calls", calls: cities, text: "I look.", reasoning: "Two cities." }, OK]);
    const asked = await ask(bench.client(), mode, [user("Weather?")], { tools: [WEATHER] });
    const ids = callsIn(asked.response).map(({ callId }) => callId);
    const results: ChatMessage = {
      role: "tool",
      contents: ["rain", "sun"].map((text, index) => result(ids[index] ?? "", "get_weather", text)),
    };
    const history = [user("Weather?"), ...asked.response.messages, results];
    const { response } = await ask(bench.client(), mode, [...history, user("And now?")], { tools: [WEATHER] });
    expect(response.finishReason).toBe("stop");
    const body = lastBody(bench.vendor());
    const calls = subject.callsInRequest(body);
    const sent = subject.resultsInRequest(body);
    expect(calls.map(({ args }) => args)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect(sent.map(({ text }) => text)).toEqual(["rain", "sun"]);
    expect(sent.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId));
    expect(JSON.stringify(body)).toContain("And now?");
  });

  it("never sends a call without a result, nor a result without a call", async () => {
    bench.vendor().script([OK]);
    const messages: ChatMessage[] = [
      user("Weather?"),
      { role: "tool", contents: [result("nobody", "get_weather", "snow")] },
      {
        role: "assistant",
        contents: [call("call_1", "get_weather", { city: "Oslo" }), call("call_2", "get_weather", { city: "Rome" })],
      },
      { role: "tool", contents: [result("call_2", "get_weather", "sun")] },
      user("And now?"),
    ];
    await ask(bench.client(), mode, messages, { tools: [WEATHER] });
    const sent = subject.resultsInRequest(lastBody(bench.vendor()));
    expect(sent.map(({ text }) => text.replace(/^Error: /, ""))).toEqual(["not executed", "sun"]);
    expect(JSON.stringify(lastBody(bench.vendor()))).not.toContain("snow");
  });

  it("keeps what other providers and users left in the history to itself", async () => {
    bench.vendor().script([OK]);
    const foreign = call("toolu:1|fc 2", "get_weather", '{"city":"Oslo"}');
    const messages: ChatMessage[] = [
      user("Weather?"),
      {
        role: "assistant",
        contents: [
          { type: "reasoning", text: "secret thought" },
          { type: "provider", provider: "someone-else", value: { blob: "opaque blob" } },
          { ...foreign, providerData: { provider: "someone-else", thoughtSignature: "opaque signature" } },
          { type: "function_approval_request", id: foreign.callId, functionCall: foreign },
        ],
      },
      {
        role: "user",
        contents: [{ type: "function_approval_response", id: foreign.callId, approved: true, functionCall: foreign }],
      },
      { role: "tool", contents: [result(foreign.callId, "get_weather", "rain")] },
    ];
    await ask(bench.client(), mode, messages, { tools: [WEATHER] });
    const body = lastBody(bench.vendor());
    expect(JSON.stringify(body)).not.toMatch(/secret thought|opaque/);
    expect(subject.callsInRequest(body)).toHaveLength(1);
    expect(subject.resultsInRequest(body)).toMatchObject([{ text: "rain" }]);
    expect(subject.resultsInRequest(body)[0]?.callId).toBe(subject.callsInRequest(body)[0]?.callId);
  });
}

function describeListing(subject: SuiteSubject, bench: Bench): void {
  it("lists models that can chat, all pages", async () => {
    const names = await bench.client().listModels();
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual(subject.listedModels);
  });

  it("says `auth` when the vendor refuses the key for the list", async () => {
    bench.vendor().script([{ kind: "status", status: 401, message: `Bad key ${KEY}` }]);
    const fault = await findFault(bench.client().listModels());
    expect(fault.kind).toBe("auth");
    expect(fault.message).not.toContain(KEY);
  });

  it("stops listing when the signal aborts", async () => {
    expect((await findFault(bench.client().listModels(AbortSignal.abort()))).kind).toBe("aborted");
  });
}

/** Where names of properties stand, `$ref` is one too: only texts count. */
function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isPlainObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

function resolves(root: unknown, ref: string): boolean {
  const found = ref
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .reduce<unknown>((at, part) => (isPlainObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
  return ref.startsWith("#") && found !== undefined;
}
