import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { useApprovalCount } from "@/app/_components/approvals/summary/use-approval-count";
import { DESTINATIONS, type Destination, isCurrent } from "@/app/_kit/navigation";
import { trpc } from "@/app/_trpc/client";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { formatCount } from "@/lib/format";

/** The links of the rail. Figures come when they are known; a server that does not answer leaves the links usable. */
export function RailLinks({ closed = false, onFollow }: { closed?: boolean; onFollow?: () => void }) {
  const pathname = usePathname();
  const { data } = useQuery(trpc.system.info.queryOptions());
  const waiting = useApprovalCount() ?? 0;

  const link = (destination: Destination) => {
    const count = destination.count === undefined ? undefined : data?.counts[destination.count];
    return (
      <RailLink
        key={destination.href}
        destination={destination}
        current={isCurrent(destination, pathname)}
        count={count}
        waiting={destination.waiting ? waiting : 0}
        closed={closed}
        onFollow={onFollow}
      />
    );
  };

  return (
    <>
      <ul className="flex flex-col gap-px">{DESTINATIONS.filter(({ place }) => place === "main").map(link)}</ul>
      <ul className="mt-auto flex flex-col gap-px">{DESTINATIONS.filter(({ place }) => place === "foot").map(link)}</ul>
    </>
  );
}

interface RailLinkProps {
  destination: Destination;
  current: boolean;
  count: number | undefined;
  waiting: number;
  closed: boolean;
  onFollow: (() => void) | undefined;
}

function RailLink({ destination, current, count, waiting, closed, onFollow }: RailLinkProps) {
  const Icon = destination.icon;
  return (
    <li>
      <Link
        href={destination.href}
        aria-current={current ? "page" : undefined}
        title={closed ? destination.label : undefined}
        onClick={onFollow}
        className={cx(
          "flex h-7.5 max-md:h-10 items-center gap-2.25 rounded-md px-2 text-mute hover:text-text",
          "aria-[current=page]:bg-panel aria-[current=page]:text-text aria-[current=page]:ring-1 aria-[current=page]:ring-line",
          closed && "relative justify-center",
        )}
      >
        <Icon size={15} className="shrink-0" />
        <span className={closed ? "sr-only" : undefined}>{destination.label}</span>
        {count !== undefined && !closed && (
          <span className="ml-auto font-mono text-2xs text-faint tabular-nums">{formatCount(count)}</span>
        )}
        {waiting > 0 && <WaitingMark count={waiting} closed={closed} />}
      </Link>
    </li>
  );
}

/** Calls wait for a user: the number, or on the closed rail a dot. */
function WaitingMark({ count, closed }: { count: number; closed: boolean }) {
  return (
    <span
      data-status="waiting"
      className={
        closed
          ? "absolute top-1 right-1.5 size-1.75 rounded-full bg-warn"
          : "ml-auto rounded-full bg-warn-bg px-1.5 font-mono text-2xs text-warn tabular-nums"
      }
    >
      <span className={closed ? "sr-only" : undefined}>{formatCount(count)}</span>
      <span className="sr-only"> {count === 1 ? "needs" : "need"} approval</span>
    </span>
  );
}
