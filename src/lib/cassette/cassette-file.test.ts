import { beforeAll, describe, expect, it } from "vitest";
import { cassetteInputSchema } from "../contract/cassette";
import { type CassetteContent, formatCassette, parseCassette, parseLines, readExactArguments } from "./cassette-file";
import { decidePlay, findDifferences, toIgnored } from "./decide-play";
import { drawResultFault, drawTransportFault, parseFaults } from "./faults";

const input = cassetteInputSchema.parse({ name: "demo", notes: "Zwei Zeilen\nund ä" });
const LINES = [
  '{"tool":{"name":"read","inputSchema":{"type":"object"},"description":"Reads"},"server":"files"}',
  '{"tool":{"name":"short","inputSchema":{"type":"object"}},"server":"files","catalogName":"files__short","sensitive":["key"]}',
  '{"call":"read","server":"files","arguments":{"path":"a.txt","n":1.0},"result":{"content":[{"type":"text","text":"A\\n"}],"n":12345678901234567890}}',
  '{"call":"read","server":"files","arguments":{"path":"a.txt","n":1.0},"task":true,"events":[{"progress":1,"total":2,"message":"half"},{"log":{"level":"warning","logger":"disk","data":{"free":1}}},{"ask":{"kind":"form","message":"Who?","schema":{}},"answer":{"action":"decline"}}],"result":{"content":[],"isError":true}}',
  '{"call":"short","arguments":{"key":"[masked:0123456789ab]"},"error":{"code":-32602,"message":"no"}}',
  '{"read":"file:///a","server":"files","result":{"contents":[{"uri":"file:///a","text":"A"}]}}',
  '{"prompt":"files__ask","server":"files","arguments":{"who":"me"},"result":{"messages":[]}}',
];
const FILE = formatCassette(input, LINES);

describe("a cassette file", () => {
  it("gives the same bytes after it was read", async () => {
    const read = await parseCassette(FILE);
    expect(formatCassette(read.input, read.lines)).toBe(FILE);
    expect(read.content.calls[1]).toMatchObject({
      kind: "tool",
      name: "read",
      task: true,
      events: [{ progress: 1 }, { log: { level: "warning", logger: "disk", data: { free: 1 } } }, {}],
    });
    expect(read.content.tools[1]).toMatchObject({ catalogName: "files__short", sensitive: ["key"] });
  });

  it("keeps the digits of numbers, and drops spaces and line ends that a tool added", async () => {
    const spaced = LINES.map((line, at) => (at === 2 ? line.replaceAll(",", " ,\t").replaceAll(":", ": ") : line));
    const read = await parseCassette(formatCassette(input, spaced).replaceAll("file: ///", "file:///"));
    expect(read.lines[2]).toBe(LINES[2]);
  });

  it.each([
    [1, '{"toolroom":"catalog"}', 'Line 1: toolroom must be "cassette"'],
    [1, '{"toolroom":"cassette","version":2}', "Line 1: version must be 1"],
    [1, '{"toolroom":"cassette","version":1,"name":"a b"}', "Line 1: name must be 1 to 64"],
    [2, "{", "Line 2: is not JSON"],
    [2, '{"tool":{"name":"x"}}', "Line 2: tool.inputSchema must be a JSON Schema object"],
    [3, LINES[0], "Line 3: tool.name 'read' is there twice"],
    [4, '{"call":"read","arguments":[],"result":{"content":[]}}', "Line 4: arguments must be an object"],
    [4, '{"call":"read","arguments":{},"result":{"content":"x"}}', "Line 4: result.content must be a list"],
    [4, '{"call":"read","arguments":{}}', "Line 4: result or error is needed"],
    [4, '{"call":"read","arguments":{},"reslt":{}}', 'Line 4: "reslt" is unknown'],
    [4, '{"call":"wrong","arguments":{},"result":{"content":[]}}', "Line 4: call names 'wrong'"],
    [
      5,
      '{"call":"read","arguments":{},"events":[{"progress":"x"}],"result":{"content":[]}}',
      "Line 5: events[0].progress must be a number",
    ],
    [6, '{"call":"read","arguments":{},"error":{"message":"x"}}', "Line 6: error.code must be an integer"],
    [7, '{"hello":1}', "Line 7: needs one of tool, call, read, prompt"],
  ])("with a bad line %i names the line and the field: %s", async (line, text, message) => {
    const rows = FILE.split("\n");
    rows[line - 1] = text ?? "";
    await expect(parseCassette(rows.join("\n"))).rejects.toThrow(message);
  });
});

describe("lines that are large", () => {
  const list = '"result":{"content":[]}}';
  const read = (line: string) => parseCassette(formatCassette(input, [...LINES.slice(0, 2), line]));

  it.each([1_001, 400_000])("names the line of one that is nested %i levels deep", async (levels) => {
    const deep = "[".repeat(levels) + "]".repeat(levels);
    const message = "Line 4: is nested more than 1000 levels deep";
    await expect(read(`{"call":"read","arguments":{"a":${deep}},${list}`)).rejects.toThrow(message);
    await expect(read(`{"call":"read","arguments":{},"result":{"content":[],"a":${deep}}}`)).rejects.toThrow(message);
  });

  it("names the line of one with an object of too many keys", async () => {
    const keys = Array.from({ length: 100_001 }, (_, index) => `"key ${index}":${index}`).join();
    await expect(read(`{"call":"read","arguments":{${keys}},${list}`)).rejects.toThrow(
      "Line 4: An object in the text has more than 100,000 keys",
    );
  });

  it("names the line of one with millions of lists", async () => {
    const lists = Array.from({ length: 1_000_000 }, () => "[]").join();
    await expect(read(`{"call":"read","arguments":{"a":[${lists}]},${list}`)).rejects.toThrow(
      "Line 4: The text has more than 1,000,000 lists and objects",
    );
  });

  it("lets other work run between and within lines", async () => {
    const numbers = Array.from({ length: 400_000 }, (_, index) => index).join(" , ");
    const line = `{"call":"read","arguments":{"numbers":[ ${numbers} ]},${list}`;
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const { lines } = await read(line);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(lines[2]).toBe(line.replaceAll(/ , | /g, (space) => space.trim()));
  });

  it("compares no more of two recordings than their common parts and the first difference", () => {
    const keys = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key ${index}`, index]));
    let reads = 0;
    const recorded = new Proxy(keys, {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
    expect(findDifferences(recorded, { ...keys, "key 3": "other" }, [], 1)).toMatchObject([{ path: "/key 3" }]);
    expect(reads).toBeLessThan(10);
  });
});

describe("matching", () => {
  let content: CassetteContent;
  beforeAll(async () => {
    content = (await parseCassette(FILE)).content;
  });
  const settings = { ignore: [], repeats: "last" as const };
  const decide = (args: Record<string, unknown>, earlier: { outcome: "served"; recording: number }[] = [], more = {}) =>
    decidePlay(content, { ...settings, ...more }, earlier, { kind: "tool", name: "read", args });

  it("ignores the order of keys, and serves equal calls in the order of their recording", () => {
    const args = { n: 1, path: "a.txt" };
    expect(decide(args)).toEqual({ outcome: "served", recording: 1, outOfOrder: false });
    const first = { outcome: "served" as const, recording: 1 };
    expect(decide(args, [first])).toMatchObject({ outcome: "served", recording: 2 });
    const both = [first, { outcome: "served" as const, recording: 2 }];
    expect(decide(args, both)).toMatchObject({ outcome: "repeated", recording: 2 });
    expect(decide(args, both, { repeats: "miss" })).toMatchObject({
      outcome: "missed",
      message: "'read' was recorded 2 times with these arguments, and this session has had all of it",
    });
    expect(decide(args, [{ outcome: "served", recording: 4 }])).toMatchObject({ outOfOrder: true });
  });

  it("names the nearest recording and what differs", () => {
    expect(decide({ path: "b.txt", n: 1, deep: true })).toMatchObject({
      outcome: "missed",
      recording: 1,
      message:
        'No recording of \'read\' has these arguments. Nearest: call 1 of 5, which differs at /path: recorded "a.txt", received "b.txt"; /deep was not recorded (received true)',
      differences: [
        { path: "/path", recorded: '"a.txt"', received: '"b.txt"' },
        { path: "/deep", recorded: null, received: "true" },
      ],
    });
    const missing = decidePlay(content, settings, [], { kind: "tool", name: "gone", args: {} });
    expect(missing).toMatchObject({ message: "The tool 'gone' is not part of this cassette" });
  });

  it("EXE-06 compares numbers by their digits: none is taken for another that is read as the same double", async () => {
    const write = (id: string) => `{"call":"read","arguments":{"id":${id}},"result":{"content":[]}}`;
    const ids = ["9007199254740993", "9007199254740992", "0.12345678901234567891", "0.1234567890123456789", "1.0"];
    const tool = '{"tool":{"name":"read","inputSchema":{"type":"object"}}}';
    const recorded = await parseLines([tool, ...ids.map(write)], 2);
    const find = (id: string) => {
      const text = `{"id":${id}}`;
      const args = readExactArguments(JSON.parse(text), text);
      return decidePlay(recorded, settings, [], { kind: "tool", name: "read", args });
    };
    for (const [index, id] of ids.entries())
      expect(find(id)).toMatchObject({ outcome: "served", recording: index + 1 });
    expect(find("1")).toMatchObject({ outcome: "served", recording: 5 });
    expect(find("9007199254740994.5")).toMatchObject({
      outcome: "missed",
      differences: [{ path: "/id", received: "9007199254740994.5" }],
    });
  });

  it("ignores paths, of all tools or of one", () => {
    const ignored = toIgnored(["/at", "read:/items/*/id", "other:/b"], "read");
    const one = { at: 1, items: [{ id: 1, x: 1 }], b: 1 };
    const other = { at: 2, items: [{ id: 2, x: 1 }], b: 1 };
    expect(findDifferences(one, other, ignored, 9)).toEqual([]);
    expect(findDifferences(one, { ...other, b: 2 }, ignored, 9)).toHaveLength(1);
  });

  it("a mask stands for any value, and the text around it has to be the same", () => {
    const mask = "[masked:0123456789ab]";
    const differs = (recorded: unknown, received: unknown) => findDifferences(recorded, received, [], 1).length > 0;
    expect(differs(mask, { any: "thing" })).toBe(false);
    expect(differs(`Bearer ${mask}`, "Bearer abc")).toBe(false);
    expect(differs(`Bearer ${mask}`, "Basic abc")).toBe(true);
    expect(differs(`a ${mask} b ${mask} c`, "a 1 b 2 c")).toBe(false);
    expect(differs(`a ${mask} b ${mask} c`, "a 1 d 2 c")).toBe(true);
    expect(differs({ key: mask }, {})).toBe(true);
  });
});

describe("faults", () => {
  it("are read from one line, and what cannot be read is named", () => {
    expect(parseFaults("delay=200, error=0.5,rate-limit=0.1,retry-after=3,seed=9")).toMatchObject({
      delay: 200,
      error: 0.5,
      rateLimit: 0.1,
      retryAfter: 3,
      cut: 0,
      seed: 9,
    });
    expect(parseFaults("errors=1")).toBe(
      "'errors' is not known: use delay, error, rate-limit, retry-after, cut, drop, seed",
    );
    expect(parseFaults("error=2")).toBe("error must be a number from 0 to 1");
    expect(parseFaults("error=")).toBe("error must be a number from 0 to 1");
  });

  it("come at their rate, and the same seed gives the same ones", () => {
    const faults = parseFaults("error=0.25,rate-limit=0.1,seed=4");
    if (typeof faults === "string") throw new Error(faults);
    const draw = () =>
      Array.from({ length: 4000 }, (_, at) => [drawResultFault(faults, at), drawTransportFault(faults, at)]);
    const drawn = draw();
    expect(draw()).toEqual(drawn);
    const rate = (fault: string) => drawn.filter((each) => each.includes(fault as never)).length / drawn.length;
    expect(Math.abs(rate("error") - 0.25)).toBeLessThan(0.03);
    expect(Math.abs(rate("rate-limit") - 0.1)).toBeLessThan(0.02);
    expect(rate("drop")).toBe(0);
  });
});
