"use client";

import { LinkTabs } from "@/app/_ui/link-tabs";

const PAGES = [
  { href: "/evals", label: "Evals" },
  { href: "/evals/candidates", label: "Candidates" },
  { href: "/evals/words", label: "Words" },
] as const;

/** The pages of what tests the choice of tools. */
export function EvalsTabs({ current }: { current: (typeof PAGES)[number]["href"] }) {
  return <LinkTabs label="Evals" pages={PAGES} current={current} />;
}
