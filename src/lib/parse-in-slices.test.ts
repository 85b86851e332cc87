import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { isBeyondLimits } from "./json/limits";
import { parseJsonInSlices, parseWithSpan } from "./parse-in-slices";

const nativeParse = JSON.parse;

function parse(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return "invalid";
  }
}

async function parseSliced(text: string, sliceChars: number): Promise<unknown> {
  try {
    return { value: await parseJsonInSlices(text, { sliceChars, stringChars: 7 }) };
  } catch {
    return "invalid";
  }
}

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.string({ unit: fc.constantFrom(...'ab"\\,:{}[]\n\u2028é') }),
    fc.constantFrom(0, -1.5, true, null, "", 12345678901234),
    fc.array(tie("value"), { maxLength: 6 }),
    fc
      .array(fc.tuple(fc.constantFrom("a", "b", "1", "0", "", "__proto__", 'x"y', "c\\"), tie("value")), {
        maxLength: 6,
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));

it("parses every text to what JSON.parse returns, wherever the slices end", async () => {
  await fc.assert(
    fc.asyncProperty(
      json.value,
      fc.constantFrom(undefined, 1, "\t"),
      fc.integer({ min: 1, max: 40 }),
      async (value, space, slice) => {
        const text = JSON.stringify(value, null, space);
        expect(await parseSliced(text, slice)).toStrictEqual(parse(text));
        // Key order too.
        expect(JSON.stringify(await parseJsonInSlices(text, { sliceChars: slice, stringChars: 7 }))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      },
    ),
    { numRuns: 500 },
  );
});

it("refuses every text that JSON.parse refuses, and no other", async () => {
  const damage = fc.tuple(json.value, fc.nat(), fc.constantFrom(...'",:{}[]\\ x1'), fc.boolean());
  await fc.assert(
    fc.asyncProperty(damage, fc.integer({ min: 1, max: 20 }), async ([value, at, inserted, replaces], slice) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      const damaged = text.slice(0, place) + inserted + text.slice(place + (replaces ? 1 : 0));
      expect(await parseSliced(damaged, slice)).toStrictEqual(parse(damaged));
    }),
    { numRuns: 1000 },
  );
});

it("refuses a comma without a member before or after it where a slice ends", async () => {
  const spaces = " ".repeat(300);
  const texts = ["[,[1]]", "[ ,1,2]", '{ ,"a":1}', "[1, ,2]", `[1,${spaces},2]`, `[1,${spaces}]`, `{"a":1,${spaces}}`];
  for (const text of texts) {
    for (let slice = 1; slice < text.length; slice += 1) expect(await parseSliced(text, slice), text).toBe("invalid");
  }
});

it("the last of several members with one name counts, also across slices", async () => {
  const text = '{"a":{"x":1,"y":2,"x":[1,2,3]},"b":0,"a":{"z":[4,5,6,7]},"a":{"w":1,"v":2}}';
  for (let slice = 1; slice < text.length; slice += 1) {
    expect(await parseJsonInSlices(text, { sliceChars: slice, stringChars: 7 })).toStrictEqual(JSON.parse(text));
  }
});

it("gives other work a turn between slices", async () => {
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await parseJsonInSlices(JSON.stringify(Array.from({ length: 1000 }, (_, index) => index)), { sliceChars: 100 });
  counting = false;
  expect(turns).toBeGreaterThan(20);
});

it("refuses large texts that are nested without end", async () => {
  await expect(parseJsonInSlices(`${"[1,".repeat(2000)}1${"]".repeat(2000)}`, { sliceChars: 100 })).rejects.toThrow(
    "1000 levels",
  );
});

it("refuses an object with more members than allowed, wherever it is, and counts each object by itself", async () => {
  const wide = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":{"a":1}`).join(",")}}`;
  const options = { sliceChars: 64, maxMembers: 100 };
  const text = `[${wide(100)},{"deep":${wide(100)}}]`;
  expect(await parseJsonInSlices(text, options)).toEqual(JSON.parse(text));
  await expect(parseJsonInSlices(`[1,{"deep":${wide(150)}}]`, options)).rejects.toThrow(/more than 100 keys: split it/);
});

it("reads long strings in parts as JSON.parse does, whatever they escape", async () => {
  const unit = fc.constantFrom("a", "\\", '"', "\n", "\u0001", "é", "\ud83d\ude00", "\ud83d", "/");
  const long = fc.string({ unit, minLength: 5, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(long, long)), fc.integer({ min: 7, max: 30 }), async (pairs, stringChars) => {
      const value = { list: pairs, named: Object.fromEntries(pairs) };
      const text = JSON.stringify(value).replaceAll("/", "\\/").replaceAll("é", "\\u00e9");
      expect(await parseJsonInSlices(text, { sliceChars: 20, stringChars })).toStrictEqual(JSON.parse(text));
    }),
    { numRuns: 300 },
  );
  await expect(parseJsonInSlices(`"${"a".repeat(100)}`, { sliceChars: 20, stringChars: 10 })).rejects.toThrow(
    SyntaxError,
  );
  await expect(parseJsonInSlices(`["${"a".repeat(50)}\n"]`, { sliceChars: 20, stringChars: 10 })).rejects.toThrow(
    SyntaxError,
  );
});

it("says where the value of a member stands, wherever the slices end", async () => {
  const texts = [
    '{"jsonrpc":"2.0","id":7,"result":{"a":[1,{"result":2}],"b":"x"}}',
    '{"result" : [1,2,3] ,"id":7}',
    '{"result":1,"deep":{"result":3},"result":"the last"}',
  ];
  for (const text of texts) {
    const { result } = JSON.parse(text);
    for (let slice = 1; slice < text.length; slice += 1) {
      const { value, span } = await parseWithSpan(text, "result", { sliceChars: slice });
      expect(value).toStrictEqual(JSON.parse(text));
      expect(JSON.parse(text.slice(span?.start, span?.end))).toStrictEqual(result);
    }
  }
  expect((await parseWithSpan('[{"result":1},2,3]', "result", { sliceChars: 3 })).span).toBeNull();
});

it.each(["[", '{"a":'])(
  "refuses a long text of %s nested beyond the limit by its shape, whatever follows",
  async (open) => {
    const text = open.repeat(1_000_000);
    const refused = await parseJsonInSlices(text).catch((error: unknown) => error);
    expect(isBeyondLimits(refused)).toBe(true);
    expect(String(refused)).toContain("1000 levels deep");
  },
);

/** As many lists as a megabyte or two holds, in each form that a hostile text may have. */
const MANY: Record<string, (count: number) => string> = {
  "empty lists": (count) => `[${Array.from({ length: count - 1 }, () => "[]").join()}]`,
  "empty objects": (count) => `[${Array.from({ length: count - 1 }, () => "{}").join()}]`,
  "lists in lists": (count) => {
    const levels = 999;
    const row = "[".repeat(levels) + "]".repeat(levels);
    return `[${Array.from({ length: Math.floor((count - 1) / levels) }, () => row).join()}]`;
  },
};

describe.each(Object.entries(MANY))("a text of %s", (_, make) => {
  it("is refused beyond a million of them, and parsed in slices of few below", async () => {
    await expect(parseJsonInSlices(make(1_002_000))).rejects.toThrow("more than 1,000,000 lists and objects");
    let longest = 0;
    const parse = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      longest = Math.max(longest, text.length);
      return nativeParse(text, reviver) as unknown;
    });
    try {
      await parseJsonInSlices(make(990_000));
    } finally {
      parse.mockRestore();
    }
    // A slice and the brackets around it.
    expect(longest).toBeLessThan(64 * 1024 + 3 * 1000);
  });
});
