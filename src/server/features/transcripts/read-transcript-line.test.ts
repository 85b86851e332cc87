import { describe, expect, it } from "vitest";
import { readTranscriptLine } from "./read-transcript-line";

const read = (line: string) => readTranscriptLine(line, ["hey toolroom"]);

describe("a line of a watched file", () => {
  it.each([
    ["just text", { text: "just text" }],
    ["Ana: hello", { speaker: "Ana", text: "hello" }],
    ["Dr. Bo O'Neil:  it is 12:30", { speaker: "Dr. Bo O'Neil", text: "it is 12:30" }],
    ["see https://example.org", { text: "see https://example.org" }],
    ["12:30 we begin", { text: "12:30 we begin" }],
    ["Hey, Toolroom: what time is it?", { text: "Hey, Toolroom: what time is it?" }],
    ['{"text":"hi","speaker":"Ana","atMs":5}', { text: "hi", speaker: "Ana", atMs: 5 }],
    ['{"text":"hi","extra":1}', { text: "hi" }],
    ['{"text":5}', { text: '{"text":5}' }],
    ["{not json", { text: "{not json" }],
    ["", null],
    [" \t", null],
    ['{"text":" "}', null],
  ])("AGT-13 %j is read as %j", (line, segment) => {
    expect(read(line)).toEqual(segment);
  });
});
