import { cx } from "./class-names";
import { ScrollRegion } from "./scroll-region";

/** Above this size the text is one element without colors, instead of tens of thousands of elements. */
export const MAX_COLOURED_CHARS = 60_000;

const COLOUR: Record<JsonTokenKind, string | undefined> = {
  key: "text-key",
  str: "text-str",
  num: "text-num",
  plain: undefined,
};

interface JsonTextProps {
  /** The text to show, already indented. */
  text: string;
  /** Accessible name of the scrollable area. */
  label?: string;
  /** Breaks long lines instead of scrolling sideways. */
  wrap?: boolean;
  className?: string;
}

export function JsonText({ text, label = "JSON", wrap = false, className }: JsonTextProps) {
  return (
    <ScrollRegion label={label} className={className}>
      <pre className={cx("font-mono text-xs leading-5", wrap && "whitespace-pre-wrap [overflow-wrap:anywhere]")}>
        {text.length > MAX_COLOURED_CHARS ? text : <JsonTokens text={text} />}
      </pre>
    </ScrollRegion>
  );
}

export function JsonTokens({ text }: { text: string }) {
  return tokenizeJson(text).map(({ kind, text: part, at }) =>
    kind === "plain" ? (
      part
    ) : (
      <span key={at} className={COLOUR[kind]}>
        {part}
      </span>
    ),
  );
}

type JsonTokenKind = "key" | "str" | "num" | "plain";

interface JsonToken {
  kind: JsonTokenKind;
  text: string;
  /** The offset in the text, which identifies the token. */
  at: number;
}

/** A string that is not closed runs to the end: otherwise every later quote would scan the rest again. */
const TOKEN = /("(?:[^"\\]|\\[\s\S]?)*"?)(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Cuts text into coloured pieces by its looks alone: broken JSON is coloured as far as it goes, and nothing is lost. */
export function tokenizeJson(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let end = 0;
  const push = (kind: JsonTokenKind, part: string, at: number) => {
    if (part !== "") tokens.push({ kind, text: part, at });
  };
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    push("plain", text.slice(end, match.index), end);
    if (quoted === undefined) push("num", whole, match.index);
    else {
      push(colon === undefined ? "str" : "key", quoted, match.index);
      push("plain", colon ?? "", match.index + quoted.length);
    }
    end = match.index + whole.length;
  }
  push("plain", text.slice(end), end);
  return tokens;
}
