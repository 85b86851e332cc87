import type { RunEvent, RunNotice } from "../contract/run";

export interface NoticeItem {
  kind: "notice";
  key: string;
  notice: RunNotice;
  text: string;
  /** Consecutive repetitions. */
  count: number;
}

interface OtherItem {
  kind: "step" | "resumed";
}

/** A notice that repeats the last item only raises its count. */
export function addNotice(items: (NoticeItem | OtherItem)[], event: RunEvent & { type: "notice" }): void {
  const { index, notice, text } = event;
  const last = items.at(-1);
  if (last?.kind === "notice" && last.notice === notice && last.text === text) last.count += 1;
  else items.push({ kind: "notice", key: `n${index}`, notice, text, count: 1 });
}
