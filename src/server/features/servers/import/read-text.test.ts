import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const FILES = { name: "files", settings: { transport: "stdio", command: "npx" }, problems: [] };

describe("text as users paste it", () => {
  it.each([
    ["a part of a file with a trailing comma", '"files": { "command": "npx" },'],
    ["a section without outer braces", '  "mcpServers": {\n "files": { "command": "npx" } },\n'],
    ["a part with comments", '// ours\n"files": { "command": "npx" /* here */ }'],
    ["a code block of Markdown", '```json\n{"mcpServers": {"files": {"command": "npx"}}}\n```'],
    ["a byte order mark", '\uFEFF{"mcpServers": {"files": {"command": "npx"}}}'],
    ["YAML in a code block", "```yaml\nmcpServers:\n  files:\n    command: npx\n```\n"],
    ["YAML that begins with dashes and a comment", "---\n# ours\nmcpServers:\n  - name: files\n    command: npx\n"],
    ["a bare list in YAML", "- name: files\n  command: npx\n"],
    ["YAML with anchors", "base: &base\n  command: npx\nmcpServers:\n  files:\n    <<: *base\n"],
    ["TOML after comments", '# ours\n[mcp_servers.files] # here\ncommand = "npx"\n'],
    ["YAML with a list on its own line", "mcpServers:\n  files:\n    command: npx\n    args:\n      [a, b]\n"],
    ["dotted TOML", 'mcp_servers.files.command = "npx"\n'],
  ])("reads %s", async (_, text) => {
    const { servers, problems } = await parseImport(text);
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([FILES]);
  });

  it("reads typographic quotes as straight ones and says so, unless they are part of a text", async () => {
    const curly = await parseImport("{ “mcpServers”: { “files”: { “command”: “npx” } } }");
    expect(curly.servers).toMatchObject([FILES]);
    expect(curly.notes).toEqual(["Typographic quotes (“ ”) were read as straight quotes"]);
    expect((await parseImport("“files”: { “command”: “npx” },")).servers).toMatchObject([FILES]);
    const inside = await parseImport('{"files": {"command": "npx", "args": ["say “hi”"]}}');
    expect(inside.servers[0]?.settings).toMatchObject({ args: ["say “hi”"] });
    expect(inside.notes).toEqual([]);
  });

  it("says where YAML and TOML are broken", async () => {
    expect((await parseImport("mcpServers:\n  - name: x\n   command: y\n")).problems).toEqual([
      expect.stringMatching(/^The text is not YAML: .*line 3/),
    ]);
    expect((await parseImport("[mcp_servers.x]\ncommand = \n")).problems).toEqual([
      expect.stringMatching(/^The text is not TOML: /),
    ]);
  });
});

const DEEP = 50_000;
const deepYaml = [
  ["sequences on one line", "- ".repeat(13_000)],
  ["mappings on one line", "a: ".repeat(100) + "? ".repeat(13_000)],
  ["tags", `a: ${"! ".repeat(13_000)}`],
  ["lists", `a: ${"[".repeat(27_000)}`],
  ["lists whose closing brackets are quoted", `a: ${"['],'".repeat(5_000)}`],
  ["objects", `a: ${"{a: ".repeat(6_500)}`],
  ["indentation", Array.from({ length: 220 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ["indented sequences", Array.from({ length: 35 }, (_, depth) => " ".repeat(depth * 40) + "- ".repeat(20)).join("\n")],
] as const;

describe("hostile text", () => {
  it.each([
    ["objects", '{"a":'.repeat(DEEP)],
    ["lists", `{"mcpServers": ${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`],
    ["a server's field", `{"mcpServers": {"a": {"command": "x", "roots": ${"[".repeat(300)}${"]".repeat(300)}}}}`],
  ])("deep JSON (%s) is refused with a sentence", async (_, text) => {
    expect((await parseImport(text)).problems).toEqual([
      "The JSON text is nested deeper than 100 levels: paste only the section with the servers",
    ]);
  });

  it.each(deepYaml)("deep YAML (%s) is refused with a sentence", async (_, text) => {
    const { servers, problems } = await parseImport(`mcpServers:\n  x:\n    command: y\n${text}`);
    expect(servers).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^The (?:text is not YAML: (?!Maximum)|YAML text )/)]);
  });

  it("deep TOML is refused with a sentence", async () => {
    for (const text of [
      `a = ${"[".repeat(27_000)}`,
      `${"a.".repeat(13_000)}b = 1`,
      `[${"a.".repeat(13_000)}b]\nc = 1`,
    ]) {
      const { servers, problems } = await parseImport(`[mcp_servers.x]\ncommand = "y"\n${text}\n`);
      expect(servers).toEqual([]);
      expect(problems).toEqual([expect.stringMatching(/^The (?:text is not )?TOML/)]);
    }
  });

  it("aliases that expand to gigabytes, or to themselves, are refused", async () => {
    const levels = Array.from({ length: 12 }, (_, at) =>
      at === 0
        ? "a0: &a0 [x,x,x,x,x,x,x,x,x]"
        : `a${at}: &a${at} [${Array(9)
            .fill(`*a${at - 1}`)
            .join(",")}]`,
    );
    expect((await parseImport(levels.join("\n"))).problems).toEqual([expect.stringContaining("aliases")]);
    expect((await parseImport("mcpServers:\n  a: &a\n    command: x\n    env: *a\n")).problems).toEqual([
      expect.stringContaining("nested deeper"),
    ]);
  });

  it("an object or a list with more than 5,000 entries is refused, and one beside it with fewer is not", async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}": "v"`).join(",");
    const one = (env: string) => `{"mcpServers": {"a": {"command": "x", "env": {${env}}}}, "other": {${names(4000)}}}`;
    expect((await parseImport(one(names(400)))).servers).toMatchObject([{ name: "a", problems: [] }]);
    const yaml = `a: [${"x,".repeat(5002)}]`;
    const toml = `[a]\n${Array.from({ length: 5002 }, (_, index) => `k${index} = 1`).join("\n")}`;
    for (const text of [one(names(5002)), `[${"{},".repeat(5002)}{}]`, yaml, toml]) {
      expect((await parseImport(text)).problems).toEqual([expect.stringContaining("more than 5000 entries")]);
    }
  });

  it("a key that stands twice in a YAML map is refused by its name, in different maps it is not", async () => {
    const servers = "mcpServers:\n  a:\n    command: x\n  b:\n    command: y\n";
    expect((await parseImport(servers)).servers).toHaveLength(2);
    expect((await parseImport(`${servers}  a:\n    command: z\n`)).problems).toEqual([
      "The text is not YAML: the key 'a' stands twice in one map",
    ]);
  });

  it("a prototype's name is a name like any other in every format", async () => {
    const texts = [
      '{"mcpServers": {"a": {"command": "x", "__proto__": {"url": "y"}}}}',
      '{"mcpServers": {"a": {"command": "x", "__proto__": {"url": "y"}},}}',
      "mcpServers:\n  a:\n    command: x\n    __proto__: {url: y}\n",
      '[mcpServers.a]\ncommand = "x"\n[mcpServers.a.__proto__]\nurl = "y"\n',
    ];
    for (const text of texts) {
      const { servers } = await parseImport(text);
      expect(servers).toMatchObject([{ name: "a", settings: { transport: "stdio", command: "x" } }]);
    }
    expect(({} as { url?: string }).url).toBeUndefined();
  });

  it("a first line of a million spaces is answered, in whichever format", async () => {
    for (const end of ["x", ": y", "= y"]) {
      const { problems } = await parseImport(`a${" ".repeat(900_000)}${end}`);
      expect(problems).toEqual([expect.any(String)]);
    }
  });

  it("text that is too long is refused with its limit", async () => {
    expect((await parseImport(`{"a": "${"x".repeat(1_000_000)}"}`)).problems[0]).toContain("longer than 1000000");
    expect((await parseImport(`a: ${"x".repeat(1_000_000)}`)).problems[0]).toContain("longer than 1000000");
  });

  it("any mixture of the characters that mean something is answered", async () => {
    const piece = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      "- ",
      "? ",
      ": ",
      "&a ",
      "*a ",
      "!t ",
      "\n",
      "  ",
      "a",
      "=",
      '"',
      "'",
      "|",
      ">",
      "#",
      "$A",
      "${",
      "<<: ",
      "[mcp_servers.a]\n",
      "mcpServers:\n",
      "claude mcp add ",
      "-- ",
      "--env ",
      "command: x\n",
      'command = "x"\n',
      "\\",
      "“",
      "```\n",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const { servers, problems } = await parseImport(pieces.join(""));
        expect(servers.length + problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});
