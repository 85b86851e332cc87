import { printParseErrorCode, visit } from "jsonc-parser";

/** The position at which a text stops being JSON; line and column count from 1. */
export interface TextFault {
  offset: number;
  line: number;
  column: number;
  message: string;
}

const MESSAGES = new Map([
  ["InvalidSymbol", "unexpected text; write strings in double quotes"],
  ["InvalidNumberFormat", "invalid number"],
  ["PropertyNameExpected", "expected a property name in double quotes"],
  ["ValueExpected", "expected a value"],
  ["ColonExpected", "expected a colon"],
  ["CommaExpected", "expected a comma"],
  ["CloseBraceExpected", "expected a closing }"],
  ["CloseBracketExpected", "expected a closing ]"],
  ["EndOfFileExpected", "unexpected text after the end of the value"],
  ["InvalidCommentToken", "comments are not allowed in JSON"],
  ["UnexpectedEndOfComment", "comments are not allowed in JSON"],
  ["UnexpectedEndOfString", "expected a closing quote"],
  ["UnexpectedEndOfNumber", "incomplete number"],
  ["InvalidUnicode", "\\u needs four hexadecimal digits"],
  ["InvalidEscapeCharacter", "invalid escape sequence"],
  ["InvalidCharacter", "control characters must be escaped"],
]);

export function locateOffset(text: string, offset: number): { line: number; column: number } {
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
        ? { offset, message: MESSAGES.get(code) ?? "invalid JSON" }
        : { offset: comma, message: "remove the trailing comma" };
  };
  try {
    visit(text, { onError: (code, offset) => note(printParseErrorCode(code), offset) }, { disallowComments: true });
  } catch {
    // Tens of thousands of open brackets run out of stack; what was found before that is as good.
  }
  const { offset, message } = first ?? { offset: 0, message: reason };
  return { offset, ...locateOffset(text, offset), message };
}
