/** A sentence in which backticks mark names. */
export function QuotedText({ text }: { text: string }) {
  return text.split("`").map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their order
      <code key={at} className="font-mono text-[0.92em]">
        {part}
      </code>
    ),
  );
}
