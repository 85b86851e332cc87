import { printParseErrorCode, visit } from "jsonc-parser";

/** Where a text stops being JSON; line and column count from 1. */
export interface TextFault {
  offset: number;
  line: number;
  column: number;
  message: string;
}

const MESSAGES = new Map([
  ["InvalidSymbol", "this is not JSON; text stands in double quotes"],
  ["InvalidNumberFormat", "this is not a number"],
  ["PropertyNameExpected", "a property name in double quotes is missing"],
  ["ValueExpected", "a value is missing"],
  ["ColonExpected", "a colon is missing"],
  ["CommaExpected", "a comma is missing"],
  ["CloseBraceExpected", "a closing } is missing"],
  ["CloseBracketExpected", "a closing ] is missing"],
  ["EndOfFileExpected", "nothing may follow the end of the value"],
  ["InvalidCommentToken", "JSON has no comments"],
  ["UnexpectedEndOfComment", "JSON has no comments"],
  ["UnexpectedEndOfString", "the closing quote is missing"],
  ["UnexpectedEndOfNumber", "the number is not finished"],
  ["InvalidUnicode", "\\u needs four hexadecimal digits"],
  ["InvalidEscapeCharacter", "this escape is not JSON"],
  ["InvalidCharacter", "a control character must be escaped"],
]);

export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

function trailingComma(text: string, offset: number): number | null {
  const before = text.slice(0, offset).trimEnd();
  return before.endsWith(",") && /^[}\]]/.test(text.slice(offset)) ? before.length - 1 : null;
}

/** The first place where a text is not JSON, for a text that `JSON.parse` refused with `reason`. */
export function locateFault(text: string, reason: string): TextFault {
  let first: { offset: number; message: string } | null = null;
  const note = (code: string, offset: number) => {
    if (first !== null && first.offset <= offset) return;
    const comma = trailingComma(text, offset);
    first =
      comma === null
        ? { offset, message: MESSAGES.get(code) ?? "this is not JSON" }
        : { offset: comma, message: "the last element has no comma after it in JSON" };
  };
  try {
    visit(text, { onError: (code, offset) => note(printParseErrorCode(code), offset) }, { disallowComments: true });
  } catch {
    // Tens of thousands of open brackets run out of stack; what was found before that is as good.
  }
  const { offset, message } = first ?? { offset: 0, message: reason };
  return { offset, ...placeOf(text, offset), message };
}
