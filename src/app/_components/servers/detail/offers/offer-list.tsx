"use client";

import { type ReactNode, useRef, useState } from "react";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { ShowMore } from "@/app/_ui/show-more";

const STEP = 200;

export interface Offer {
  id: string;
  title: string;
  detail: string;
  badge?: ReactNode;
}

export interface OfferListProps {
  /** What is listed: `resources`. */
  label: string;
  offers: readonly Offer[];
  selected: string | null;
  onSelect: (id: string) => void;
  search: string;
  onSearch: (search: string) => void;
}

/** Names on the left, of which one is open on the right. */
export function OfferList({ label, offers, selected, onSelect, search, onSearch }: OfferListProps) {
  const [limit, setLimit] = useState(STEP);
  const list = useRef<HTMLUListElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useListKeys({ list, search: input });
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = offers.filter(({ id, title, detail }) => {
    const text = `${id} ${title} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rest = matching.length - limit;
  return (
    <div className="flex min-h-0 flex-col max-lg:max-h-[40dvh] max-lg:border-line max-lg:border-b">
      <search className="shrink-0 border-line border-b p-2.5">
        <Input
          ref={input}
          type="search"
          aria-label={`Search ${label}`}
          aria-keyshortcuts="/"
          placeholder={`Search ${label}`}
          value={search}
          onChange={(event) => onSearch(event.target.value)}
        />
      </search>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <ul ref={list} aria-label={label}>
          {matching.slice(0, limit).map((offer) => (
            <li key={offer.id} className="border-line border-b">
              <button
                type="button"
                data-row=""
                aria-current={offer.id === selected || undefined}
                onClick={() => onSelect(offer.id)}
                className={cx(
                  "-outline-offset-2 block w-full px-3.5 py-1.5 text-left",
                  offer.id === selected ? "bg-accent-bg" : "hover:bg-rail",
                )}
              >
                <span className="flex items-center gap-2">
                  <span dir="auto" className="min-w-0 truncate font-medium">
                    {offer.title}
                  </span>
                  {offer.badge}
                </span>
                <span className="block truncate text-mute text-xs" title={offer.detail}>
                  {offer.detail}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {matching.length === 0 && <p className="p-3.5 text-mute">No matches.</p>}
        <ShowMore rest={rest} onMore={() => setLimit(limit + STEP)} />
      </div>
    </div>
  );
}
