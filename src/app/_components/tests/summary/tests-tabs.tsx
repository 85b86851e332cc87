"use client";

import { LinkTabs } from "@/app/_ui/link-tabs";

const PAGES = [
  { href: "/tests", label: "Tests" },
  { href: "/evals", label: "Evals" },
  { href: "/evals/candidates", label: "Candidates" },
  { href: "/evals/words", label: "Words" },
] as const;

/** The pages about whether tools, their words and models do what they should. */
export function TestsTabs({ current }: { current: (typeof PAGES)[number]["href"] }) {
  return <LinkTabs label="Tests" pages={PAGES} current={current} />;
}
