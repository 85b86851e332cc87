import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anEnd, aStart } from "../../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../../calls/executions/execution-store";
import type { CreateDatabase } from "./store-database.test-support";

/** What users look for, and what they may look for it with. */
const TEXTS: readonly [text: string, ...others: string[]][] = [
  ['he said "stop" at noon', 'said "stop"', "he said", 'HE SAID "STOP"', '"stop"'],
  ["C:\\Users\\ada\\new", "C:\\Users", "\\ada\\new", "Users\\ada"],
  ["first line\nsecond line", "line\nsecond", "line\r\nsecond"],
  ["one\ttab and\r\nwindows", "one\ttab", "and\nwindows"],
  ["https://example.com/a?b=1&c=<d>", "example.com/a?b=1&c=<d>", "https://example.com/a"],
  ["it's O'Brien + co", "it's O'Brien", "o'brien + co"],
  ["Ærlig Müller 李明华", "müller", "ÆRLIG MÜLLER", "Mu\u0308ller", "李明华", "ller 李明"],
  ["Äpfel ÖLTE", "äpfel ölte"],
  ["ΟΔΟΣ και δρόμος", "οδος", "ΔΡΌΜΟΣ"],
  ["Привет, МИР", "привет, мир", "МИР"],
  ["family 👩‍👩‍👧 and ❤️ hearts", "👩‍👩‍👧 and", "❤ hearts", "🧑‍👩‍👧".slice(-2) + " and"],
  ["soft\u00adhyphen and zero\u200bwidth", "zero\u200bwidth", "soft\u00adhyphen"],
  ["full width ＡＢＣ １２３", "ＡＢＣ", "ａｂｃ １２３"],
  ["100%_done! [x]", "100%_done!", "%_done", "_done! [x]"],
  ["a".repeat(3_000) + "needle", "a".repeat(190) + "needle"],
  ['{"city":"Oslo","n":[1,{"k":"v"}]}', '"city":"Oslo"', '{"k":"v"}', '":[1,{"'],
  ['":":"', '":":'],
];

/** JSON as programs write a text: JavaScript, Python, Go, .NET, PHP, and each in JSON again. */
const escapeUnits = (json: string, which: RegExp) =>
  json.replaceAll(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const JSON_WRITERS: Record<string, (text: string) => string> = {
  JavaScript: (text) => JSON.stringify({ note: text }),
  Python: (text) => escapeUnits(JSON.stringify({ note: text }), /[\u0080-\uffff]/g),
  "capital digits": (text) =>
    JSON.stringify({ note: text }).replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
    ),
  Go: (text) => escapeUnits(JSON.stringify({ note: text }), /[<>&\u2028]/g),
  ".NET": (text) => {
    const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', "\\u0022");
    return `{"note":"${escapeUnits(inner, /[<>&'+\u0080-\uffff]/g)}"}`;
  },
  PHP: (text) => escapeUnits(JSON.stringify({ note: text }), /[\u0080-\uffff]/g).replaceAll("/", "\\/"),
  decomposed: (text) => JSON.stringify({ note: text.normalize("NFD") }),
};
const WRITERS: Record<string, (text: string) => string> = {
  ...JSON_WRITERS,
  "JSON in JSON": (text) => JSON.stringify({ content: [{ type: "text", text: JSON.stringify({ note: text }) }] }),
  "Python in JSON": (text) => JSON.stringify({ content: JSON_WRITERS.Python?.(text) }),
  "three times": (text) => JSON.stringify([JSON.stringify([JSON.stringify([text])])]),
};

/** Finds texts whatever wrote them, before they are indexed and after. */
export function describeExecutionTexts(createDatabase: CreateDatabase): void {
  describe("texts of calls", () => {
    let store: ExecutionStore;
    let remove: () => Promise<void>;
    const ids = new Map<string, string>();
    const keyOf = (writer: string, text: string) => `${writer}: ${text.slice(0, 40)}`;

    beforeAll(async () => {
      const database = await createDatabase();
      store = database.executions({ instanceId: "i" });
      remove = async () => {
        await store.close();
        await database.remove();
      };
      for (const [writer, write] of Object.entries(WRITERS)) {
        for (const [index, [text]] of TEXTS.entries()) {
          const written = write(text);
          const start = aStart(index % 2 === 0 ? { argumentsText: written } : {});
          await store.record(start, anEnd(start, index % 2 === 0 ? {} : { resultText: written }));
          ids.set(keyOf(writer, text), start.id);
        }
      }
      for (const [text] of TEXTS) {
        const start = aStart();
        await store.record(start, anEnd(start, { status: "failed", errorKind: "tool_error", error: text }));
        ids.set(keyOf("an error", text), start.id);
      }
    });
    afterAll(() => remove());

    const searchIds = async (q: string) => {
      const { items } = await store.list({ q }, { limit: 200 });
      return new Set(items.map(({ id }) => id));
    };

    async function expectFound(): Promise<void> {
      const missed: string[] = [];
      for (const [text, ...others] of TEXTS) {
        for (const q of [text.slice(0, 200), ...others]) {
          const found = await searchIds(q);
          for (const writer of [...Object.keys(WRITERS), "an error"]) {
            if (!found.has(ids.get(keyOf(writer, text)) ?? "")) missed.push(`${JSON.stringify(q)} by ${writer}`);
          }
        }
      }
      expect(missed).toEqual([]);
    }

    it("are found as users write them, before they are in the index and then", async () => {
      await expectFound();
      await store.drainIndex();
      await expectFound();
    });

    it("are not found by texts that are not in them", async () => {
      for (const q of [
        'said "go"',
        "C:\\Windows",
        "line\nthird",
        "Möller",
        "мирр",
        '"city":"Rome"',
        "100%_dome",
        "👩‍👩‍👦 and",
      ]) {
        expect([q, (await searchIds(q)).size]).toEqual([q, 0]);
      }
    });

    it("say where they were found", async () => {
      const { items } = await store.list({ q: 'said "stop"' }, { limit: 200 });
      expect(items.length).toBeGreaterThan(Object.keys(WRITERS).length);
      for (const { id, match, argumentsPreview, errorPreview } of items) {
        if (!/said/.test(`${argumentsPreview} ${errorPreview}`))
          expect([id, match?.text]).toEqual([id, expect.stringContaining("said")]);
      }
      const inResults = (await store.list({ q: "one\ttab" }, { limit: 200 })).items.filter(
        ({ match }) => match !== undefined,
      );
      expect(inResults).toHaveLength(Object.keys(WRITERS).length);
      for (const { match } of inResults) expect(match?.text).toContain("windows");
    });

    it("of backslashes and quotation marks alone hold nothing up", async () => {
      const start = aStart({ argumentsText: JSON.stringify({ note: "\\".repeat(60_000) }) });
      await store.record(start, anEnd(start, { resultText: JSON.stringify('"'.repeat(60_000)) }));
      await store.drainIndex();
      for (const q of [
        "\\".repeat(200),
        '"'.repeat(200),
        '\\"'.repeat(100),
        "\\\n\\\n\\\n",
        '\\"\\x',
        "\n\n\n\n",
        "\u200b\u200b\\\\\\",
        "\t\\\t\\",
      ]) {
        await store.list({ q }, { limit: 5 });
      }
      expect((await store.list({ q: '"'.repeat(200) }, { limit: 5 })).items.map(({ id }) => id)).toEqual([start.id]);
    });
  });
}
