"use client";

import { LinkTabs } from "@/app/_ui/link-tabs";

const PAGES = [
  { href: "/tests", label: "Tests" },
  { href: "/evals", label: "Evals" },
  { href: "/evals/candidates", label: "Candidates" },
] as const;

/** The pages about whether tools and models do what they should. */
export function TestsTabs({ current }: { current: (typeof PAGES)[number]["href"] }) {
  return <LinkTabs label="Tests" pages={PAGES} current={current} />;
}
