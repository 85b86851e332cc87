"use client";

import { Link } from "@/app/_ui/link";

/** The pages about whether tools and their words do what they should, in order. */
const PAGES: readonly { href: string; label: string }[] = [{ href: "/tests", label: "Tests" }];

/** Links that look like tabs, since each page has its own address; nothing while there is one page. */
export function TestsTabs({ current }: { current: string }) {
  if (PAGES.length < 2) return <div className="border-line border-b pt-2.5" />;
  return (
    <nav aria-label="Tests" className="border-line border-b">
      <ul className="flex gap-4.5 overflow-x-auto px-4">
        {PAGES.map(({ href, label }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={href === current ? "page" : undefined}
              className="-outline-offset-2 block whitespace-nowrap border-transparent border-b-2 pt-2 pb-2 text-mute max-sm:py-2.5 text-sm hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
