import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openImport } from "../../features/servers/import/parse-import.test-support";
import { findFormat } from "./client-files";
import { JSON_SAMPLES, type Sample } from "./corpus-json.test-support";
import { MARKUP_SAMPLES } from "./corpus-markup.test-support";
import { planWrap } from "./plan-wrap";
import { BRIDGE, MemoryCatalog, makeMachine, placeSample, readPlaced } from "./wrap.test-support";
import { applyChange, listMoved, planChange, unwrapFile } from "./wrap-file";
import { describePlan } from "./wrap-report";
import { WrapState } from "./wrap-state";

const SAMPLES = [...JSON_SAMPLES, ...MARKUP_SAMPLES];
const parse = openImport();

/** Wraps one file alone. */
async function wrap(sample: Sample) {
  const machine = makeMachine();
  const file = placeSample(sample, machine);
  const before = readFileSync(file);
  const catalog = new MemoryCatalog(parse);
  const plan = await planWrap(readPlaced(sample.client, file, machine), null, catalog);
  const change = planChange(plan, BRIDGE);
  const state = WrapState.open(path.join(machine.homeFolder, "data"));
  if (change !== null && plan.request !== null) {
    await catalog.import(plan.request);
    applyChange(plan, change, state, 0);
  }
  const unwrap = () => unwrapFile(state.files.at(-1) as never, state);
  return { machine, file, before, catalog, plan, state, unwrap, after: readFileSync(file) };
}

/** A change that a client makes outside of its servers. */
function editElsewhere(text: string, file: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (!file.endsWith(".json") && !file.endsWith(".jsonc")) return `# edited since${eol}${text}`;
  return text.replace(/\{/, `{${eol}  "editedSince": ["{", 1],${eol}`);
}

const title = ({ client, title: what }: Sample): string => `${client}: ${what}`;

describe("wrap", () => {
  it("is tried with at least 40 files of each syntax that clients have", () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(SAMPLES.map(({ file }) => path.extname(file)))).toEqual(
      new Set([".json", ".jsonc", ".toml", ".yaml"]),
    );
    expect(new Set(SAMPLES.map(title)).size).toBe(SAMPLES.length);
  });

  it.each(SAMPLES.map((sample) => [title(sample), sample] as const))(
    "%s: the servers move, and unwrap gives back each byte",
    async (_, sample) => {
      const { file, before, after, plan, catalog, unwrap, state } = await wrap(sample);
      expect(plan.servers.filter(({ action }) => action === "move").length).toBeGreaterThan(0);
      expect(after.equals(before)).toBe(false);
      const text = after.toString();
      expect(new Set(listMoved(plan).map(({ importedAs }) => importedAs))).toEqual(new Set(catalog.servers.keys()));
      expect(text).toContain("/opt/toolroom/scripts/mcp.mjs");
      expect(text.startsWith("\uFEFF")).toBe(before.toString().startsWith("\uFEFF"));
      if (before.includes("\r\n")) expect(text.replaceAll("\r\n", "")).not.toContain("\n");
      else expect(text).not.toContain("\r");
      expect(readFileSync(state.backupPath({ backup: "state.json" }), "utf8")).not.toContain("planted");
      expect(describePlan(plan, "/")).not.toContain("planted");
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(unwrap()).toEqual({ result: "restored", detail: "" });
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(state.files).toEqual([]);
    },
  );

  it.each(SAMPLES.map((sample) => [title(sample), sample] as const))(
    "%s: the client's own edits elsewhere stay, and all else comes back",
    async (_, sample) => {
      const { file, before, after, unwrap } = await wrap(sample);
      writeFileSync(file, editElsewhere(after.toString(), file));
      expect(unwrap().result).toBe("merged");
      const wanted = editElsewhere(before.toString(), file);
      if (before.toString().split("\n").length > 3) expect(readFileSync(file, "utf8")).toBe(wanted);
      const format = findFormat(file);
      const strip = (text: string): string => text.replace(/^\uFEFF/, "");
      expect(format.parse(strip(readFileSync(file, "utf8")))).toEqual(format.parse(strip(wanted)));
    },
  );

  it.each(SAMPLES.filter(({ file }) => /json$/.test(file)).map((sample) => [title(sample), sample] as const))(
    "%s: the servers come back when the client has rewritten the whole file",
    async (_, sample) => {
      const { file, before, after, unwrap } = await wrap(sample);
      const format = findFormat(file);
      const strip = (text: string): string => text.replace(/^\uFEFF/, "");
      const value = format.parse(strip(after.toString()));
      writeFileSync(file, JSON.stringify({ first: 1, ...(value as object) }, null, 3));
      expect(unwrap().result).toBe("merged");
      const wanted = { first: 1, ...(format.parse(strip(before.toString())) as object) };
      expect(format.parse(readFileSync(file, "utf8"))).toEqual(wanted);
    },
  );
});
