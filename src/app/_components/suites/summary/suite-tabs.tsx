"use client";

import { LinkTabs } from "@/app/_ui/link-tabs";

const PAGES = [
  { href: "/suites", label: "Suites" },
  { href: "/cassettes", label: "Cassettes" },
] as const;

/** The pages about whether tools and models do what they should, and of recordings that stand in for them. */
export function SuiteTabs({ current }: { current: (typeof PAGES)[number]["href"] }) {
  return <LinkTabs label="Suites" pages={PAGES} current={current} />;
}
