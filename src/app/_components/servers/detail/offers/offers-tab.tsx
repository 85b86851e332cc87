import { parseAsString, useQueryStates } from "nuqs";
import { type ReactNode, useRef, useState } from "react";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { useDenial } from "@/app/_ui/access";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Input } from "@/app/_ui/field";
import { ShowMore } from "@/app/_ui/show-more";
import type { ServerDetail } from "@/lib/contract/server";
import { createWordMatcher } from "@/lib/match-words";

/** The server's capability, which is also the label. */
type What = "resources" | "prompts" | "skills";

/** Returns whether the list can be requested: the server has to be connected and the user needs the permission to run. */
export function useCanAsk({ state }: ServerDetail, what: What): boolean {
  return useDenial("run") === null && state.status === "connected" && state.capabilities.includes(what);
}

interface Offer {
  id: string;
  title: string;
  detail: string;
  badge?: ReactNode;
}

interface OffersTabProps<Item> {
  server: ServerDetail;
  what: What;
  query: { data: Item[] | undefined; error: { message: string } | null; refetch: () => Promise<unknown> };
  toOffer: (item: Item) => Offer;
  /** The parameter of the address that names the open one. */
  parameter: string;
  /** The name of an offer, and its view. */
  noun: string;
  hint: string;
  /** In place of the sentence that the server has none. */
  none?: ReactNode;
  children: (open: Item) => ReactNode;
}

/** Lists a server's offers: names on the left, of which one is open on the right. It also says why there are none. */
export function OffersTab<Item>({ server, what, query, none, ...offers }: OffersTabProps<Item>) {
  const { status, capabilities } = server.state;
  const denial = useDenial("run");
  if (query.data !== undefined && query.data.length > 0) return <Offers {...offers} what={what} items={query.data} />;
  if (status !== "connected") {
    return (
      <EmptyState heading="h2" title="Not connected">
        Its {what} can be read while it is connected.
      </EmptyState>
    );
  }
  if (!capabilities.includes(what) && (query.data === undefined || query.data.length === 0)) {
    return (
      <EmptyState heading="h2" title={`This server offers no ${what}`}>
        The server does not declare any.
      </EmptyState>
    );
  }
  if (denial !== null) {
    return (
      <EmptyState heading="h2" title={`You can't read its ${what}`}>
        {denial}
      </EmptyState>
    );
  }
  if (query.error !== null) {
    return (
      <ErrorState
        heading="h2"
        title={`The ${what} could not be read`}
        message={query.error.message}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (query.data === undefined) return <ViewSkeleton of="serverTab" />;
  if (none !== undefined) return none;
  return (
    <EmptyState heading="h2" title={`No ${what}`}>
      The server says that it can have {what}, and has none now.
    </EmptyState>
  );
}

type OffersProps<Item> = Pick<OffersTabProps<Item>, "what" | "toOffer" | "parameter" | "noun" | "hint" | "children"> & {
  items: readonly Item[];
};

function Offers<Item>({ what, items, toOffer, parameter, noun, hint, children }: OffersProps<Item>) {
  const [address, setAddress] = useQueryStates({ [parameter]: parseAsString, q: parseAsString });
  const selected = address[parameter] ?? null;
  const open = items.find((item) => toOffer(item).id === selected);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 max-lg:auto-rows-max lg:grid-cols-[clamp(256px,var(--pane-offers,24rem),calc(100%-340px))_0_minmax(0,1fr)] lg:overflow-hidden">
      <div className="flex min-h-0 flex-col border-line lg:border-r">
        <OfferList
          label={what}
          offers={items.map(toOffer)}
          selected={selected}
          onSelect={(next) => void setAddress({ [parameter]: next })}
          search={address.q ?? ""}
          onSearch={(next) => void setAddress({ q: next === "" ? null : next })}
        />
      </div>
      <PaneHandle pane="offers" label="Resize the list" resizes="before" className="max-lg:hidden" />
      {open === undefined ? (
        <EmptyState
          heading="h2"
          title={selected === null ? `Choose a ${noun}` : `The server doesn't list this ${noun}`}
        >
          {selected === null ? hint : <span className="font-mono text-xs">{selected}</span>}
        </EmptyState>
      ) : (
        children(open)
      )}
    </div>
  );
}

const STEP = 200;

interface OfferListProps {
  /** The noun of the list: `resources`. */
  label: string;
  offers: readonly Offer[];
  selected: string | null;
  onSelect: (id: string) => void;
  search: string;
  onSearch: (search: string) => void;
}

function OfferList({ label, offers, selected, onSelect, search, onSearch }: OfferListProps) {
  const [limit, setLimit] = useState(STEP);
  const list = useRef<HTMLUListElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useListKeys({ list, search: input });
  const matches = createWordMatcher(search);
  const matching = offers.filter(({ id, title, detail }) => matches(id, title, detail));
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
