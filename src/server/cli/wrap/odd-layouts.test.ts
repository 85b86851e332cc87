import * as fc from "fast-check";
import { expect, it } from "vitest";
import { applyEdits, type ConfigFormat, type SectionPath } from "./config-format";
import { putServersBack, takeServers } from "./edit-file";
import { JSON_CONFIG } from "./json-config";
import { TOML_CONFIG } from "./toml-config";
import { YAML_CONFIG } from "./yaml-config";

const RUNS = { numRuns: 150 };
const toServer = () => ({ name: "toolroom", value: { name: "toolroom", command: "node", args: ["mcp.mjs"] } });

/** Takes some servers out and puts them back: byte for byte, and by their values where everything else was changed. */
function tryText(format: ConfigFormat, text: string, path: SectionPath, chosen: readonly boolean[]): void {
  const servers = format.listServers(text, path) ?? [];
  const positions = servers.flatMap((_, at) => (chosen[at % chosen.length] ? [at] : []));
  if (positions.length === 0) positions.push(0);
  const sections = [{ path, positions }];
  const edits = takeServers(format, text, sections, toServer);
  const wrapped = applyEdits(text, edits);
  const names = (format.listServers(wrapped, path) ?? []).map(({ name }) => name);
  expect(names.toSorted()).toEqual(
    ["toolroom", ...servers.filter((_, at) => !positions.includes(at)).map(({ name }) => name)].toSorted(),
  );
  const taken = { original: text, edits, sections, entryName: "toolroom" };
  expect(putServersBack(format, wrapped, taken)?.text).toBe(text);
  // What the text was before is gone, so the servers come from the original alone.
  const restored = putServersBack(format, wrapped, { ...taken, edits: [{ start: 0, end: 1, text: "" }] });
  expect(sortLists(format.parse(restored?.text ?? ""))).toEqual(sortLists(format.parse(text)));
}

/** Servers of a list come back beside each other. */
function sortLists(value: unknown): unknown {
  const { servers, ...rest } = value as { servers?: unknown };
  return Array.isArray(servers) ? { ...rest, servers: servers.map((item) => JSON.stringify(item)).sort() } : value;
}

const chosen = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });
const gap = fc.constantFrom("", " ", "\n", "\n   ", "\t", " /* , } */ ", ' // "x": {}, ]\n', "\r\n\r\n  ");
const jsonValue = fc.constantFrom(
  '{"command":"x"}',
  '{ "command": "y", "args": [ "a,b", "}" ], }',
  '{\n "url": "https://x.example//y" // z\n }',
);

it("takes servers out of JSON of any layout, and puts them back", () => {
  const servers = fc.array(fc.record({ value: jsonValue, gaps: fc.tuple(gap, gap, gap, gap) }), {
    minLength: 1,
    maxLength: 6,
  });
  void fc.assert(
    fc.property(servers, gap, fc.boolean(), fc.boolean(), chosen, (list, outer, hasComma, isLast, picked) => {
      const items = list.map(({ value, gaps: [a, b, c, d] }, at) => `${a}"s${at}"${b}:${c}${value}${d}`);
      const section = `"mcpServers"${outer}:{${items.join(",")}${hasComma ? "," : ""}${outer}}`;
      const text = isLast ? `${outer}{"a":[1,{}],${section}}` : `{${section}${outer},"z":{"mcpServers":{}}}\n`;
      tryText(JSON_CONFIG, text, ["mcpServers"], picked);
    }),
    RUNS,
  );
});

it("takes servers out of TOML of any layout, and puts them back", () => {
  const server = fc.record({
    form: fc.constantFrom("table", "dotted", "long"),
    before: fc.constantFrom("", "\n", "# [mcp_servers.no]\n", "\n\n  # a comment\n"),
    name: fc.constantFrom(
      (at: number) => `s${at}`,
      (at: number) => `"a b${at}"`,
      (at: number) => `'q.${at}'`,
    ),
  });
  const write = (
    { form, before, name }: { form: string; before: string; name(at: number): string },
    at: number,
  ): string => {
    const key = name(at);
    if (form === "dotted") return `${before}[mcp_servers.${key}]\nenv.A = "1" # ]\ncommand = '''x\n[y]'''\n`;
    if (form === "long")
      return `${before}  [ mcp_servers . ${key} ] # here\nargs = [\n "a#", # "\n [1, 2],\n]\n\n[mcp_servers.${key}.env]\nB = "\\"]"\n`;
    return `${before}[mcp_servers.${key}]\ncommand = "x"\nenabled = false\n`;
  };
  void fc.assert(
    fc.property(
      fc.array(server, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      chosen,
      (list, isCrlf, hasEnd, picked) => {
        const half = Math.ceil(list.length / 2);
        const parts = list.map(write);
        let text = `model = "x"\n${parts.slice(0, half).join("")}\n[other]\nk = """\n[mcp_servers.no]\n"""\n${parts.slice(half).join("")}`;
        if (!hasEnd) text = text.replace(/\n$/, "");
        tryText(TOML_CONFIG, isCrlf ? text.replaceAll("\n", "\r\n") : text, ["mcp_servers"], picked);
      },
    ),
    RUNS,
  );
});

it("takes servers out of YAML of any layout, and puts them back", () => {
  const server = fc.record({
    before: fc.constantFrom("", "\n", "# comment\n", "\n  # comment: {\n"),
    body: fc.constantFrom("plain", "flow", "block", "deep"),
  });
  void fc.assert(
    fc.property(
      fc.array(server, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      chosen,
      (list, unit, isList, isLast, isCrlf, picked) => {
        const pad = " ".repeat(unit);
        const write = ({ before, body }: { before: string; body: string }, at: number): string => {
          const inner = isList ? `${pad}  ` : pad + pad;
          const head = isList ? `${pad}- name: s${at}\n` : `${pad}s${at}: # here\n`;
          const lines = {
            plain: `${inner}cmd: x\n${inner}args:\n${inner}- -y\n${inner}- "a: b"\n`,
            flow: `${inner}cmd: x\n${inner}envs: {A: "1",\n${inner}  B: 2} # end\n`,
            block: `${inner}cmd: x\n${inner}text: |\n${inner}  line: 1\n\n${inner}  - two\n`,
            deep: `${inner}cmd: 'x'\n${inner}envs:\n${inner}  A:\n${inner}    - b: c\n`,
          }[body];
          return before + head + lines;
        };
        const section = `servers:\n${list.map(write).join("")}`;
        const text = isLast ? `a: 1\n${section}` : `${section}# after\nz: [1]\n`;
        tryText(YAML_CONFIG, isCrlf ? text.replaceAll("\n", "\r\n") : text, ["servers"], picked);
      },
    ),
    RUNS,
  );
});
