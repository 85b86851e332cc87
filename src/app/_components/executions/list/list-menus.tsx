import { useQuery } from "@tanstack/react-query";
import { Bookmark, Ellipsis } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart } from "@/app/_ui/on-demand";
import type { ExecutionFilter } from "@/lib/contract/execution";
import { toViewQuery } from "@/lib/contract/view-query";
import { LIST_ADDRESS, writeListAddress } from "./execution-filters";

const load = () => import("./opened-menus");
const ViewsMenu = lazyPart(load, "ViewsMenu");
const ActionsMenu = lazyPart(load, "ActionsMenu");
const ACTIONS = (
  <Button icon={Ellipsis}>
    <span className="max-sm:sr-only">Actions</span>
  </Button>
);

interface ActionsProps {
  filter: ExecutionFilter;
  selectedIds: readonly string[];
  matching: string | null;
  paused: boolean;
  onTogglePaused: () => void;
  onDeleted: () => void;
}

/** The button of the menu, whose scripts come when it is pressed. */
export function Actions(props: ActionsProps) {
  return (
    <MenuOnDemand trigger={ACTIONS} load={load}>
      <ActionsMenu trigger={ACTIONS} {...props} />
    </MenuOnDemand>
  );
}

/** The saved views of the team, and the one that is open. */
export function Views() {
  const [address] = useQueryStates(LIST_ADDRESS);
  const { data: views = [], refetch } = useQuery(trpc.views.list.queryOptions());
  useLiveRefresh(refetch, "views");
  const query = toViewQuery(writeListAddress(address));
  const opened = views.find(({ id }) => id === address.view) ?? views.find((view) => view.query === query);
  const trigger = (
    <Button icon={Bookmark} className="max-w-52">
      <span className="min-w-0 truncate max-sm:sr-only">{opened === undefined ? "Views" : opened.name}</span>
      {opened !== undefined && opened.query !== query && <span className="text-mute max-sm:sr-only">(changed)</span>}
    </Button>
  );
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <ViewsMenu {...{ trigger, views, opened, query }} />
    </MenuOnDemand>
  );
}
