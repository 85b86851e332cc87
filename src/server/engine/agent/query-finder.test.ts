import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FoundQuery, QueryFinder, type QueryFinderOptions } from "./query-finder";

const PHRASES = ["hey toolroom", "ok toolroom"];

interface Said {
  text: string;
  speaker?: string;
  atMs?: number;
}

/** Every query of what was said, the last one ended by the transcript's end. */
function heard(said: readonly (Said | string)[], options: Partial<QueryFinderOptions> = {}): FoundQuery[] {
  const finder = new QueryFinder({ wakePhrases: PHRASES, silenceMs: 1000, ...options });
  const found = said.flatMap((entry, index) => {
    const { text, speaker = null, atMs = null } = typeof entry === "string" ? { text: entry } : entry;
    return finder.feed({ seq: index + 1, text, speaker, atMs }, 0);
  });
  return [...found, ...finder.close()];
}
const texts = (said: readonly (Said | string)[], options: Partial<QueryFinderOptions> = {}) =>
  heard(said, options).map(({ text }) => text);

describe("queries in a transcript", () => {
  it.each([
    ["HEY, Toolroom: what time is it?", "what time is it?"],
    ["so - hey tool-room - what time is it?", "what time is it?"],
    ["Ok   Toolroom! What time is it?", "What time is it?"],
    ["well ok\ntoolroom what time is it", "what time is it"],
    ["ｈｅｙ Ｔｏｏｌｒｏｏｍ what time is it", "what time is it"],
    ["Hey Toolroom. Hey Toolroom. What now?", "What now?"],
    ["hey toolroom -5 plus 3?", "-5 plus 3?"],
    ["hey toolroom, “hello” means what?", "“hello” means what?"],
  ])("AGT-13 hears the wake phrase in %j", (text, query) => {
    expect(texts([text])).toEqual([query]);
  });

  it.each(["they toolroom are", "hey toolrooms are many", "hey toolroom's colour", "hey tool", "toolroom hey", ""])(
    "AGT-13 finds no query in %j",
    (text) => {
      expect(texts([text])).toEqual([]);
    },
  );

  it.each([
    ["Größe", "GRÖSSE wie hoch?", "wie hoch?"],
    ["cafe\u0301 bot", "Café bot where?", "where?"],
    ["οδυσσεύς", "ΟΔΥΣΣΕΎΣ πού;", "πού;"],
    ["你好工具", "我说你好工具今天天气怎么样？谢谢", "今天天气怎么样？"],
    ["l'ordi", "dis L’ordi quelle heure?", "quelle heure?"],
  ])("AGT-13 knows the phrase %j in every spelling", (phrase, text, query) => {
    expect(texts([text], { wakePhrases: [phrase] })).toEqual([query]);
  });

  it.each([
    [["hey", "toolroom", "what is", "the time?"], "what is the time?"],
    [["Hey tool", "room, what is the time?"], "what is the time?"],
    [["Hey", " tool", "room", ",", " what", " is the ti", "me", "?"], "what is the time?"],
    [["hey toolroom what is 3.", "5 times 2?"], "what is 3.5 times 2?"],
  ])("AGT-13 hears it across the borders of segments: %j", (said, query) => {
    expect(texts(said)).toEqual([query]);
  });

  it.each([
    ["Hey Toolroom, is 3.5 more than 2.5? I wonder.", "is 3.5 more than 2.5?"],
    ["Hey Toolroom, ask e.g. Dr. Who at 5 p.m. please! Thanks.", "ask e.g. Dr. Who at 5 p.m. please!"],
    ["Hey Toolroom, what is... the time. Well.", "what is... the time."],
    ['Hey Toolroom, who said "go!" So.', 'who said "go!"'],
    ["Hey Toolroom, open example.com/a.b now. Well.", "open example.com/a.b now."],
  ])("AGT-13 ends a query with its sentence: %j", (text, query) => {
    expect(texts([text])).toEqual([query]);
  });

  it("AGT-13 ends a query with another speaker, and says whose it is and where", () => {
    const said = [
      { text: "so", speaker: "Bo" },
      { text: "hey tool", speaker: "Ana" },
      { text: "room what is", speaker: "Ana" },
      { text: "the time" },
      { text: "no idea", speaker: "Bo" },
    ];
    expect(heard(said)).toEqual([
      { text: "what is the time", wakePhrase: "hey toolroom", speaker: "Ana", fromSeq: 2, toSeq: 4 },
    ]);
  });

  it("AGT-13 a phrase that two speakers share is none", () => {
    expect(
      texts([
        { text: "hey", speaker: "A" },
        { text: "toolroom what", speaker: "B" },
      ]),
    ).toEqual([]);
  });

  it("AGT-13 ends a query with the next wake phrase, also where its sentence had ended in the middle of it", () => {
    expect(texts(["hey toolroom add milk, ok toolroom, add eggs"])).toEqual(["add milk", "add eggs"]);
    expect(texts(["hey toolroom what says hey. Toolroom add eggs"])).toEqual(["what says", "add eggs"]);
    expect(texts(["hey toolroom who says hey. Nobody does"])).toEqual(["who says hey."]);
  });

  it("AGT-13 the longer of two wake phrases is the one that counts", () => {
    const wakePhrases = ["hey tool", "hey toolroom"];
    expect(heard(["hey tool room what now"], { wakePhrases })).toMatchObject([
      { text: "what now", wakePhrase: "hey toolroom" },
    ]);
  });

  it("AGT-13 ends a query with silence in the transcript's own time, and takes slow speech for none", () => {
    const ask = "hey toolroom please tell me what the weather is";
    expect(
      texts([
        { text: ask, atMs: 0 },
        { text: "in Paris", atMs: 3000 },
      ]),
    ).toEqual(["please tell me what the weather is in Paris"]);
    expect(
      texts([
        { text: ask, atMs: 0 },
        { text: "in Paris", atMs: 5000 },
      ]),
    ).toEqual(["please tell me what the weather is"]);
  });

  it("AGT-13 ends a query with silence by the clock, once, and gives a user time after the wake phrase", () => {
    const finder = new QueryFinder({ wakePhrases: PHRASES, silenceMs: 1000, join: "verbatim" });
    expect(finder.nextTickAt()).toBeNull();
    finder.feed({ seq: 1, text: "hey toolroom", speaker: null, atMs: null }, 10_000);
    expect(finder.tick(12_000)).toEqual([]);
    finder.feed({ seq: 2, text: " what now", speaker: null, atMs: null }, 13_000);
    expect(finder.nextTickAt()).toBe(14_000);
    expect(finder.tick(13_999)).toEqual([]);
    expect(finder.tick(14_000)).toMatchObject([{ text: "what now" }]);
    expect(finder.tick(20_000)).toEqual([]);
    expect(finder.close()).toEqual([]);
  });

  it("AGT-13 a wake phrase that nothing follows is forgotten", () => {
    const finder = new QueryFinder({ wakePhrases: PHRASES, silenceMs: 1000 });
    finder.feed({ seq: 1, text: "hey toolroom", speaker: null, atMs: null }, 0);
    expect(finder.nextTickAt()).toBe(5000);
    expect(finder.tick(5000)).toEqual([]);
    expect(finder.nextTickAt()).toBeNull();
    expect(finder.feed({ seq: 2, text: "lunch is ready.", speaker: null, atMs: null }, 6000)).toEqual([]);
    expect(finder.close()).toEqual([]);
  });

  it("AGT-13 keeps a bounded state, however long users talk", () => {
    const finder = new QueryFinder({ wakePhrases: PHRASES, silenceMs: 1000, maxLength: 500 });
    const found: FoundQuery[] = [];
    let largest = 0;
    for (let seq = 1; seq <= 300; seq += 1) {
      const text = seq % 20 === 1 ? `hey toolroom ${"..., ".repeat(100)}` : "and hey ".repeat(40);
      found.push(...finder.feed({ seq, text, speaker: null, atMs: null }, 0));
      largest = Math.max(largest, JSON.stringify(finder.state).length);
    }
    expect(found).toHaveLength(15);
    expect(Math.max(...found.map(({ text }) => text.length))).toBeLessThanOrEqual(500);
    expect(largest).toBeLessThan(4000);
  });
});

const word = fc.constantFrom(
  ..."hey ok toolroom Hey, tool room HEY toolroom. weather? 3.5 e.g. Dr. what's ... wait… é😀 你好 “so” J. milk!".split(
    " ",
  ),
);
const speech = fc.array(word, { maxLength: 60 }).map((words) => words.join(" "));

/** The same text in pieces that end at the given places. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => (text === "" ? 0 : cut % text.length)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, places[index]));
}

describe("the same words, however they are cut", () => {
  it("AGT-13 give the same queries when cut anywhere, in the middle of a character too", () => {
    const cuts = fc.array(fc.nat(2000), { maxLength: 40 });
    fc.assert(
      fc.property(speech, cuts, fc.constantFrom(20, 4000), (text, at, maxLength) => {
        const options = { join: "verbatim", maxLength } as const;
        expect(texts(pieces(text, at), options)).toEqual(texts([text], options));
      }),
      { numRuns: 1000 },
    );
  });

  it("AGT-13 give the same queries when segments are whole words without the spaces between them", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.boolean()), { maxLength: 60 }), (words) => {
        const segments: string[] = [];
        for (const [next, begins] of words) {
          if (begins || segments.length === 0) segments.push(next);
          else segments.push(`${segments.pop()} ${next}`);
        }
        const whole = words.map(([next]) => next).join(" ");
        expect(texts(segments, { join: "words" })).toEqual(texts([whole], { join: "words" }));
      }),
      { numRuns: 1000 },
    );
  });

  it("AGT-13 give the same queries when the process is started again between any two segments", () => {
    fc.assert(
      fc.property(speech, fc.array(fc.nat(2000), { maxLength: 20 }), (text, at) => {
        const options = { wakePhrases: PHRASES, silenceMs: 1000, join: "verbatim" } as const;
        let finder = new QueryFinder(options);
        const found: string[] = [];
        for (const [index, piece] of pieces(text, at).entries()) {
          const state = JSON.parse(JSON.stringify(finder.state));
          finder = new QueryFinder({ ...options, state });
          found.push(
            ...finder.feed({ seq: index, text: piece, speaker: null, atMs: null }, 0).map((query) => query.text),
          );
        }
        found.push(...finder.close().map((query) => query.text));
        expect(found).toEqual(texts([text], { join: "verbatim" }));
      }),
      { numRuns: 500 },
    );
  });

  it("AGT-13 lose and repeat no query: each of many is found, in order", () => {
    const ask = fc.tuple(
      fc.constantFrom("Hey Toolroom, ", "ok, tool room "),
      fc.constantFrom("?", "!", " please."),
      fc.constantFrom(" So. ", " hey you. ", " Well… "),
    );
    fc.assert(
      fc.property(fc.array(ask, { minLength: 1, maxLength: 15 }), fc.array(fc.nat(2000)), (asked, at) => {
        const text = asked.map(([wake, end, between], n) => `${wake}tell me number ${n}${end}${between}`).join("");
        const expected = asked.map(([, end], n) => `tell me number ${n}${end}`);
        expect(texts(pieces(text, at), { join: "verbatim" })).toEqual(expected);
      }),
    );
  });
});
