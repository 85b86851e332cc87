import { describe, expect, it } from "vitest";
import { NEW_TRANSCRIPT, TRANSCRIPT_FORM } from "@/app/_components/transcripts/form/transcript-fields";
import { formatClockTime } from "@/app/_components/transcripts/summary/transcript-words";
import { checkDraft, readInput, writeInput } from "@/app/_kit/form/draft-input";
import { sortProblems } from "@/app/_kit/problems";
import { transcriptSettingsSchema } from "@/lib/contract/transcript";
import { POWERSHELLS, readPowerShell } from "@/lib/powershell.test-support";
import { sendSnippets } from "./send-snippets";
import { groupSpokenLines } from "./transcript-text";

const said = (...texts: string[]) =>
  texts.map((text, index) => ({ seq: index + 1, text, speaker: "Ana", atMs: null, receivedAt: index }));

describe("lines of a transcript", () => {
  it("AGT-13 pieces of speech are one line, utterances are lines of their own", () => {
    const lines = groupSpokenLines(said("Hey", " tool", "room", " what", " now?", "I see.", "So do I."), []);
    expect(lines.map(({ parts }) => parts.map(({ text }) => text).join("|"))).toEqual([
      "Hey| tool|room| what| now?",
      "I see.",
      "So do I.",
    ]);
  });

  it("AGT-13 a line is no longer than what a person says in one go", () => {
    const pieces = said(...Array.from({ length: 100 }, () => " and"));
    expect(groupSpokenLines(pieces, []).map(({ parts }) => parts.length)).toEqual([40, 40, 20]);
  });

  it("AGT-13 times are relative to the beginning", () => {
    expect([formatClockTime(0), formatClockTime(65_900), formatClockTime(3_725_000)]).toEqual([
      "0:00",
      "1:05",
      "1:02:05",
    ]);
  });
});

describe("the form of a new transcript", () => {
  it("AGT-13 gives settings that the contract accepts", () => {
    const settings = { ...NEW_TRANSCRIPT, title: "Standup", provider: "demo", model: "demo-1" };
    const filled = { ...readInput(TRANSCRIPT_FORM, settings), silenceMs: "0,5" };
    expect(checkDraft(TRANSCRIPT_FORM, filled)).toEqual([]);
    const input = writeInput(TRANSCRIPT_FORM, filled);
    expect(transcriptSettingsSchema.parse(input)).toMatchObject({ ...settings, silenceMs: 500 });
    expect(checkDraft(TRANSCRIPT_FORM, { ...filled, silenceMs: "soon", wakePhrases: " \n" })).toEqual([
      { path: "wakePhrases", message: "At least one is required" },
      { path: "silenceMs", message: "Between 0.2 and 60 seconds" },
    ]);
  });

  it("AGT-13 finds the field of every refusal", () => {
    const problems = [
      { path: "settings.wakePhrases[0]", message: "too short" },
      { path: "provider", message: "no key" },
      { path: "", message: "There are too many" },
    ];
    expect(sortProblems(problems, Object.keys(TRANSCRIPT_FORM.fields), "settings")).toEqual({
      wakePhrases: ["too short"],
      provider: ["no key"],
      "": ["There are too many"],
    });
  });
});

describe("how to send what is said", () => {
  it("AGT-13 names this server, and survives a wake phrase with quotes", () => {
    const about = { id: "transcript_1", wakePhrase: "what's up" };
    const [curl, file, answers] = sendSnippets("https://tools.example.org", about, "posix");
    expect(curl?.text).toContain("https://tools.example.org/api/trpc/transcripts.append");
    expect(curl?.text).toContain(`"what'\\''s up, what is 2 + 2?"`);
    expect(file?.text).toContain('id: "transcript_1"');
    expect(answers?.text).toContain("https://tools.example.org/api/trpc/transcripts.answers");
  });

  it("AGT-13 sends the same from PowerShell, without quotes in a program's words", () => {
    const about = { id: "transcript_1", wakePhrase: "what\u2019s \u00fcp" };
    const [send, file, answers] = sendSnippets("https://tools.example.org", about, "powershell");
    const [posix] = sendSnippets("https://tools.example.org", { ...about, wakePhrase: "W" }, "posix");
    const wanted = JSON.parse(/'(\{.*\})'/.exec(posix?.text ?? "")?.[1]?.replace("W,", `${about.wakePhrase},`) ?? "");
    for (const version of POWERSHELLS) {
      const [curl] = readPowerShell(send?.text ?? "", version);
      expect(JSON.parse(curl?.input ?? "")).toEqual(wanted);
      expect(curl?.words).toContain("https://tools.example.org/api/trpc/transcripts.append");
      const [stream] = readPowerShell(answers?.text ?? "", version);
      const { pathname, searchParams } = new URL(stream?.words.at(-1) ?? "");
      expect(pathname).toBe("/api/trpc/transcripts.answers");
      expect(JSON.parse(searchParams.get("input") ?? "")).toEqual({ json: { id: "transcript_1", lastEventId: "0" } });
    }
    expect(file?.text).toContain("id = 'transcript_1'");
    expect(file?.note).not.toContain("jq");
  });
});
