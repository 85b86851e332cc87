import { cx } from "./class-names";
import { type JsonTokenKind, tokenizeJson } from "./json-tokens";
import { ScrollRegion } from "./scroll-region";

/** Above this, colour costs more than it helps: one element instead of tens of thousands. */
export const MAX_COLOURED_CHARS = 60_000;

const COLOUR: Record<JsonTokenKind, string | undefined> = {
  key: "text-key",
  str: "text-str",
  num: "text-num",
  plain: undefined,
};

export interface JsonTextProps {
  /** Shown as it is; give it pretty-printed. */
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
